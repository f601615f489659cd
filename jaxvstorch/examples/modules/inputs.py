"""Inputs of the modules examples, as NumPy arrays; sizes count examples, or tokens."""

from typing import Any

import numpy as np

from jaxvstorch.examples.modules import weights as network
from jaxvstorch.examples.modules.weights import CHANNELS, FILTERS, HIDDEN, RATE, SIDE

FEATURES, OUTPUTS, TOKENS = 8, 6, 5

Arguments = tuple[Any, ...]


def rows(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` rows of eight features, a weight with a row for each of six outputs, a bias."""
    x = _normal(rng, dtype, size, FEATURES)
    return x, _normal(rng, dtype, OUTPUTS, FEATURES), _normal(rng, dtype, OUTPUTS)


def images(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` images with their channels first, filters, and a bias."""
    x = _normal(rng, dtype, size, CHANNELS, SIDE, SIDE)
    return x, _normal(rng, dtype, FILTERS, CHANNELS, 3, 3), _normal(rng, dtype, FILTERS)


def images_channels_last(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` images with their channels last, filters with theirs last, and a bias."""
    x, weight, bias = images(size, dtype, rng)
    return x.transpose(0, 2, 3, 1).copy(), weight.transpose(2, 3, 1, 0).copy(), bias


def channels(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` images, and for each channel a scale, a shift, a running mean and variance."""
    x = 1 + 2 * _normal(rng, dtype, size, CHANNELS, SIDE, SIDE)
    scale, variance = (rng.uniform(0.5, 2, CHANNELS).astype(dtype) for _ in range(2))
    return x, scale, _normal(rng, dtype, CHANNELS), _normal(rng, dtype, CHANNELS), variance


def hidden(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """``size`` rows of eight features, those that are kept, and the rate of the others."""
    return _normal(rng, dtype, size, HIDDEN), rng.random((size, HIDDEN)) >= RATE, RATE


def evaluating(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The network's parameters, its running statistics, and ``size`` images."""
    made = network.make(int(rng.integers(2**31)), dtype)
    x = _normal(rng, dtype, size, CHANNELS, SIDE, SIDE)
    parameters = {name: made[name] for name in network.PARAMETERS}
    return parameters, {name: made[name] for name in network.STATISTICS}, x


def training(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The same, and the hidden features that dropout keeps."""
    return *evaluating(size, dtype, rng), rng.random((size, HIDDEN)) >= RATE


def tokens(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A vector for each of five tokens, and ``size`` tokens; some come more than once."""
    return _normal(rng, dtype, TOKENS, FEATURES), rng.integers(TOKENS, size=size, dtype=np.int32)


def _normal(rng: np.random.Generator, dtype: np.dtype[Any], *shape: int) -> Any:
    return rng.standard_normal(shape).astype(dtype)
