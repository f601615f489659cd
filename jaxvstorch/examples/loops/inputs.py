"""Inputs of the loop examples, as NumPy arrays and Python integers.

The numbers of steps are small and fixed, because unrolled loops compile step by step. Only the work
of one step grows with ``size``.
"""

from typing import Any

import numpy as np

Arguments = tuple[Any, ...]

NUM_STEPS = 10


def evolve(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` states, and the number of steps as a Python integer."""
    return rng.standard_normal(size).astype(dtype), NUM_STEPS


def evolve_while(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The same with the number of steps as an array without axes."""
    state, num_steps = evolve(size, dtype, rng)
    return state, np.int32(num_steps)


def sqrt(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` positive numbers."""
    return (rng.uniform(0.1, 10, size).astype(dtype),)


def density(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` points, and eight centres."""
    return rng.standard_normal(size).astype(dtype), rng.standard_normal(8).astype(dtype)


def recurrence(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Decays and inputs of about ``size`` elements each: sixteen steps of some channels."""
    shape = (16, max(1, size // 16))
    return rng.uniform(0.5, 1, shape).astype(dtype), rng.standard_normal(shape).astype(dtype)
