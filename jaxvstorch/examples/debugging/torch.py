"""A gradient printed from a compiled function, and functions with a NaN to find, in PyTorch."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch._higher_order_ops import print as graph_print


def print_gradient(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Return ``x``; the backward pass prints the gradient that arrives here."""
    if x.requires_grad:
        x.register_hook(_print)
    return x


def _print(gradient: Float[Tensor, " n"]) -> None:
    graph_print("gradient: {}", gradient)


def entropy(p: Float[Tensor, " n"]) -> Float[Tensor, ""]:
    """The entropy in nats. A zero makes it NaN: the logarithm is -inf, and 0 times -inf is NaN."""
    logs = torch.log(p)
    return -(p * logs).sum()


def entropy_where(p: Float[Tensor, " n"]) -> Float[Tensor, ""]:
    """The same, right for zeros too. But its gradient is NaN there."""
    logs = torch.log(p)
    return -torch.where(p > 0, p * logs, 0).sum()


def entropy_safe(p: Float[Tensor, " n"]) -> Float[Tensor, ""]:
    """The same, with a gradient of 0 for zeros: they do not reach the logarithm."""
    logs = torch.log(torch.where(p > 0, p, 1))
    return -(p * logs).sum()
