"""Inputs of the examples on porting, as NumPy arrays, named and laid out as in a state_dict."""

from typing import Any

import numpy as np

SIDE, CHANNELS, HIDDEN, CLASSES = 8, 8, 32, 10
FLAT = CHANNELS * (SIDE // 2) ** 2  # what the convolution leaves of an image

Arguments = tuple[Any, ...]
Named = dict[str, Any]


def _normal(rng: np.random.Generator, dtype: np.dtype[Any], *shape: int) -> Any:
    return rng.standard_normal(shape).astype(dtype)


def _batch(size: int) -> int:
    """A number of images with about ``size`` pixels."""
    return max(4, size // SIDE**2)


def norm(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Images of about ``size`` pixels, a scale, a shift, and the running mean and variance."""
    x = _normal(rng, dtype, _batch(size), CHANNELS, SIDE // 2, SIDE // 2)
    scale, shift, mean, var = (_normal(rng, dtype, CHANNELS) for _ in range(4))
    return x, scale, shift, mean, var * var


def scores(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """About ``size`` logits, and a label for each row of them."""
    n = max(2, size // CLASSES)
    return _normal(rng, dtype, n, CLASSES), rng.integers(0, CLASSES, n).astype(np.int32)


def heads(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Two heads of eight numbers at each position, about ``size`` in all, and four frequencies."""
    return _normal(rng, dtype, 1, max(2, size // 16), 2, 8), (0.1 ** np.arange(4)).astype(dtype)


def network(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Parameters, running statistics, and images of about ``size`` pixels."""
    images = _normal(rng, dtype, _batch(size), SIDE, SIDE)
    return _params(dtype, rng), _statistics(dtype, rng), images


def training(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Parameters, running statistics, velocity, images of about ``size`` pixels, and labels."""
    params, statistics, images = network(size, dtype, rng)
    labels = rng.integers(0, CLASSES, len(images)).astype(np.int32)
    return params, statistics, _params(dtype, rng), images, labels


def _params(dtype: np.dtype[Any], rng: np.random.Generator) -> Named:
    """In sorted order, which PyTorch keeps and JAX makes."""

    def draw(*shape: int) -> Any:
        return (rng.standard_normal(shape) / np.prod(shape[1:]) ** 0.5).astype(dtype)

    return {
        "batch_norm.bias": draw(CHANNELS),
        "batch_norm.weight": draw(CHANNELS),
        "conv.weight": draw(CHANNELS, 1, 3, 3),
        "hidden.bias": draw(HIDDEN),
        "hidden.weight": draw(HIDDEN, FLAT),
        "layer_norm.bias": draw(HIDDEN),
        "layer_norm.weight": draw(HIDDEN),
        "output.bias": draw(CLASSES),
        "output.weight": draw(CLASSES, HIDDEN),
    }


def _statistics(dtype: np.dtype[Any], rng: np.random.Generator) -> Named:
    mean, deviation = _normal(rng, dtype, CHANNELS), _normal(rng, dtype, CHANNELS)
    # No variance is near 0: what divides by it would be large, and so its rounding.
    variance = dtype.type(0.5) + deviation * deviation
    return {"batch_norm.running_mean": mean, "batch_norm.running_var": variance}
