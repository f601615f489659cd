"""Inputs of the examples with methods, as NumPy arrays."""

from math import isqrt
from typing import Any

import numpy as np

BATCH = 8
DEPTH = 4

Arguments = tuple[Any, ...]


def static_scale(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A vector of ``size`` numbers, and a Python number."""
    return rng.standard_normal(size).astype(dtype), float(rng.integers(2, 9))


def scale(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A vector of ``size`` numbers, and a number as an array."""
    return rng.standard_normal(size).astype(dtype), dtype.type(rng.uniform(1, 2))


def affine(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A batch of about ``size`` numbers, a square matrix and a vector."""
    n = max(1, size // BATCH)
    x, weight, bias = (rng.standard_normal(shape) for shape in ((BATCH, n), (n, n), n))
    return x.astype(dtype), (weight / n**0.5).astype(dtype), bias.astype(dtype)


def mean(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A vector of ``size`` numbers, the sum of numbers before it, and how many these were."""
    x = rng.standard_normal(size).astype(dtype)
    return x, dtype.type(rng.uniform(-3, 3)), np.int32(rng.integers(1, 9))


def readings(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` readings inside the table, none near one of its knots, where the slope jumps."""
    doubled = rng.integers(-2, 2, size) + rng.uniform(0.1, 0.9, size)
    return ((doubled / 2).astype(dtype),)


def vector(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A vector of ``size`` numbers."""
    return (rng.standard_normal(size).astype(dtype),)


def blocks(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A batch, and the weights of the blocks; the weights have about ``size`` numbers in all."""
    n = max(1, isqrt(size // DEPTH))
    x, weights = rng.standard_normal((BATCH, n)), rng.standard_normal((DEPTH, n, n)) / n**0.5
    return x.astype(dtype), weights.astype(dtype)
