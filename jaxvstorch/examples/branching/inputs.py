"""Inputs of the branching examples, as NumPy arrays."""

from math import isqrt
from typing import Any

import numpy as np

# The matrices in a batch, the number of tokens, and the token that ends a sequence.
BATCH = 4
VOCABULARY = 8
END_TOKEN = 2

Arguments = tuple[Any, ...]


def select(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A predicate, and a vector of ``size`` numbers."""
    return _choice(rng), rng.standard_normal(size).astype(dtype)


def elements(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A mask and a vector, both of ``size`` elements."""
    return rng.random(size) < 0.5, rng.standard_normal(size).astype(dtype)


def activate(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The number of an activation, from 0 to 2, and a vector of ``size`` numbers."""
    return np.int32(rng.integers(3)), rng.standard_normal(size).astype(dtype)


def expensive(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A predicate (false for seed 0), and a square matrix of about ``size`` numbers."""
    return _choice(rng), _matrices(isqrt(size), dtype, rng)


def expensive_batch(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Predicates and square matrices of a batch; about ``size`` numbers in all."""
    return rng.random(BATCH) < 0.5, _matrices(max(1, isqrt(size // BATCH)), dtype, rng, BATCH)


def signed(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers of either sign, at least 0.1 from zero, where a square root has no slope."""
    return ((rng.uniform(0.1, 4, size) * rng.choice((-1, 1), size)).astype(dtype),)


def logits(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Scores of each sequence's next token, which sequences have finished, and the end token."""
    batch = max(1, size // VOCABULARY)
    scores = rng.standard_normal((batch, VOCABULARY)).astype(dtype)
    return scores, rng.random(batch) < 0.5, END_TOKEN


def tokens(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Sequences of eight tokens, ``size`` in all, and the end token."""
    shape = (max(1, size // VOCABULARY), VOCABULARY)
    return rng.integers(VOCABULARY, size=shape, dtype=np.int32), END_TOKEN


def _choice(rng: np.random.Generator) -> np.bool_:
    return np.bool_(rng.random() < 0.5)


def _matrices(n: int, dtype: np.dtype[Any], rng: np.random.Generator, *batch: int) -> Any:
    """Random matrices scaled so that their powers neither grow nor vanish quickly."""
    return (rng.standard_normal((*batch, n, n)) / n**0.5).astype(dtype)
