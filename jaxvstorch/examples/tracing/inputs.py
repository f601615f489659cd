"""Inputs of the tracing examples: NumPy arrays, and the Python values that go with them."""

from math import isqrt
from typing import Any

import numpy as np

NUM_LAYERS = 3

Arguments = tuple[Any, ...]


def angles(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` angles over five turns, none where sine and cosine cancel."""
    return ((rng.uniform(-0.4, 0.4, size) + 2 * np.pi * rng.integers(-2, 3, size)).astype(dtype),)


def positive(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers from 0 to 2."""
    return (rng.uniform(0, 2, size).astype(dtype),)


def square_matrices(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Two square matrices of ``size`` rows: ``size`` is a side here, not a number of elements."""
    a, b = (rng.standard_normal((2, size, size)) / size**0.5).astype(dtype)
    return a, b


def ratio(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and as many divisors from 1 to 2."""
    return rng.standard_normal(size).astype(dtype), rng.uniform(1, 2, size).astype(dtype)


def affine(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` positive numbers, a Python float, as many offsets, and a Python bool."""
    x, offset = rng.uniform(1, 2, (2, size)).astype(dtype)
    return x, float(rng.uniform(1, 2)), offset, bool(rng.random() < 0.5)


def layer(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A vector, and a square matrix of about ``size`` weights; all positive, so nothing cancels."""
    n = isqrt(size)
    weights = rng.uniform(0.05, 0.1, (n, n)) / n
    return rng.uniform(0.1, 1, n).astype(dtype), weights.astype(dtype)


def layers(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The same, and the number of layers."""
    return *layer(size, dtype, rng), NUM_LAYERS
