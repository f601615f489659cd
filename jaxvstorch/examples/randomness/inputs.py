"""Inputs of the randomness examples: seeds, and random numbers that were drawn before.

Uniform numbers keep clear of 0 and 1, where a logarithm is infinite.
"""

from typing import Any

import numpy as np

Arguments = tuple[Any, ...]

WIDTH = 4  # of an example in a batch
VOCABULARY = 8
RATE = 0.25
STEP_SIZE = 1.0


def dropout(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, a seed, and the share that is dropped."""
    return rng.standard_normal(size).astype(dtype), _seed(rng), RATE


def masked(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, which of them are kept, and the share that is not."""
    return rng.standard_normal(size).astype(dtype), rng.random(size) >= RATE, RATE


def points(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A seed, and how many points to draw."""
    return _seed(rng), size


def batch(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Examples of four numbers, ``size`` numbers in all, and a seed."""
    return rng.standard_normal((max(1, size // WIDTH), WIDTH)).astype(dtype), _seed(rng)


def two_uniform(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` uniform numbers, twice."""
    return _uniform(size, dtype, rng), _uniform(size, dtype, rng)


def uniform_and_rate(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` uniform numbers, and the rate of an exponential distribution."""
    return _uniform(size, dtype, rng), dtype.type(rng.uniform(0.5, 2))


def logits(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Scores of eight classes, ``size`` in all, and a uniform number for each."""
    shape = (max(1, size // VOCABULARY), VOCABULARY)
    return rng.standard_normal(shape).astype(dtype), _uniform(shape, dtype, rng)


def normal(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` means, logarithms of standard deviations, and standard normal numbers."""
    mean, log_std, noise = rng.standard_normal((3, size)).astype(dtype)
    return mean, log_std, noise


def vector_and_noise(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` numbers, and a uniform number for each."""
    return rng.standard_normal(size).astype(dtype), _uniform(size, dtype, rng)


def chains(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Positions of ``size`` chains, a normal and a uniform number for each, and a step size."""
    position, noise = rng.standard_normal((2, size)).astype(dtype)
    return position, noise, _uniform(size, dtype, rng), STEP_SIZE


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def _uniform(shape: int | tuple[int, ...], dtype: np.dtype[Any], rng: np.random.Generator) -> Any:
    return rng.uniform(0.01, 0.99, shape).astype(dtype)
