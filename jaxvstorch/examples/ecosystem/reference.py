"""The answers of the ecosystem examples, in NumPy and float64."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def cross_entropy(logits: Array, labels: Array) -> Array:
    """The mean over the examples of minus the log of the right class's probability."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return np.asarray(-logs[np.arange(len(labels)), labels].mean())


def layer_norm(x: Array, scale: Array, shift: Array) -> Array:
    """Each row with mean zero and variance one, nearly, then scaled and shifted."""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5) * scale + shift


def normal_log_density(x: Array, mean: Array, scale: Array) -> Array:
    """The log of each number's density under its normal distribution."""
    return -(((x - mean) / scale) ** 2) / 2 - np.log(scale) - np.log(2 * np.pi) / 2


def huber_loss(x: Array, target: Array) -> Array:
    """The mean of half the square of small distances, and of large ones less a half (Huber)."""
    distance = np.abs(x - target)
    return np.asarray(np.where(distance < 1, distance**2 / 2, distance - 0.5).mean())


def interpolate_linear(x: Array, knots: Array, values: Array) -> Array:
    """Straight lines between the knots; the outer values outside."""
    return np.interp(x, knots, values)


def convolve_same(signal: Array, kernel: Array) -> Array:
    """The convolution's middle part, as long as the signal."""
    return np.convolve(signal, kernel, mode="same")


def solve_cg(matrix: Array, target: Array, steps: int) -> Array:
    """``steps`` steps of conjugate gradients, from zero (Hestenes and Stiefel, 1952)."""
    x, residual = np.zeros_like(target), target
    direction = residual
    for _ in range(steps):
        length = residual @ residual / (direction @ matrix @ direction)
        x = x + length * direction
        before, residual = residual, residual - length * (matrix @ direction)
        direction = residual + residual @ residual / (before @ before) * direction
    return x


def adam_step(
    parameter: Array, gradient: Array, mean: Array, square: Array, step: int
) -> tuple[Array, Array, Array]:
    """One step of Adam (Kingma and Ba, 2015) with its defaults, and the new running means."""
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.999 * square + 0.001 * gradient**2
    unbiased = np.sqrt(square / (1 - 0.999**step))
    return parameter - 1e-3 * mean / (1 - 0.9**step) / (unbiased + 1e-8), mean, square


def segment_sum(values: Array, segments: Array, number: int) -> Array:
    """For each segment the sum of its rows."""
    sums = np.zeros((number, *values.shape[1:]))
    np.add.at(sums, segments, values)
    return sums


def trapezoid(y: Array, x: Array) -> Array:
    """The area under straight lines from point to point."""
    return np.asarray(np.trapezoid(y, x))
