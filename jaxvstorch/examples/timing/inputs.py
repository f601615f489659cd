"""Inputs of the timing examples, as NumPy arrays."""

from math import isqrt
from typing import Any

import numpy as np

COEFFICIENTS = 5
WINDOW = 3

Arguments = tuple[Any, ...]


def vector(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers of either sign."""
    return (rng.standard_normal(size).astype(dtype),)


def between(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers between -2 and 2: far below, the ``1 + erf(x)`` of gelu cancels."""
    return (rng.uniform(-2, 2, size).astype(dtype),)


def two_vectors(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Predictions and targets, ``size`` numbers each."""
    return tuple(rng.standard_normal((2, size)).astype(dtype))


def rows(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A square matrix of about ``size`` numbers, at least 16."""
    n = max(4, isqrt(size))  # a row of two is always (-1, 1), and its derivative is zero
    return (rng.standard_normal((n, n)).astype(dtype),)


def polynomial(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` places, and a few coefficients; all positive, so nothing cancels."""
    x, coefficients = rng.uniform(0, 1, size), rng.uniform(1, 2, COEFFICIENTS)
    return x.astype(dtype), coefficients.astype(dtype)


def series(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` positive numbers in a row, at least as many as the window is long."""
    return (rng.uniform(1, 2, max(WINDOW, size)).astype(dtype),)


def rates(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` growth rates, so small that their product stays near one."""
    return ((rng.uniform(-1, 1, size) / size).astype(dtype),)


def dense(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A batch and a layer's weights, square matrices of about ``size`` numbers, and its biases."""
    n = max(1, isqrt(size))
    x, weights = rng.standard_normal((2, n, n))
    return tuple(a.astype(dtype) for a in (x, weights / n**0.5, rng.standard_normal(n)))


def two_matrices(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Two square matrices of about ``size`` numbers, and a vector; all positive."""
    n = max(1, isqrt(size))
    a, b = rng.uniform(0, 1, (2, n, n)) / n
    return a.astype(dtype), b.astype(dtype), rng.uniform(0, 1, n).astype(dtype)
