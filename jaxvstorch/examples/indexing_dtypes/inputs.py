"""Inputs of the examples on indexing and dtypes, as NumPy arrays."""

from math import isqrt
from typing import Any

import numpy as np

COLUMNS = 4
SEGMENTS = 4  # segment 2 has no score
STEP = 2

Arguments = tuple[Any, ...]


def _normal(rng: np.random.Generator, dtype: np.dtype[Any], *shape: int) -> Any:
    return rng.standard_normal(shape).astype(dtype)


def picked(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A matrix of about ``size`` numbers, and a column for each row; half count from the end."""
    n = max(1, size // COLUMNS)
    columns = rng.integers(-COLUMNS, COLUMNS, n, dtype=np.int32)
    return _normal(rng, dtype, n, COLUMNS), columns


def outside(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and places of which some lie outside at either end."""
    places = np.array([0, -1, size, -size - 1, 2 * size + size // 2], np.int32)
    return _normal(rng, dtype, size), places


def heads(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """An array of three axes with about ``size`` numbers, and some of its last columns."""
    x = _normal(rng, dtype, 2, 3, max(2, size // 6))  # Inductor fails on the gradient for one
    return x, rng.integers(x.shape[2], size=COLUMNS, dtype=np.int32)


def steps(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers and a step."""
    return _normal(rng, dtype, size), STEP


def segments(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` scores, the segment of each, and how many segments there are."""
    labels = rng.choice([0, 1, 3], size).astype(np.int32)
    return _normal(rng, dtype, size), labels, SEGMENTS


def integers(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` integers of either sign, and as many divisors, of which some are zero."""
    return tuple(rng.integers(-top, top + 1, size, dtype=np.int32) for top in (99, 3))


def scaled(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and a scale without dimensions that keeps at least float32."""
    wide = np.float64 if dtype == np.float64 else np.float32
    return _normal(rng, dtype, size), np.asarray(rng.standard_normal(), wide)


def pixels(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers in and around the range of a byte, none a half; some far outside."""
    x = rng.integers(-100, 400, size) + 0.25
    x[: size // 4] = np.resize([np.inf, -np.inf, 1e20, -1e20], size // 4)
    return (x.astype(np.float32),)


def matrices(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Two square matrices of about ``size`` numbers in all, in float32 whatever the dtype."""
    n = max(1, isqrt(size // 2))
    return tuple(_normal(rng, np.dtype(np.float32), n, n) for _ in range(2))
