"""The answers of the examples on precision, in NumPy and float64."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Tree = dict[str, Array]

EPSILON = 1e-5
RATE = 0.1
GROWTH, BACKOFF, INTERVAL = 2.0, 0.5, 2


def loss(parameters: Tree, x: Array, y: Array) -> Array:
    """The mean squared error of a network with one hidden layer."""
    hidden = np.tanh(x @ parameters["w1"] + parameters["b1"])
    return np.asarray(((hidden @ parameters["w2"] + parameters["b2"] - y) ** 2).mean())


def layer_norm(x: Array, scale: Array, shift: Array) -> Array:
    """Each row less its mean, over its standard deviation; scaled and shifted."""
    centred = x - x.mean(axis=1, keepdims=True)
    variance = (centred**2).mean(axis=1, keepdims=True)
    return centred / np.sqrt(variance + EPSILON) * scale + shift


def dot(x: Array, w: Array, bias: Array) -> Array:
    """The product of two matrices, and a bias."""
    return np.asarray(x @ w + bias)


def total(x: Array) -> Array:
    """The sum."""
    return np.asarray(x.sum())


def gradient(w: Array, x: Array, y: Array, scale: Array) -> Array:
    """The gradient of the mean squared error of ``x @ w`` in the weights, whatever the scale."""
    return np.asarray(2 * x.T @ (x @ w - y) / len(y))


def guarded_step(
    parameters: Tree, scaled: Tree, scale: Array, good: Array
) -> tuple[Tree, Array, Array]:
    """A step and a count, or, if a gradient is not finite, neither and half the scale."""
    if not all(np.isfinite(value).all() for value in scaled.values()):
        return parameters, scale * BACKOFF, np.asarray(0)
    moved = {name: value - RATE * scaled[name] / scale for name, value in parameters.items()}
    if good + 1 == INTERVAL:
        return moved, scale * GROWTH, np.asarray(0)
    return moved, scale, np.asarray(good + 1)


def stochastic_round(x: Array, bits: Array) -> Array:
    """Numbers of float32, rounded up to bfloat16 as often as their distances say."""
    raw = x.astype(np.float32).view(np.int32)
    return np.asarray(((raw + bits) & -65536).view(np.float32).astype(np.float64))
