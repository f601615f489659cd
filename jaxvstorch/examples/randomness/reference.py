"""The answers of the randomness examples that take their random numbers as arguments, by NumPy."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def dropout_with_mask(x: Array, keep: Array, rate: float) -> Array:
    """What is kept, scaled so that the mean stays; zero elsewhere."""
    return np.where(keep, x / (1 - rate), 0)


def box_muller(u: Array, v: Array) -> tuple[Array, Array]:
    """Two independent standard normal numbers from two uniform ones (Box and Muller 1958)."""
    normal = np.sqrt(-2 * np.log(u)) * np.exp(2j * np.pi * v)
    return normal.real, normal.imag


def exponential_from_uniform(uniform: Array, rate: Array) -> Array:
    """The inverse of the distribution function ``1 - exp(-rate * x)``."""
    return -np.log(1 - uniform) / rate


def gumbel_max(logits: Array, uniform: Array) -> Array:
    """The class whose score is largest, once Gumbel noise is added."""
    return np.argmax(logits - np.log(-np.log(uniform)), axis=-1)


def shuffle_by_noise(x: Array, noise: Array) -> Array:
    """The numbers in the order of their noise."""
    return np.array([number for _, number in sorted(zip(noise, x, strict=True))])


def reparameterized_normal(mean: Array, log_std: Array, noise: Array) -> Array:
    """A normal number of that mean and standard deviation."""
    return mean + np.exp(log_std) * noise


def metropolis_step(position: Array, noise: Array, uniform: Array, step_size: float) -> Array:
    """Accept a proposal with the ratio of its normal density to the old one's, at most 1."""
    proposal = position + step_size * noise
    ratio = np.exp(-(proposal**2) / 2) / np.exp(-(position**2) / 2)
    return np.where(uniform < ratio, proposal, position)
