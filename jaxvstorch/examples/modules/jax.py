"""Layers and a network in JAX: functions of their weights."""

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float, Int

Weights = dict[str, Float[Array, "..."]]


def linear(
    x: Float[Array, "n in"], weight: Float[Array, "out in"], bias: Float[Array, " out"]
) -> Float[Array, "n out"]:
    """Apply a matrix with one row per output, as PyTorch stores it."""
    return x @ weight.T + bias


def conv2d(
    x: Float[Array, "n in h w"], weight: Float[Array, "out in 3 3"], bias: Float[Array, " out"]
) -> Float[Array, "n out h w"]:
    """Convolve images whose channels come first, which is the default of ``lax`` too."""
    y = lax.conv_general_dilated(x, weight, window_strides=(1, 1), padding="SAME")
    return y + bias[:, None, None]


def conv2d_channels_last(
    x: Float[Array, "n h w in"], weight: Float[Array, "3 3 in out"], bias: Float[Array, " out"]
) -> Float[Array, "n h w out"]:
    """Convolve images whose channels come last, as flax stores them."""
    layouts = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, weight, (1, 1), "SAME", dimension_numbers=layouts) + bias


def batch_norm_train(
    x: Float[Array, "n c h w"],
    weight: Float[Array, " c"],
    bias: Float[Array, " c"],
    mean: Float[Array, " c"],
    variance: Float[Array, " c"],
) -> tuple[Float[Array, "n c h w"], Float[Array, " c"], Float[Array, " c"]]:
    """Standardise each channel by the batch; return the new running statistics too."""
    batch_mean, batch_variance = x.mean((0, 2, 3)), x.var((0, 2, 3))
    y = batch_norm_eval(x, weight, bias, batch_mean, batch_variance)
    count = x.size // x.shape[1]
    unbiased = batch_variance * (count / (count - 1))  # for the running variance alone
    return y, 0.9 * mean + 0.1 * batch_mean, 0.9 * variance + 0.1 * unbiased


def batch_norm_eval(
    x: Float[Array, "n c h w"],
    weight: Float[Array, " c"],
    bias: Float[Array, " c"],
    mean: Float[Array, " c"],
    variance: Float[Array, " c"],
) -> Float[Array, "n c h w"]:
    """Standardise each channel by given statistics."""
    scale = weight * lax.rsqrt(variance + 1e-5)
    return (x - mean[:, None, None]) * scale[:, None, None] + bias[:, None, None]


def dropout(x: Float[Array, "n d"], keep: Bool[Array, "n d"], rate: float) -> Float[Array, "n d"]:
    """Keep what the mask says, and scale it up by what is lost on average."""
    return jnp.where(keep, x / (1 - rate), 0)


def _hidden(weights: Weights, h: Array) -> Array:
    h = linear(h.reshape(len(h), -1), weights["dense.weight"], weights["dense.bias"])
    h = (h - h.mean(1, keepdims=True)) * lax.rsqrt(h.var(1, keepdims=True) + 1e-5)
    h = h * weights["layer_norm.weight"] + weights["layer_norm.bias"]
    return jax.nn.gelu(h, approximate=False)


def network_train(
    weights: Weights, statistics: Weights, x: Float[Array, "n c h w"], keep: Bool[Array, "n d"]
) -> tuple[Float[Array, "n out"], Weights]:
    """Apply the network as in training; return the new running statistics too."""
    h = conv2d(x, weights["conv.weight"], weights["conv.bias"])
    running = statistics["norm.running_mean"], statistics["norm.running_var"]
    h, mean, variance = batch_norm_train(h, weights["norm.weight"], weights["norm.bias"], *running)
    h = dropout(_hidden(weights, h), keep, 0.5)
    y = linear(h, weights["head.weight"], weights["head.bias"])
    return y, {"norm.running_mean": mean, "norm.running_var": variance}


def network_eval(
    weights: Weights, statistics: Weights, x: Float[Array, "n c h w"]
) -> Float[Array, "n out"]:
    """Apply the network as in evaluation: with its running statistics, without dropout."""
    h = conv2d(x, weights["conv.weight"], weights["conv.bias"])
    running = statistics["norm.running_mean"], statistics["norm.running_var"]
    h = batch_norm_eval(h, weights["norm.weight"], weights["norm.bias"], *running)
    return linear(_hidden(weights, h), weights["head.weight"], weights["head.bias"])


def tied_logits(
    embedding: Float[Array, "tokens d"], tokens: Int[Array, " n"]
) -> Float[Array, "n tokens"]:
    """Look tokens up, and score all tokens with the same array."""
    return jnp.tanh(embedding[tokens]) @ embedding.T
