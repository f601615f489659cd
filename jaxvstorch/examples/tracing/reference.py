"""The answers of the tracing examples, in NumPy and float64."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def sin_cos(x: Array) -> Array:
    """The sum of sine and cosine."""
    return np.sin(x) + np.cos(x)


def polynomial_sum(x: Array) -> Array:
    """The sum of x² - x³ - x over all elements."""
    return np.asarray(np.sum(x**2 - x**3 - x))


def matmul(a: Array, b: Array) -> Array:
    """The matrix product."""
    return np.asarray(a @ b)


def three_ratios(x: Array, y: Array) -> Array:
    """Three times ``x`` over ``y``."""
    return 3 * x / y


def sin_plus_one(x: Array) -> Array:
    """One more than the sine."""
    return np.sin(x) + 1


def affine(x: Array, factor: float, offset: Array | None, squared: bool) -> Array:
    """``factor * x + offset``, squared if asked for; no offset means zero."""
    y = factor * x + (0 if offset is None else offset)
    return y**2 if squared else y


def layer(x: Array, weights: Array) -> Array:
    """``x``, and the squashed product of the weights with its sine."""
    return x + np.tanh(weights @ np.sin(x))


def layers(x: Array, weights: Array, num_layers: int) -> Array:
    """``layer`` applied ``num_layers`` times with the same weights."""
    for _ in range(num_layers):
        x = layer(x, weights)
    return x
