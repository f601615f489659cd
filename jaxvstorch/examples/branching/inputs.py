"""Inputs of the branching examples, as NumPy arrays."""

from typing import Any

import numpy as np


def select(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> tuple[Any, ...]:
    """A predicate, and a vector of ``size`` numbers."""
    return np.bool_(rng.random() < 0.5), rng.standard_normal(size).astype(dtype)
