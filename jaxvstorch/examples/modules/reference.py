"""The answers of the modules examples, in NumPy and float64."""

from math import erf
from typing import Any

import numpy as np

from jaxvstorch.examples.modules.weights import Weights

Array = np.ndarray[Any, Any]


def linear(x: Array, weight: Array, bias: Array) -> Array:
    """Each output is the product of a row of the weight with x, and a shift."""
    return np.einsum("ni,oi->no", x, weight) + bias


def conv2d(x: Array, weight: Array, bias: Array) -> Array:
    """Sum over the nine shifts of images with a border of zeros; no filter is flipped."""
    height, width = x.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    y = sum(
        np.einsum("nihw,oi->nohw", padded[:, :, a : a + height, b : b + width], weight[:, :, a, b])
        for a in range(3)
        for b in range(3)
    )
    return np.asarray(y + bias[:, None, None])


def conv2d_channels_last(x: Array, weight: Array, bias: Array) -> Array:
    """The same, with the channels moved to the front and back."""
    y = conv2d(x.transpose(0, 3, 1, 2), weight.transpose(3, 2, 0, 1), bias)
    return y.transpose(0, 2, 3, 1)


def batch_norm_train(
    x: Array, weight: Array, bias: Array, mean: Array, variance: Array
) -> tuple[Array, Array, Array]:
    """Each channel by its own statistics (Ioffe and Szegedy, 2015), and the new running ones."""
    pixels = x.transpose(1, 0, 2, 3).reshape(x.shape[1], -1)
    y = batch_norm_eval(x, weight, bias, pixels.mean(1), pixels.var(1))
    new_variance = 0.9 * variance + 0.1 * pixels.var(1, ddof=1)
    return y, 0.9 * mean + 0.1 * pixels.mean(1), new_variance


def batch_norm_eval(x: Array, weight: Array, bias: Array, mean: Array, variance: Array) -> Array:
    """Each channel less its mean, over the root of its variance, then scaled and shifted."""
    mean, variance, weight, bias = (v[:, None, None] for v in (mean, variance, weight, bias))
    return (x - mean) / np.sqrt(variance + 1e-5) * weight + bias


def dropout(x: Array, keep: Array, rate: float) -> Array:
    """What is kept, over the share of what is kept on average; zero elsewhere."""
    return keep * x / (1 - rate)


def _hidden(weights: Weights, h: Array) -> Array:
    h = linear(h.reshape(len(h), -1), weights["dense.weight"], weights["dense.bias"])
    h = (h - h.mean(1, keepdims=True)) / np.sqrt(h.var(1, keepdims=True) + 1e-5)
    h = h * weights["layer_norm.weight"] + weights["layer_norm.bias"]
    return h * (1 + np.vectorize(erf, otypes=[np.float64])(h / np.sqrt(2))) / 2


def network_train(
    weights: Weights, statistics: Weights, x: Array, keep: Array
) -> tuple[Array, Weights]:
    """The network by the batch's statistics and with dropout, and the new running statistics."""
    h = conv2d(x, weights["conv.weight"], weights["conv.bias"])
    running = statistics["norm.running_mean"], statistics["norm.running_var"]
    h, mean, variance = batch_norm_train(h, weights["norm.weight"], weights["norm.bias"], *running)
    y = linear(
        dropout(_hidden(weights, h), keep, 0.5), weights["head.weight"], weights["head.bias"]
    )
    return y, {"norm.running_mean": mean, "norm.running_var": variance}


def network_eval(weights: Weights, statistics: Weights, x: Array) -> Array:
    """The network by its running statistics, and without dropout."""
    h = conv2d(x, weights["conv.weight"], weights["conv.bias"])
    running = statistics["norm.running_mean"], statistics["norm.running_var"]
    h = batch_norm_eval(h, weights["norm.weight"], weights["norm.bias"], *running)
    return linear(_hidden(weights, h), weights["head.weight"], weights["head.bias"])


def tied_logits(embedding: Array, tokens: Array) -> Array:
    """The product of each token's vector, squashed, with the vectors of all tokens."""
    return np.tanh(embedding[tokens]) @ embedding.T
