"""Inputs of the examples on debugging, as NumPy arrays."""

from typing import Any

import numpy as np

Arguments = tuple[Any, ...]


def vector(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers."""
    return (rng.standard_normal(size).astype(dtype),)


def probabilities(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` probabilities, none of which is zero."""
    weights = rng.uniform(0.5, 1.5, size)
    return ((weights / weights.sum()).astype(dtype),)


def with_zeros(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` probabilities; every other one is zero."""
    weights = rng.uniform(0.5, 1.5, size) * (np.arange(size) % 2 == 0)
    return ((weights / weights.sum()).astype(dtype),)
