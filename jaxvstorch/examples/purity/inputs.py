"""Inputs of the purity examples: a vector, and what else a function reads or writes."""

import os
from typing import Any

import numpy as np

Arguments = tuple[Any, ...]


def vector(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers."""
    return (rng.standard_normal(size).astype(dtype),)


def vector_and_dict(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and an empty dictionary to write into."""
    return rng.standard_normal(size).astype(dtype), {}


def vector_and_scale(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and one more."""
    return rng.standard_normal(size).astype(dtype), dtype.type(rng.uniform(1, 2))


def file(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and the path of a file, which is empty."""
    return rng.standard_normal(size).astype(dtype), os.devnull
