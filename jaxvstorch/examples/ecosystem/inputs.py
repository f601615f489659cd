"""Inputs of the ecosystem examples, as NumPy arrays."""

from math import isqrt
from typing import Any

import numpy as np

CLASSES = 5
FEATURES = 8
KNOTS = 9
TAPS = 5
SEGMENTS = 4
STEPS = 4  # of conjugate gradients; fewer than a matrix has rows, so that none is at its end

Arguments = tuple[Any, ...]


def classes(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Scores of five classes for each example, ``size`` in all, and the right classes."""
    examples = -(-size // CLASSES)
    labels = rng.integers(CLASSES, size=examples, dtype=np.int32)
    return _normal(rng, dtype, examples, CLASSES), labels


def rows(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Rows of eight features, ``size`` numbers in all, with a scale and a shift of each feature."""
    x = _normal(rng, dtype, -(-size // FEATURES), FEATURES)
    return x, rng.uniform(0.5, 2, FEATURES).astype(dtype), _normal(rng, dtype, FEATURES)


def normal(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and the mean and the scale of each one's normal distribution."""
    x, mean = (_normal(rng, dtype, size) for _ in range(2))
    return x, mean, rng.uniform(0.5, 2, size).astype(dtype)


def predicted(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and what they should have been; some are far from it."""
    return 2 * _normal(rng, dtype, size), _normal(rng, dtype, size)


def knots(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` positions, some of them outside, and nine knots with their values."""
    x = rng.uniform(-1, KNOTS, size).astype(dtype)
    return x, np.arange(KNOTS, dtype=dtype), _normal(rng, dtype, KNOTS)


def signal(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A signal of ``size`` numbers, five at least, and a kernel of five."""
    return _normal(rng, dtype, max(TAPS, size)), _normal(rng, dtype, TAPS)


def system(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A symmetric positive matrix of about ``size`` numbers, a right-hand side, and steps."""
    n = max(2 * STEPS, isqrt(size))
    root = rng.standard_normal((n, n)) / n**0.5
    return (root @ root.T + np.eye(n)).astype(dtype), _normal(rng, dtype, n), STEPS


def optimizer(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A parameter of ``size`` numbers, its gradient, both running means, and the step's number."""
    parameter, gradient, mean = (_normal(rng, dtype, size) for _ in range(3))
    return parameter, gradient, mean, rng.uniform(0.1, 1, size).astype(dtype), np.int32(3)


def segments(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` rows of three numbers, the segment of each, and how many segments there are."""
    return _normal(rng, dtype, size, 3), rng.integers(SEGMENTS, size=size, dtype=np.int32), SEGMENTS


def curve(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The values of a curve at ``size`` positions, and the positions."""
    return _normal(rng, dtype, size), np.sort(rng.uniform(0, 1, size)).astype(dtype)


def _normal(rng: np.random.Generator, dtype: np.dtype[Any], *shape: int) -> Any:
    return rng.standard_normal(shape).astype(dtype)
