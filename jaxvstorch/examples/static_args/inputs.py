"""Inputs of the static-argument examples: NumPy arrays, and the Python values that go with them."""

from typing import Any

import numpy as np

from jaxvstorch.examples.static_args import reference

Arguments = tuple[Any, ...]


def loss(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` predictions, their targets, and a Python bool."""
    robust = bool(rng.random() < 0.5)  # drawn first: one seed gives one flag at every size
    prediction, target = rng.standard_normal((2, size)).astype(dtype)
    return prediction, target, robust


def loss_where(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` predictions, their targets, and a boolean array without axes."""
    prediction, target, robust = loss(size, dtype, rng)
    return prediction, target, np.bool_(robust)


def activation(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers away from zero, where relu has no derivative."""
    return (_away_from_zero(size, dtype, rng),)


def gated(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, as many gates, and the activation of the gates as a function."""
    x = rng.standard_normal(size).astype(dtype)
    return x, _away_from_zero(size, dtype, rng), reference.tanh


def named(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, as many gates, and the name of the gates' activation."""
    x, gate, _ = gated(size, dtype, rng)
    return x, gate, "relu"


def samples(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """An offset from 0 to 1, and the number of samples to draw."""
    return dtype.type(rng.random()), size


def samples_like(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """An offset from 0 to 1, and an array with as many elements as samples are to be drawn."""
    return dtype.type(rng.random()), rng.standard_normal(size).astype(dtype)


def mean_over(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """About ``size`` positive numbers in four rows, and a tuple of axes."""
    return rng.uniform(1, 2, (4, max(1, size // 4))).astype(dtype), (1,)


def scaled(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and a Python float."""
    return rng.standard_normal(size).astype(dtype), float(rng.uniform(1, 2))


def _away_from_zero(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Any:
    signs = rng.choice([-1.0, 1.0], size)
    return (signs * rng.uniform(0.1, 2, size)).astype(dtype)
