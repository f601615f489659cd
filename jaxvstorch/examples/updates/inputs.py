"""Inputs of the update examples, as NumPy arrays."""

from typing import Any

import numpy as np

# The columns of a matrix, how many places an update touches, the steps of a loop, and the bins.
COLUMNS = 4
TOUCHED = 8
STEPS = 8
BINS = 16

Arguments = tuple[Any, ...]


def rows(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A matrix of about ``size`` numbers, the numbers of some rows (each once), and new rows."""
    x = _matrix(size, dtype, rng)
    index = rng.permutation(len(x))[:TOUCHED].astype(np.int32)
    return x, index, rng.standard_normal((len(index), COLUMNS)).astype(dtype)


def repeated(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, then eight places among the first four, so that places repeat; updates."""
    x = rng.standard_normal(size).astype(dtype)
    x[0] += 10  # no update exceeds it, so a maximum has a gradient here
    return x, _places(size, rng), rng.standard_normal(TOUCHED).astype(dtype)


def places(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and eight places among the first four."""
    return rng.standard_normal(size).astype(dtype), _places(size, rng)


def out_of_range(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and places of which some lie outside at either end."""
    index = np.array([0, size, -size - 1, size // 2, size + 5], np.int32)
    return rng.standard_normal(size).astype(dtype), index


def out_of_range_values(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The same with values to write, and places that come once each."""
    index = np.array([size - 1, size, -size - 1, size + 5], np.int32)
    return rng.standard_normal(size).astype(dtype), index, rng.standard_normal(4).astype(dtype)


def limit(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and a limit that about one in six exceeds."""
    return rng.standard_normal(size).astype(dtype), np.asarray(1.0, dtype)


def swap(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A matrix of about ``size`` numbers, and the numbers of two rows."""
    x = _matrix(max(size, 2 * COLUMNS), dtype, rng)  # with one row they would be the same row
    return x, np.array([0, len(x) - 1], np.int32)


def ring(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A buffer of about ``size`` numbers, how many rows were written before, and a row."""
    buffer = _matrix(size, dtype, rng)
    written = np.int32(rng.integers(len(buffer), 3 * len(buffer)))
    return buffer, written, rng.standard_normal(COLUMNS).astype(dtype)


def bins(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """What the bins hold so far, the bins of ``size`` samples, and the weights of these."""
    weights = rng.random(size).astype(dtype)
    return rng.random(BINS).astype(dtype), rng.integers(BINS, size=size, dtype=np.int32), weights


def steps(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A matrix with a row for each step; about ``size`` numbers."""
    return (rng.standard_normal((STEPS, max(1, size // STEPS))).astype(dtype),)


def _matrix(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Any:
    return rng.standard_normal((max(1, size // COLUMNS), COLUMNS)).astype(dtype)


def _places(size: int, rng: np.random.Generator) -> Any:
    return rng.integers(min(4, size), size=TOUCHED, dtype=np.int32)
