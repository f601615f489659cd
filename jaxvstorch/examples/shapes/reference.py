"""The answers of the shape examples, in NumPy and float64."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def center(x: Array) -> Array:
    """``x`` without its mean."""
    return x - np.mean(x)


def scale_by_length(x: Array) -> Array:
    """``x`` divided by its length, or by eight if that is more."""
    return x / max(len(x), 8)


def pad_to_bucket(x: Array) -> Array:
    """``x`` with zeros behind it, up to 16 numbers or the next power of two."""
    bucket = 16
    while bucket < len(x):
        bucket *= 2
    return np.pad(x, (0, bucket - len(x)))


def center_padded(x: Array, length: Array) -> Array:
    """The first ``length`` numbers without their mean; zeros behind them."""
    kept = center(x[:length])
    return np.pad(kept, (0, len(x) - len(kept)))


def masked_softmax(scores: Array, lengths: Array) -> Array:
    """The softmax of the first numbers of each row, as many as its length says; then zeros."""
    result = np.zeros_like(scores)
    for row, length, out in zip(scores, lengths, result, strict=True):
        powers = np.exp(row[:length] - row[:length].max())
        out[:length] = powers / powers.sum()
    return result


def project(x: Array, weights: Array) -> Array:
    """A product of matrices."""
    return x @ weights


def sliding_windows(x: Array, width: int) -> Array:
    """Each run of ``width`` neighbors, as a row."""
    return np.lib.stride_tricks.sliding_window_view(x, width)


def top_scores(scores: Array, count: int) -> Array:
    """The largest numbers of each row, the largest first."""
    return -np.sort(-scores, axis=-1)[:, :count]


def select_mask(x: Array, mask: Array) -> Array:
    """The numbers that the mask selects."""
    return x[mask]


def mean_selected(x: Array, mask: Array) -> Array:
    """The mean of the numbers that the mask selects."""
    return np.asarray(np.mean(x[mask]))


def positive_places(x: Array, size: int) -> Array:
    """Where ``x`` is positive: the first ``size`` places, filled up with -1."""
    places = np.flatnonzero(x > 0)[:size]
    return np.pad(places, (0, size - len(places)), constant_values=-1)


def select_positive(x: Array, size: int) -> tuple[Array, Array]:
    """The first ``size`` positive numbers, filled up with zeros, and how many there are in all."""
    positive = x[x > 0]
    kept = positive[:size]
    return np.pad(kept, (0, size - len(kept))), np.asarray(len(positive))


def unique_padded(labels: Array, size: int) -> tuple[Array, Array]:
    """The smallest labels, each once, and how often each occurs; filled up with -1 and 0."""
    values, counts = (found[:size] for found in np.unique(labels, return_counts=True))
    missing = (0, size - len(values))
    return np.pad(values, missing, constant_values=-1), np.pad(counts, missing)


def ragged_sums(values: Array, lengths: Array) -> Array:
    """The sum of each group of neighbors."""
    return np.array([group.sum() for group in np.split(values, np.cumsum(lengths)[:-1])])
