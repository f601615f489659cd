"""The answers of the examples on porting, in NumPy and float64."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Named = dict[str, Array]

DECAY, EPSILON = 0.9, 1e-5
RATE, MOMENTUM = 0.1, 0.9


def batch_norm(
    x: Array, weight: Array, bias: Array, mean: Array, var: Array
) -> tuple[Array, Array, Array]:
    """Normalized by the batch, and the running statistics, whose variance is unbiased."""
    standard, _ = _standardize(x, (0, 2, 3))
    out = standard * weight[:, None, None] + bias[:, None, None]
    unbiased = x.var((0, 2, 3), ddof=1)
    return out, _average(mean, x.mean((0, 2, 3))), _average(var, unbiased)


def forward(params: Named, statistics: Named, images: Array) -> tuple[Array, Named]:
    """The logits in training, and the new running statistics."""
    mean, var = statistics["batch_norm.running_mean"], statistics["batch_norm.running_var"]
    weight, bias = params["batch_norm.weight"], params["batch_norm.bias"]
    x, mean, var = batch_norm(_convolve(params, images), weight, bias, mean, var)
    return _head(params, x)[-1], {"batch_norm.running_mean": mean, "batch_norm.running_var": var}


def predict(params: Named, statistics: Named, images: Array) -> Array:
    """The logits in evaluation."""
    mean, var = (statistics[f"batch_norm.running_{name}"] for name in ("mean", "var"))
    factor = params["batch_norm.weight"] / np.sqrt(var + EPSILON)
    x = _convolve(params, images) - mean[:, None, None]
    return _head(params, x * factor[:, None, None] + params["batch_norm.bias"][:, None, None])[-1]


def cross_entropy(logits: Array, labels: Array) -> Array:
    """The mean over the images of minus the log-probability of the label."""
    return np.asarray(-np.log(_softmax(logits))[np.arange(len(labels)), labels].mean())


def accuracy(logits: Array, labels: Array) -> Array:
    """The fraction of the images whose largest logit is the label's."""
    return np.asarray((logits.argmax(axis=1) == labels).mean())


def train_step(
    params: Named, statistics: Named, velocity: Named, images: Array, labels: Array
) -> tuple[Named, Named, Named, Array]:
    """Parameters, statistics and velocity after one step, and the loss before it."""
    logits, new = forward(params, statistics, images)
    grads = _gradients(params, images, labels)
    velocity = {name: MOMENTUM * v + grads[name] for name, v in velocity.items()}
    params = {name: p - RATE * velocity[name] for name, p in params.items()}
    return params, new, velocity, cross_entropy(logits, labels)


def _gradients(params: Named, images: Array, labels: Array) -> Named:
    """The backward pass by hand."""
    grads = {}
    x, deviation = _standardize(_convolve(params, images), (0, 2, 3))
    scaled = x * params["batch_norm.weight"][:, None, None]
    scaled = scaled + params["batch_norm.bias"][:, None, None]
    flat, hidden, spread, active, logits = _head(params, scaled)
    g = _softmax(logits)
    g[np.arange(len(labels)), labels] -= 1
    g = g / len(labels)
    grads["output.weight"], grads["output.bias"] = g.T @ active, g.sum(0)
    g = g @ params["output.weight"] * (active > 0)
    grads["layer_norm.weight"], grads["layer_norm.bias"] = (g * hidden).sum(0), g.sum(0)
    g = _standardized_backward(g * params["layer_norm.weight"], hidden, spread, (1,))
    grads["hidden.weight"], grads["hidden.bias"] = g.T @ flat, g.sum(0)
    g = (g @ params["hidden.weight"]).reshape(x.shape) * (scaled > 0)
    grads["batch_norm.weight"] = (g * x).sum((0, 2, 3))
    grads["batch_norm.bias"] = g.sum((0, 2, 3))
    g = g * params["batch_norm.weight"][:, None, None]
    g = _standardized_backward(g, x, deviation, (0, 2, 3))
    grads["conv.weight"] = np.einsum("nohw,nhwij->oij", g, _patches(images))[:, None]
    return grads


def _patches(images: Array) -> Array:
    """For each place of the kernel, which moves by two, the pixels under it."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    return np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))[:, ::2, ::2]


def _convolve(params: Named, images: Array) -> Array:
    return np.einsum("nhwij,oij->nohw", _patches(images), params["conv.weight"][:, 0])


def rotate(x: Array, frequencies: Array) -> Array:
    """Complex numbers, whose real parts are the first half, turned by an angle."""
    first, second = np.split(x, 2, axis=-1)
    angles = np.arange(x.shape[1])[:, None, None] * frequencies
    turned = (first + 1j * second) * np.exp(1j * angles)
    return np.concatenate([turned.real, turned.imag], axis=-1)


def _head(params: Named, x: Array) -> tuple[Array, ...]:
    """What follows batch norm: each intermediate, and at last the logits."""
    flat = np.maximum(x, 0).reshape(len(x), -1)
    hidden, spread = _standardize(flat @ params["hidden.weight"].T + params["hidden.bias"], (1,))
    active = np.maximum(hidden * params["layer_norm.weight"] + params["layer_norm.bias"], 0)
    return flat, hidden, spread, active, active @ params["output.weight"].T + params["output.bias"]


def _standardize(x: Array, axes: tuple[int, ...]) -> tuple[Array, Array]:
    spread = np.sqrt(x.var(axes, keepdims=True) + EPSILON)
    return (x - x.mean(axes, keepdims=True)) / spread, spread


def _standardized_backward(g: Array, out: Array, spread: Array, axes: tuple[int, ...]) -> Array:
    mean, along = g.mean(axes, keepdims=True), (g * out).mean(axes, keepdims=True)
    return np.asarray((g - mean - out * along) / spread)


def _average(old: Array, new: Array) -> Array:
    return DECAY * old + (1 - DECAY) * new


def _softmax(logits: Array) -> Array:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
