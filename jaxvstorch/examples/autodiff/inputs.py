"""Inputs of the autodiff examples, as NumPy arrays."""

from math import isqrt
from typing import Any

import numpy as np

# The short side of a matrix, the order of a derivative, the limit of a gradient, and the blocks
# of a network with the rows of its batch.
SHORT = 4
ORDER = 3
LIMIT = 0.5
DEPTH = 3
BATCH = 4

Arguments = tuple[Any, ...]


def vector(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A vector of ``size`` numbers."""
    return (rng.standard_normal(size).astype(dtype),)


def regression(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Weights, bias, examples and targets; about ``size`` numbers in the examples."""
    n = isqrt(size)
    return _scaled(dtype, rng, (n,), (), (size // n, n), (size // n,))


def examples(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A weight matrix, examples and targets; about ``size`` numbers in the examples."""
    n = isqrt(size)
    return _scaled(dtype, rng, (n, SHORT), (size // n, n), (size // n, SHORT))


def curvature(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A weight matrix, examples of about ``size`` numbers, and a direction for the weights."""
    n = isqrt(size)
    return _scaled(dtype, rng, (n, SHORT), (size // n, n), (n, SHORT))


def derivative(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and the order of the derivative."""
    return *vector(size, dtype, rng), ORDER


def tall(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A matrix of about ``size`` numbers with few columns, and a vector."""
    return _scaled(dtype, rng, (max(SHORT, size // SHORT), SHORT), (SHORT,))


def wide(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A matrix of about ``size`` numbers with few rows, and a vector."""
    return _scaled(dtype, rng, (SHORT, max(SHORT, size // SHORT)), (max(SHORT, size // SHORT),))


def orbits(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Mean anomalies in radians, and eccentricities below 0.4, such as planets have."""
    return rng.uniform(0, 3, size).astype(dtype), rng.uniform(0, 0.4, size).astype(dtype)


def clip(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and the limit of their gradient."""
    return *vector(size, dtype, rng), LIMIT


def blocks(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A batch of about ``size`` numbers, and weights whose hidden layer is four times as wide."""
    n = max(4, size // BATCH)
    return _scaled(dtype, rng, (BATCH, n), (DEPTH, n, 4 * n), (DEPTH, 4 * n, n))


def _scaled(dtype: np.dtype[Any], rng: np.random.Generator, *shapes: tuple[int, ...]) -> Arguments:
    """Normal numbers, smaller in long rows, so that products with them neither grow nor vanish."""
    return tuple(
        np.asarray(rng.standard_normal(shape) / (shape or (1,))[-1] ** 0.5).astype(dtype)
        for shape in shapes
    )
