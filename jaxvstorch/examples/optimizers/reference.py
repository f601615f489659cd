"""The answers of the examples on optimizers, in NumPy and float64."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

RATE, DECAY = 0.01, 0.1
LARGEST = 1.0
WARMUP, STEPS, END = 100, 1_000, 0.1


def nesterov_step(parameter: Array, gradient: Array, velocity: Array) -> tuple[Array, Array]:
    """Momentum that looks one step ahead (Sutskever et al., 2013)."""
    velocity = 0.9 * velocity + gradient
    return parameter - RATE * (gradient + 0.9 * velocity), velocity


def adamw_step(
    parameter: Array, gradient: Array, mean: Array, square: Array, step: int
) -> tuple[Array, Array, Array]:
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019)."""
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.999 * square + 0.001 * gradient**2
    change = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return parameter - RATE * (change + DECAY * parameter), mean, square


def rmsprop_step(parameter: Array, gradient: Array, square: Array) -> tuple[Array, Array]:
    """RMSprop (Tieleman and Hinton, 2012), with epsilon outside of the square root."""
    square = 0.99 * square + 0.01 * gradient**2
    return parameter - RATE * gradient / (np.sqrt(square) + 1e-8), square


def lion_step(parameter: Array, gradient: Array, mean: Array) -> tuple[Array, Array]:
    """Lion (Chen et al., 2023): the sign of a mean, and decoupled weight decay."""
    change = np.sign(0.9 * mean + 0.1 * gradient)
    return parameter - RATE * (change + DECAY * parameter), 0.99 * mean + 0.01 * gradient


def clip_by_global_norm(gradients: dict[str, Array]) -> dict[str, Array]:
    """All gradients together as one vector, scaled down to the largest length allowed."""
    norm = np.sqrt(sum((gradient**2).sum() for gradient in gradients.values()))
    return {name: gradient * min(1, LARGEST / norm) for name, gradient in gradients.items()}


def warmup_cosine(step: int, peak: Array) -> Array:
    """A straight line up, then half a cosine down to a tenth (Loshchilov and Hutter, 2017)."""
    if step < WARMUP:
        return np.asarray(peak * step / WARMUP)
    progress = min(1, (step - WARMUP) / (STEPS - WARMUP))
    return np.asarray(peak * (END + (1 - END) * (1 + np.cos(np.pi * progress)) / 2))


def grouped_step(parameters: dict[str, Array], gradients: dict[str, Array]) -> dict[str, Array]:
    """A step of gradient descent that decays matrices but not biases."""
    weight, bias = parameters["weight"], parameters["bias"]
    return {
        "weight": weight - RATE * (gradients["weight"] + DECAY * weight),
        "bias": bias - RATE * gradients["bias"],
    }
