"""Branching in PyTorch."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor


def select_if(predicate: Bool[Tensor, ""], x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Choose with a Python ``if``: it needs the value, so ``torch.compile`` breaks the graph."""
    if predicate:
        return torch.sin(x)
    return x * x


def select_cond(predicate: Bool[Tensor, ""], x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Choose while the program runs; only the branch taken is computed."""
    return torch.cond(predicate, torch.sin, lambda x: x * x, (x,))


def select_where(predicate: Bool[Tensor, ""], x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Compute both branches, then choose element by element."""
    return torch.where(predicate, torch.sin(x), x * x)
