"""The answers of the static-argument examples, in NumPy and float64."""

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def loss(prediction: Array, target: Array, robust: bool) -> Array:
    """The mean of the squared errors, or of log(1 + squared error)."""
    squares = (prediction - target) ** 2
    return np.asarray(np.mean(np.log1p(squares) if robust else squares))


def relu(x: Array) -> Array:
    """The positive part."""
    return np.maximum(x, 0)


def tanh(x: Array) -> Array:
    """The hyperbolic tangent."""
    return np.tanh(x)


def gated(x: Array, gate: Array, activation: Callable[[Array], Array]) -> Array:
    """``x`` times its activated gate."""
    return x * activation(gate)


def named(x: Array, gate: Array, name: str) -> Array:
    """The same, with the activation given by its name."""
    return gated(x, gate, {"relu": relu, "tanh": tanh}[name])


def samples(offset: Array, num_samples: int) -> Array:
    """One number in each of ``num_samples`` equal parts of the unit interval."""
    return (np.arange(num_samples) + offset) / num_samples


def samples_like(offset: Array, like: Array) -> Array:
    """As many of them as ``like`` has elements."""
    return samples(offset, like.size)


def mean_over(x: Array, axes: tuple[int, ...]) -> Array:
    """The mean over some axes."""
    return np.asarray(np.mean(x, axis=axes))


def scaled(x: Array, factor: float) -> Array:
    """``factor`` times ``x``."""
    return factor * x
