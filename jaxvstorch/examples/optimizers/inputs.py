"""Inputs of the examples on optimizers, as NumPy arrays."""

from math import isqrt
from typing import Any

import numpy as np

Arguments = tuple[Any, ...]


def _normal(rng: np.random.Generator, dtype: np.dtype[Any], *shape: int) -> Any:
    return rng.standard_normal(shape).astype(dtype)


def momentum(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A parameter of ``size`` numbers, its gradient, and a running mean or sum of gradients."""
    return tuple(_normal(rng, dtype, size) for _ in range(3))


def squares(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A parameter of ``size`` numbers, its gradient, and the running mean of its squares."""
    parameter, gradient = (_normal(rng, dtype, size) for _ in range(2))
    return parameter, gradient, rng.uniform(0.1, 1, size).astype(dtype)


def moments(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A parameter of ``size`` numbers, its gradient, both running means, and the step's number."""
    parameter, gradient, square = squares(size, dtype, rng)
    return parameter, gradient, _normal(rng, dtype, size), square, np.int32(3)


def gradients(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The gradients of a matrix of about ``size`` numbers and of its bias."""
    return (_layer(size, dtype, rng),)


def layer(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A matrix of about ``size`` numbers and its bias, and their gradients."""
    return _layer(size, dtype, rng), _layer(size, dtype, rng)


def step(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The number of a step, 0 for the first, and the largest learning rate; of any ``size``."""
    return np.int32(rng.integers(2_000)), rng.uniform(0.001, 0.1, ()).astype(dtype)


def _layer(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> dict[str, Any]:
    n = max(2, isqrt(size))
    return {"weight": _normal(rng, dtype, n, n), "bias": _normal(rng, dtype, n)}
