"""The answers of the timing examples, in NumPy and float64."""

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_erf = np.vectorize(math.erf, otypes=[np.float64])


def selu(x: Array) -> Array:
    """The scaled exponential linear unit, with the constants of JAX's quickstart."""
    return 1.05 * np.where(x > 0, x, 1.67 * np.expm1(x))


def gelu(x: Array) -> Array:
    """``x`` times the normal distribution function at ``x``."""
    erf: Array = _erf(x / math.sqrt(2))
    return 0.5 * x * (1 + erf)


def polynomial(x: Array, coefficients: Array) -> Array:
    """The polynomial's values, with the coefficient of the highest power first."""
    return np.polyval(coefficients, x)


def moving_average(x: Array) -> Array:
    """The mean of each three neighbors."""
    return np.convolve(x, np.full(3, 1 / 3), mode="valid")


def sin_and_cos(x: Array) -> tuple[Array, Array]:
    """Two results from one argument."""
    return np.sin(x), np.cos(x)


def mean_squared_error(predicted: Array, target: Array) -> Array:
    """The mean of the squared differences."""
    return np.asarray(np.mean((predicted - target) ** 2))


def log_sum_exp(x: Array) -> Array:
    """The logarithm of the sum of exponentials of each row."""
    return np.logaddexp.reduce(x, axis=1)


def normalize_rows(x: Array) -> Array:
    """Each row with mean 0 and variance 1."""
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)


def dense(x: Array, weights: Array, bias: Array) -> Array:
    """One layer of a network."""
    return np.tanh(x @ weights + bias)


def growth(rates: Array) -> Array:
    """What 1 has grown to after each step."""
    return np.cumprod(1 + rates)


def product(a: Array, b: Array, x: Array) -> Array:
    """The vector multiplied by both matrices."""
    return a @ (b @ x)
