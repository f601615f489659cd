"""Inputs of the vectorization examples, as NumPy arrays."""

from math import isqrt
from typing import Any

import numpy as np

# The length of one example, of one head's vectors, of one point, and of a small matrix's side.
FEATURES = 3
WIDTH = 8
SPACE = 3
SIDE = 2
# The known points of each example, between which it is interpolated.
KNOTS = 4

Arguments = tuple[Any, ...]


def two_batches(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Two batches of vectors; ``size`` numbers in each."""
    shape = (max(1, size // FEATURES), FEATURES)
    return _normal(rng, dtype, *shape), _normal(rng, dtype, *shape)


def affine(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A matrix, a bias and a batch of vectors; ``size`` numbers in the batch."""
    n = max(1, isqrt(size))
    return _normal(rng, dtype, n, n), _normal(rng, dtype, n), _normal(rng, dtype, n, n)


def models(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Four matrices, a bias for each, and one vector; ``size`` numbers in each matrix."""
    n = max(1, isqrt(size))
    return _normal(rng, dtype, 4, n, n), _normal(rng, dtype, 4, n), _normal(rng, dtype, n)


def heads(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Queries, keys and values of two heads, as (position, head, feature); some ``size`` scores."""
    shape = (1 + isqrt(size // 2), 2, WIDTH)
    return tuple(_normal(rng, dtype, *shape) for _ in range(3))


def points(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Two sets of points in space, with about ``size`` distances between them."""
    n = max(1, isqrt(size))
    return _normal(rng, dtype, n, SPACE), _normal(rng, dtype, n + 1, SPACE)


def numbers(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Two vectors of numbers, with about ``size`` pairs between them."""
    n = max(1, isqrt(size))
    return _normal(rng, dtype, n), _normal(rng, dtype, n + 1)


def directions(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Two sets of vectors, with about ``size`` angles between them."""
    n = max(1, isqrt(size))
    return _normal(rng, dtype, n, FEATURES), _normal(rng, dtype, n + 1, FEATURES)


def curves(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Places to interpolate at, the knots that all examples share, and each example's values."""
    batch = 1 + size // KNOTS
    at = rng.uniform(0.1, KNOTS - 1.1, (batch, KNOTS))
    at = np.floor(at) + 0.1 + 0.8 * (at - np.floor(at))  # a knot has no slope
    knots = np.arange(KNOTS)
    return at.astype(dtype), knots.astype(dtype), _normal(rng, dtype, batch, KNOTS)


def systems(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Small systems of equations, far from singular; about ``size`` numbers in the matrices."""
    batch = 1 + size // SIDE**2
    matrices = rng.standard_normal((batch, SIDE, SIDE)) + 2 * SIDE * np.eye(SIDE)
    return matrices.astype(dtype), _normal(rng, dtype, batch, SIDE)


def batch(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A batch of vectors, at least eight; about ``size`` numbers."""
    return (_normal(rng, dtype, 8 + size // FEATURES, FEATURES),)


def signed(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A batch of vectors; in each at least one number is positive, and none is near zero."""
    x = rng.uniform(0.1, 2, (max(1, size // FEATURES), FEATURES)) * rng.choice((-1, 1), FEATURES)
    x[:, 0] = np.abs(x[:, 0])
    return (x.astype(dtype),)


def positive(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers from 0.1 to 100, evenly on a logarithmic scale."""
    return ((10 ** rng.uniform(-1, 2, size)).astype(dtype),)


def _normal(rng: np.random.Generator, dtype: np.dtype[Any], *shape: int) -> Any:
    return rng.standard_normal(shape).astype(dtype)
