"""Inputs of the examples on data, as NumPy arrays."""

from typing import Any

import numpy as np

SIDE, CHANNELS = 8, 3
CROP = 6
FEATURES, CLASSES = 4, 5
BATCH = 4

Arguments = tuple[Any, ...]


def _normal(rng: np.random.Generator, dtype: np.dtype[Any], *shape: int) -> Any:
    return rng.standard_normal(shape).astype(dtype)


def _count(size: int) -> int:
    return max(2, size // (SIDE * SIDE * CHANNELS))


def bytes_of_images(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Images of about ``size`` bytes in all, and each channel's mean and deviation."""
    images = rng.integers(0, 256, (_count(size), SIDE, SIDE, CHANNELS)).astype(np.uint8)
    mean = rng.uniform(0.3, 0.6, CHANNELS).astype(dtype)
    return images, mean, rng.uniform(0.2, 0.4, CHANNELS).astype(dtype)


def flips(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Images of about ``size`` numbers in all, and which of them to flip."""
    n = _count(size)
    return _normal(rng, dtype, n, SIDE, SIDE, CHANNELS), rng.integers(0, 2, n).astype(bool)


def crops(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Images of about ``size`` numbers in all, where each crop begins, and its side."""
    n = _count(size)
    tops, lefts = rng.integers(0, SIDE - CROP + 1, (2, n)).astype(np.int32)
    return _normal(rng, dtype, n, SIDE, SIDE, CHANNELS), tops, lefts, CROP


def epoch(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Examples of about ``size`` numbers in all, their order, and the size of a batch."""
    n = max(BATCH + 1, size // FEATURES)
    return _normal(rng, dtype, n, FEATURES), rng.permutation(n).astype(np.int32), BATCH


def mixing(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Examples of about ``size`` numbers, their targets, the others' order, and a weight."""
    n = max(2, size // FEATURES)
    targets = np.eye(CLASSES)[rng.integers(0, CLASSES, n)].astype(dtype)
    order, weight = rng.permutation(n).astype(np.int32), np.asarray(rng.beta(0.4, 0.4), dtype)
    return _normal(rng, dtype, n, FEATURES), targets, order, weight


def padded(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """About ``size`` logits, labels, and which rows are examples: the last ones are padding."""
    n = max(2, size // CLASSES)
    labels = rng.integers(0, CLASSES, n).astype(np.int32)
    return _normal(rng, dtype, n, CLASSES), labels, np.arange(n) < rng.integers(1, n)


def packed(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Which sequence each of ``size`` tokens is of, from 1 on; those of padding have 0."""
    starts = rng.integers(0, 4, max(2, size)) == 0
    segments = 1 + np.cumsum(starts)
    segments[len(segments) - len(segments) // 4 :] = 0
    return (segments.astype(np.int32),)


def square_of_packed(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The same, so that the square of the number of tokens is about ``size``."""
    return packed(int(size**0.5), dtype, rng)
