"""Inputs of the shape examples, as NumPy arrays."""

from typing import Any

import numpy as np

# The rows of a padded batch, of what is multiplied, and of what is summed up; the widths of
# matrices and windows; and how many results are kept.
BATCH = 4
FEATURES = 4
WINDOW = 3
KEPT = 3

Arguments = tuple[Any, ...]


def vector(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers of either sign."""
    return (_away_from_zero(size, dtype, rng),)


def padded(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and how many of them count; the others are not zero."""
    return _away_from_zero(size, dtype, rng), np.int32(rng.integers(1, size + 1))


def padded_batch(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Rows of about ``size`` numbers in all, and how many of each row count."""
    length = max(1, size // BATCH)
    rows = rng.standard_normal((BATCH, length)).astype(dtype)
    return rows, rng.integers(1, length + 1, size=BATCH, dtype=np.int32)


def layer(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A batch of about ``size`` numbers, and a matrix of weights."""
    x = rng.standard_normal((max(1, size // FEATURES), FEATURES)).astype(dtype)
    return x, rng.standard_normal((FEATURES, FEATURES)).astype(dtype)


def windowed(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """At least as many numbers as a window takes, ``size`` if that is more; the window's width."""
    return rng.standard_normal(max(size, WINDOW)).astype(dtype), WINDOW


def scores(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Rows of about ``size`` different numbers in all, and how many of each row are kept."""
    length = max(KEPT, size // BATCH)
    ranks = rng.permuted(np.tile(np.arange(length), (BATCH, 1)), axis=1)
    return (ranks / length).astype(dtype), KEPT


def masked(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and a mask that holds for the first one and for half of the others."""
    mask = rng.random(size) < 0.5
    mask[0] = True
    return rng.standard_normal(size).astype(dtype), mask


def kept(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers of either sign, and half as many places for the positive ones."""
    return _away_from_zero(size, dtype, rng), max(1, size // 2)


def labels(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` labels below six, and how many different ones there is room for."""
    return rng.integers(6, size=size, dtype=np.int32), KEPT


def ragged(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers in groups that follow each other, and the lengths of the groups."""
    cuts = np.sort(rng.integers(size + 1, size=BATCH - 1))
    lengths = np.diff(cuts, prepend=0, append=size).astype(np.int32)
    return rng.standard_normal(size).astype(dtype), lengths


def _away_from_zero(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Any:
    return (rng.uniform(0.1, 2, size) * rng.choice((-1, 1), size)).astype(dtype)
