"""Inputs of the examples on checkpoints, as NumPy arrays in flat dicts."""

from typing import Any

import numpy as np

Arguments = tuple[Any, ...]
Named = dict[str, Any]

CHECKPOINTS = 3
WIDTH = 4
NEW_ROWS = 3
STEP = 3
RATE = 0.01


def checkpoints(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A list of three checkpoints of about ``size`` numbers each."""
    return ([_named(size, dtype, rng) for _ in range(CHECKPOINTS)],)


def two(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Two checkpoints of about ``size`` numbers."""
    return _named(size, dtype, rng), _named(size, dtype, rng)


def one(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A checkpoint of about ``size`` numbers; by chance one is infinite."""
    named = _named(size, dtype, rng)
    if rng.random() < 0.5:
        named["layer.bias"][0] = np.inf
    return (named,)


def table(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A table of about ``size`` numbers, and how many rows it is to have."""
    rows = max(1, size // WIDTH)
    return rng.standard_normal((rows, WIDTH)).astype(dtype), rows + NEW_ROWS


def optimizer(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A parameter of ``size`` numbers, its gradient, both moments, the steps taken, and a rate."""
    parameter, gradient, mean, square = rng.standard_normal((4, size)).astype(dtype)
    return parameter, gradient, mean, square**2, np.int32(STEP), dtype.type(RATE)


def step(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The number of a step, up to ``size`` of them after the first."""
    return (dtype.type(rng.integers(0, size + 1)),)


def batch(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Weights, a batch of about ``size`` numbers, its targets, and which inputs are kept."""
    n = max(1, size // WIDTH)
    weights, x = rng.standard_normal(WIDTH).astype(dtype), rng.standard_normal((n, WIDTH))
    return weights, x.astype(dtype), rng.standard_normal(n).astype(dtype), rng.random(x.shape) < 0.5


def _named(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Named:
    """A layer under the names that ``state_dict`` gives it."""
    rows = max(1, size // (WIDTH + 1))
    weight, bias = rng.standard_normal((rows, WIDTH)), rng.standard_normal(rows)
    return {"layer.bias": bias.astype(dtype), "layer.weight": weight.astype(dtype)}
