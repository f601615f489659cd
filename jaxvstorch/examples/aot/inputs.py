"""Inputs of the examples that are compiled ahead, as NumPy arrays."""

from typing import Any

import numpy as np

# The widths of layers, rows of a table, taps of a filter, and the Python numbers.
FEATURES, HIDDEN, CLASSES = 4, 8, 3
VOCABULARY = 10
TAPS = 3
RECENT, GAIN = 2, 0.5

Arguments = tuple[Any, ...]


def network(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The parameters of two layers, and a batch of about ``size`` numbers."""
    params = {
        "hidden": rng.standard_normal((FEATURES, HIDDEN)) / 2,
        "bias": rng.standard_normal(HIDDEN),
        "output": rng.standard_normal((HIDDEN, CLASSES)) / 2,
    }
    return {name: p.astype(dtype) for name, p in params.items()}, _rows(size, dtype, rng)


def batch(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Rows of about ``size`` numbers in all."""
    return (_rows(size, dtype, rng),)


def even_batch(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """An even number of rows, of about ``size`` numbers in all; no two numbers are equal."""
    rows = 2 * max(1, size // (2 * FEATURES))
    numbers = rng.permutation(rows * FEATURES).reshape(rows, FEATURES)
    return ((numbers / numbers.size - 0.5).astype(dtype),)


def tokens(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A table with a row for each word, and ``size`` numbers of words."""
    table = rng.standard_normal((VOCABULARY, FEATURES)).astype(dtype)
    return table, rng.integers(VOCABULARY, size=size, dtype=np.int32)


def signal(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A signal of ``size`` numbers, or as many as the filter has, and the filter's taps."""
    numbers = rng.standard_normal(max(size, TAPS)).astype(dtype)
    return numbers, rng.standard_normal(TAPS).astype(dtype)


def track(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` positions and speeds, their covariances, and the observed positions."""
    root = rng.standard_normal((size, 2, 2))
    covariance = root @ root.swapaxes(1, 2) + np.eye(2)
    mean, observed = rng.standard_normal((size, 2)), rng.standard_normal(size)
    return mean.astype(dtype), covariance.astype(dtype), observed.astype(dtype)


def two_sets(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """About ``size`` numbers as rows, and three more rows of the same width."""
    return _rows(size, dtype, rng), rng.standard_normal((3, FEATURES)).astype(dtype)


def recent(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A series of ``size`` numbers, two at least, and how many of the last ones count."""
    return rng.standard_normal(max(size, RECENT)).astype(dtype), RECENT


def amplified(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and a Python number."""
    return rng.standard_normal(size).astype(dtype), GAIN


def _rows(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Any:
    return rng.standard_normal((max(1, size // FEATURES), FEATURES)).astype(dtype)
