"""Arguments that decide what is computed, in PyTorch.

You need not tell ``torch.compile`` which they are: it guards on every Python value that it used.
"""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor


def loss(
    prediction: Float[Tensor, " n"], target: Float[Tensor, " n"], robust: bool
) -> Float[Tensor, ""]:
    """Mean squared error, damped for outliers if ``robust``: a flag that Python decides on."""
    squares = (prediction - target) ** 2
    if robust:
        squares = torch.log1p(squares)
    return squares.mean()


def loss_where(
    prediction: Float[Tensor, " n"], target: Float[Tensor, " n"], robust: Bool[Tensor, ""]
) -> Float[Tensor, ""]:
    """The same with the flag as a tensor: both sides are in the program, one is kept."""
    squares = (prediction - target) ** 2
    return torch.where(robust, torch.log1p(squares), squares).mean()


def relu(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """The positive part."""
    return torch.clamp(x, min=0)


def tanh(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """The hyperbolic tangent."""
    return torch.tanh(x)


def gated(
    x: Float[Tensor, " n"], gate: Float[Tensor, " n"], activation: Callable[[Tensor], Tensor]
) -> Float[Tensor, " n"]:
    """Multiply ``x`` by its activated gate (a gated linear unit); the activation is a function."""
    return x * activation(gate)


_ACTIVATIONS = {"relu": relu, "tanh": tanh}


def gated_by_name(
    x: Float[Tensor, " n"], gate: Float[Tensor, " n"], name: str
) -> Float[Tensor, " n"]:
    """The same with the activation given by name.

    Raises:
        KeyError: there is no activation of that name.
    """
    return x * _ACTIVATIONS[name](gate)


def samples(offset: Float[Tensor, ""], num_samples: int) -> Float[Tensor, " num_samples"]:
    """Draw one number from each of ``num_samples`` equal parts of the unit interval."""
    parts = torch.arange(num_samples, dtype=offset.dtype, device=offset.device)
    return (parts + offset) / num_samples


def samples_like(offset: Float[Tensor, ""], like: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """The same, as many as ``like`` has elements: its shape is a guard, and then a symbol."""
    return samples(offset, like.shape[0])


def mean_over(x: Float[Tensor, "..."], axes: Sequence[int]) -> Float[Tensor, "..."]:
    """Mean over some axes, a tuple or a list: ``torch.compile`` guards on what is in it."""
    return x.mean(dim=tuple(axes))


def scaled(x: Float[Tensor, " n"], factor: float) -> Float[Tensor, " n"]:
    """Multiply by a Python number: its second value makes it an input of the graph."""
    return factor * x
