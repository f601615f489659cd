"""Inputs of the examples on precision, as NumPy arrays."""

from math import isqrt
from typing import Any

import ml_dtypes
import numpy as np

FEATURES = 4
SCALE = 1024.0

Arguments = tuple[Any, ...]


def _normal(rng: np.random.Generator, dtype: np.dtype[Any], *shape: int) -> Any:
    return rng.standard_normal(shape).astype(dtype)


def _half(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """What a program in float32 keeps its activations in; float64 stays."""
    return np.dtype(ml_dtypes.bfloat16) if dtype == np.float32 else dtype


def network(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Parameters, a batch of about ``size`` numbers, and its targets."""
    n = max(1, size // FEATURES)
    parameters = {
        "w1": _normal(rng, dtype, FEATURES, 8),
        "b1": _normal(rng, dtype, 8),
        "w2": _normal(rng, dtype, 8, 2),
        "b2": _normal(rng, dtype, 2),
    }
    return parameters, _normal(rng, dtype, n, FEATURES), _normal(rng, dtype, n, 2)


def unsaturated(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The same with smaller weights: where tanh is near 1, its derivative is mostly rounding."""
    parameters, x, y = network(size, dtype, rng)
    return {name: value * dtype.type(0.25) for name, value in parameters.items()}, x, y


def rows(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """About ``size`` activations in bfloat16, and a scale and a shift in float32."""
    n = 3 + isqrt(size)  # the norm of two numbers hardly depends on them
    # No row is nearly constant: its norm would be mostly rounding.
    x = 0.5 * rng.standard_normal((max(1, size // n), n)) + np.linspace(-2, 2, n)
    return x.astype(_half(dtype)), _normal(rng, dtype, n), _normal(rng, dtype, n)


def matrices(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Two square matrices of about ``size`` numbers in bfloat16, and a bias in float32."""
    n = max(1, isqrt(size))
    x, w = (_normal(rng, _half(dtype), n, n) for _ in range(2))
    return x, w, _normal(rng, dtype, n)


def numbers(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers to add up."""
    return (_normal(rng, dtype, size),)


def regression(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Weights, a batch of about ``size`` numbers, its targets, and the scale of the loss."""
    n = max(1, size // FEATURES)
    batch = _normal(rng, dtype, n, FEATURES)
    return _normal(rng, dtype, FEATURES), batch, _normal(rng, dtype, n), dtype.type(SCALE)


def step(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Parameters, their scaled gradient, the scale, and how many steps were good.

    One element of the gradient is infinite where ``size`` is even.
    """
    parameters = {"w": _normal(rng, dtype, size), "b": _normal(rng, dtype, 1)}
    gradient = {"w": _normal(rng, dtype, size), "b": _normal(rng, dtype, 1)}
    if size % 2 == 0:
        gradient["w"][0] = np.inf
    return parameters, gradient, dtype.type(SCALE), np.int32(1)


def rounding(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, float32 whatever ``dtype`` is, and 16 random bits for each."""
    bits = rng.integers(0, 2**16, size).astype(np.int32)
    return _normal(rng, np.dtype(np.float32), size), bits
