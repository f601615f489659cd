"""The answers of the update examples, in NumPy and float64."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def set_rows(x: Array, index: Array, rows: Array) -> Array:
    """``x`` with some of its rows replaced."""
    y = x.copy()
    y[index] = rows
    return y


def add_at(x: Array, index: Array, updates: Array) -> Array:
    """``x`` with an update added each time its index occurs."""
    y = x.copy()
    np.add.at(y, index, updates)
    return y


def count_once(counts: Array, index: Array) -> Array:
    """``counts`` with 1 added at each index, however often it occurs."""
    y = counts.copy()
    y[np.unique(index)] += 1
    return y


def max_at(best: Array, index: Array, values: Array) -> Array:
    """``best``, or the largest value written to its index, if that is larger."""
    y = best.copy()
    np.maximum.at(y, index, values)
    return y


def cumulative_histogram(totals: Array, bins: Array, weights: Array) -> Array:
    """What a bin and all before it hold, once the samples' weights are added."""
    return np.cumsum(totals + np.bincount(bins, weights, len(totals)))


def clip_where(x: Array, limit: Array) -> Array:
    """``x``, nowhere more than the limit."""
    return np.minimum(x, limit)


def take_or_zero(x: Array, index: Array) -> Array:
    """The named elements, or zero; negative places count from the end."""
    return np.array([x[i] if -len(x) <= i < len(x) else 0.0 for i in index])


def put_or_drop(x: Array, index: Array, values: Array) -> Array:
    """``x`` with elements replaced; what goes to an index out of bounds is dropped."""
    y = x.copy()
    for i, value in zip(index, values, strict=True):
        if -len(x) <= i < len(x):
            y[i] = value
    return y


def swap_rows(x: Array, pair: Array) -> Array:
    """``x`` with two rows exchanged."""
    y = x.copy()
    y[pair] = x[pair[::-1]]
    return y


def ring_write(buffer: Array, written: Array, row: Array) -> Array:
    """``buffer`` with its oldest row overwritten."""
    y = buffer.copy()
    y[int(written) % len(buffer)] = row
    return y


def fill_rows(x: Array) -> Array:
    """Each row plus half of the result's row before it."""
    y = x.copy()
    for i in range(1, len(y)):
        y[i] += 0.5 * y[i - 1]
    return y


def drain(slots: Array, order: Array) -> tuple[Array, Array]:
    """What each visit finds, and the slots afterwards: a visit leaves zero behind."""
    y = slots.copy()
    found = []
    for position in order:
        found.append(y[position])
        y[position] = 0
    return np.array(found), y
