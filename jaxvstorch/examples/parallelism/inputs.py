"""Inputs of the parallelism examples, as NumPy arrays."""

from math import isqrt
from typing import Any

import numpy as np

# The shards of an array, the blocks on a side of a matrix, and the length of a vector.
SHARDS = 4
SIDE = 2
WIDTH = 8

Arguments = tuple[Any, ...]


def network(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The matrices of a network, and a batch of ``size`` numbers."""
    n = max(1, isqrt(size))
    return *_weights(rng, dtype, n), _normal(rng, dtype, n, n)


def training(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The matrices of a network, a batch of ``size`` numbers, and what is wanted for it."""
    n = max(1, isqrt(size))
    return *_weights(rng, dtype, n), _normal(rng, dtype, n, n), _normal(rng, dtype, n, n)


def training_in_shards(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The matrices of a network, and a batch of ``size`` numbers in each of four shards."""
    n = max(1, isqrt(size))
    batch = SHARDS, n, n
    return *_weights(rng, dtype, n), _normal(rng, dtype, *batch), _normal(rng, dtype, *batch)


def network_in_shards(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The matrices of a network in four shards each, and a batch of ``size`` numbers."""
    n = max(1, isqrt(size))
    w1, w2, x = network(size, dtype, rng)
    columns = np.moveaxis(w1.reshape(n, SHARDS, -1), 1, 0)
    return np.ascontiguousarray(columns), w2.reshape(SHARDS, -1, n), x


def blocks(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Two matrices of ``size`` numbers, each in two rows and two columns of blocks."""
    n = max(1, isqrt(size // SIDE**2))
    a, b = (_normal(rng, dtype, SIDE, SIDE, n, n) for _ in range(2))
    return a / np.asarray(n**0.5, dtype), b


def vector_in_shards(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A vector of ``size`` numbers in four shards."""
    return (_normal(rng, dtype, SHARDS, max(1, size // SHARDS)),)


def unequal_shards(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Four shards of ``size`` places in all, and how many places of each hold a number."""
    n = max(1, size // SHARDS)
    counts = rng.integers(1, n + 1, SHARDS, dtype=np.int32)
    return _normal(rng, dtype, SHARDS, n), counts


def attention(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Queries, and ``size`` numbers of keys and of values in four shards."""
    n = max(1, size // (SHARDS * WIDTH))
    shape = SHARDS, n, WIDTH
    return _normal(rng, dtype, n, WIDTH), _normal(rng, dtype, *shape), _normal(rng, dtype, *shape)


def vocabulary(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A table of ``size`` numbers in four shards of rows, and as many tokens as it has rows."""
    rows = max(1, size // (SHARDS * WIDTH))
    tokens = rng.integers(SHARDS * rows, size=SHARDS * rows, dtype=np.int32)
    return _normal(rng, dtype, SHARDS, rows, WIDTH), tokens


def _weights(rng: np.random.Generator, dtype: np.dtype[Any], n: int) -> Arguments:
    """Two matrices, from ``n`` features to ``4 n`` and back, that keep numbers near one."""
    scale = np.asarray(n**-0.5, dtype)
    first, second = _normal(rng, dtype, n, SHARDS * n), _normal(rng, dtype, SHARDS * n, n)
    return scale * first, scale / 2 * second


def _normal(rng: np.random.Generator, dtype: np.dtype[Any], *shape: int) -> Any:
    return rng.standard_normal(shape).astype(dtype)
