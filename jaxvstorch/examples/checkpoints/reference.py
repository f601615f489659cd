"""The answers of the examples on checkpoints, in NumPy and float64."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Named = dict[str, Array]

WARMUP, LAST, PEAK = 10, 100, 0.01


def mean_of_checkpoints(checkpoints: list[Named]) -> Named:
    """Name by name the mean."""
    return {name: np.mean([c[name] for c in checkpoints], axis=0) for name in checkpoints[0]}


def largest_difference(params: Named, others: Named) -> Array:
    """The largest distance of two numbers at one place."""
    return np.asarray(max(np.abs(params[name] - others[name]).max() for name in params))


def all_finite(params: Named) -> Array:
    """Whether no number is infinite or NaN."""
    return np.asarray(all(np.isfinite(x).all() for x in params.values()))


def grow_rows(table: Array, rows: int) -> Array:
    """The table, and below it the mean of its rows until there are enough."""
    new = np.repeat(table.mean(axis=0, keepdims=True), rows - len(table), axis=0)
    return np.concatenate([table, new])


def adamw_step(
    parameter: Array, gradient: Array, mean: Array, square: Array, count: Array, rate: Array
) -> tuple[Array, Array, Array, Array]:
    """The parameter, both moments and the count after one more step."""
    count = count + 1
    mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
    change = mean / (1 - 0.9**count) / (np.sqrt(square / (1 - 0.999**count)) + 1e-8)
    return parameter * (1 - rate * 1e-2) - rate * change, mean, square, np.asarray(count)


def rate_at(step: Array) -> Array:
    """A straight line up, then half a cosine down to 0."""
    gone = np.clip((step - WARMUP) / (LAST - WARMUP), 0, 1)
    return np.asarray(PEAK * np.minimum(step / WARMUP, 1) * (1 + np.cos(np.pi * gone)) / 2)


def dropout_gradient(weights: Array, x: Array, y: Array, kept: Array) -> Array:
    """The derivatives of the mean squared error by the chain rule."""
    x = np.where(kept, x, 0) * 2
    return np.asarray(2 / len(y) * (x @ weights - y) @ x)
