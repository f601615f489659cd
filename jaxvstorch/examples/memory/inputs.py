"""Inputs of the examples on memory, as NumPy arrays."""

from math import isqrt
from typing import Any

import numpy as np

CHUNKS = 4  # into which the examples cut an axis
DEPTH = 4
BATCH = 8
FEATURES = 4

Arguments = tuple[Any, ...]


def _normal(rng: np.random.Generator, dtype: np.dtype[Any], *shape: int) -> Any:
    return rng.standard_normal(shape).astype(dtype)


def _rows(size: int, by: int) -> int:
    """A number of rows that the chunks divide."""
    return CHUNKS * max(1, size // (CHUNKS * by))


def points(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A vector whose length squared is about ``size``."""
    return (_normal(rng, dtype, _rows(isqrt(size), 1)),)


def attention(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Queries, keys and values; each query with each key makes about ``size`` scores."""
    n = _rows(isqrt(size), 1)
    return tuple(_normal(rng, dtype, n, FEATURES) for _ in range(3))


def tokens(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Hidden states, a table of the vocabulary and labels; about ``size`` logits in all."""
    n = _rows(isqrt(size), 1)
    words = max(2, size // n)
    hidden, table = _normal(rng, dtype, n, FEATURES), _normal(rng, dtype, FEATURES, words)
    return hidden, table, rng.integers(0, words, n).astype(np.int32)


def layers(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A batch, and the weights of the layers; the batch has about ``size`` numbers."""
    n = max(1, size // BATCH)
    return _normal(rng, dtype, BATCH, n), _normal(rng, dtype, DEPTH, n, n) / dtype.type(n**0.5)


def step(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Parameters, their velocity and their gradient: each a vector of ``size`` numbers."""
    return tuple(_normal(rng, dtype, size) for _ in range(3))


def batch(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A matrix of weights, a batch of about ``size`` numbers, and its targets."""
    n = _rows(size, FEATURES)
    weights = _normal(rng, dtype, FEATURES, 2)
    return weights, _normal(rng, dtype, n, FEATURES), _normal(rng, dtype, n, 2)
