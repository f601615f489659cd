"""Rules of optimizers, and what surrounds them, as functions in PyTorch."""

from math import pi

import torch
from jaxtyping import Float, Int
from torch import Tensor

RATE, DECAY = 0.01, 0.1
LARGEST = 1.0
WARMUP, STEPS, END = 100, 1_000, 0.1


def nesterov_step(
    parameter: Float[Tensor, " n"], gradient: Float[Tensor, " n"], velocity: Float[Tensor, " n"]
) -> tuple[Float[Tensor, " n"], Float[Tensor, " n"]]:
    """Momentum that looks one step ahead."""
    velocity = 0.9 * velocity + gradient
    return parameter - RATE * (gradient + 0.9 * velocity), velocity


def adamw_step(
    parameter: Float[Tensor, " n"],
    gradient: Float[Tensor, " n"],
    mean: Float[Tensor, " n"],
    square: Float[Tensor, " n"],
    step: Int[Tensor, ""],
) -> tuple[Float[Tensor, " n"], Float[Tensor, " n"], Float[Tensor, " n"]]:
    """Adam with decoupled weight decay; the first step is number 1."""
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.999 * square + 0.001 * gradient**2
    count = step.to(parameter.dtype)
    unbiased = torch.sqrt(square / (1 - 0.999**count))
    change = mean / (1 - 0.9**count) / (unbiased + 1e-8)
    return parameter - RATE * (change + DECAY * parameter), mean, square


def rmsprop_step(
    parameter: Float[Tensor, " n"], gradient: Float[Tensor, " n"], square: Float[Tensor, " n"]
) -> tuple[Float[Tensor, " n"], Float[Tensor, " n"]]:
    """The gradient over the root of a running mean of its squares."""
    square = 0.99 * square + 0.01 * gradient**2
    return parameter - RATE * gradient / (torch.sqrt(square) + 1e-8), square


def lion_step(
    parameter: Float[Tensor, " n"], gradient: Float[Tensor, " n"], mean: Float[Tensor, " n"]
) -> tuple[Float[Tensor, " n"], Float[Tensor, " n"]]:
    """The sign of a mean, and decoupled weight decay."""
    change = torch.sign(0.9 * mean + 0.1 * gradient)
    return parameter - RATE * (change + DECAY * parameter), 0.99 * mean + 0.01 * gradient


def clip_by_global_norm(
    gradients: dict[str, Float[Tensor, "..."]],
) -> dict[str, Float[Tensor, "..."]]:
    """Scale all gradients by one factor, so that their joint norm is at most the limit."""
    norm = torch.nn.utils.get_total_norm(gradients.values())
    factor = torch.clamp(LARGEST / norm, max=1)
    return {name: gradient * factor for name, gradient in gradients.items()}


def warmup_cosine(step: Int[Tensor, ""], peak: Float[Tensor, ""]) -> Float[Tensor, ""]:
    """The learning rate of a step; the first step is number 0, and its rate is 0."""
    count = step.to(peak.dtype)
    progress = torch.clamp((count - WARMUP) / (STEPS - WARMUP), 0, 1)
    cosine = END + (1 - END) * (1 + torch.cos(pi * progress)) / 2
    return peak * torch.where(count < WARMUP, count / WARMUP, cosine)


def grouped_step(
    parameters: dict[str, Float[Tensor, "..."]], gradients: dict[str, Float[Tensor, "..."]]
) -> dict[str, Float[Tensor, "..."]]:
    """Gradient descent that decays matrices but not biases."""
    stepped = {}
    for name, parameter in parameters.items():
        decay = DECAY if parameter.ndim > 1 else 0.0
        stepped[name] = parameter - RATE * (gradients[name] + decay * parameter)
    return stepped
