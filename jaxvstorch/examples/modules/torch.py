"""Layers and a network in PyTorch: functions of their weights."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

Weights = dict[str, Float[Tensor, "..."]]


def linear(
    x: Float[Tensor, "n in"], weight: Float[Tensor, "out in"], bias: Float[Tensor, " out"]
) -> Float[Tensor, "n out"]:
    """Apply a matrix with one row per output, as PyTorch stores it."""
    return F.linear(x, weight, bias)


def conv2d(
    x: Float[Tensor, "n in h w"], weight: Float[Tensor, "out in 3 3"], bias: Float[Tensor, " out"]
) -> Float[Tensor, "n out h w"]:
    """Convolve images whose channels come first."""
    return F.conv2d(x, weight, bias, padding="same")


def conv2d_channels_last(
    x: Float[Tensor, "n h w in"], weight: Float[Tensor, "3 3 in out"], bias: Float[Tensor, " out"]
) -> Float[Tensor, "n h w out"]:
    """Convolve images whose channels come last, by views whose channels come first."""
    y = F.conv2d(x.permute(0, 3, 1, 2), weight.permute(3, 2, 0, 1), bias, padding="same")
    return y.permute(0, 2, 3, 1)


def batch_norm_train(
    x: Float[Tensor, "n c h w"],
    weight: Float[Tensor, " c"],
    bias: Float[Tensor, " c"],
    mean: Float[Tensor, " c"],
    variance: Float[Tensor, " c"],
) -> tuple[Float[Tensor, "n c h w"], Float[Tensor, " c"], Float[Tensor, " c"]]:
    """Standardise each channel by the batch; return the new running statistics too."""
    mean, variance = mean.clone(), variance.clone()  # batch_norm writes into them
    y = F.batch_norm(x, mean, variance, weight, bias, training=True)
    return y, mean, variance


def batch_norm_eval(
    x: Float[Tensor, "n c h w"],
    weight: Float[Tensor, " c"],
    bias: Float[Tensor, " c"],
    mean: Float[Tensor, " c"],
    variance: Float[Tensor, " c"],
) -> Float[Tensor, "n c h w"]:
    """Standardise each channel by given statistics."""
    return F.batch_norm(x, mean, variance, weight, bias)


def dropout(
    x: Float[Tensor, "n d"], keep: Bool[Tensor, "n d"], rate: float
) -> Float[Tensor, "n d"]:
    """Keep what the mask says, and scale it up by what is lost on average."""
    return torch.where(keep, x / (1 - rate), 0)


def _hidden(weights: Weights, h: Tensor) -> Tensor:
    h = F.linear(h.flatten(1), weights["dense.weight"], weights["dense.bias"])
    scale, shift = weights["layer_norm.weight"], weights["layer_norm.bias"]
    return F.gelu(F.layer_norm(h, scale.shape, scale, shift))


def network_train(
    weights: Weights, statistics: Weights, x: Float[Tensor, "n c h w"], keep: Bool[Tensor, "n d"]
) -> tuple[Float[Tensor, "n out"], Weights]:
    """Apply the network as in training; return the new running statistics too."""
    h = conv2d(x, weights["conv.weight"], weights["conv.bias"])
    running = statistics["norm.running_mean"], statistics["norm.running_var"]
    h, mean, variance = batch_norm_train(h, weights["norm.weight"], weights["norm.bias"], *running)
    h = dropout(_hidden(weights, h), keep, 0.5)
    y = F.linear(h, weights["head.weight"], weights["head.bias"])
    return y, {"norm.running_mean": mean, "norm.running_var": variance}


def network_eval(
    weights: Weights, statistics: Weights, x: Float[Tensor, "n c h w"]
) -> Float[Tensor, "n out"]:
    """Apply the network as in evaluation: with its running statistics, without dropout."""
    h = conv2d(x, weights["conv.weight"], weights["conv.bias"])
    running = statistics["norm.running_mean"], statistics["norm.running_var"]
    h = batch_norm_eval(h, weights["norm.weight"], weights["norm.bias"], *running)
    return F.linear(_hidden(weights, h), weights["head.weight"], weights["head.bias"])


def tied_logits(
    embedding: Float[Tensor, "tokens d"], tokens: Int[Tensor, " n"]
) -> Float[Tensor, "n tokens"]:
    """Look tokens up, and score all tokens with the same tensor."""
    return F.linear(torch.tanh(F.embedding(tokens, embedding)), embedding)
