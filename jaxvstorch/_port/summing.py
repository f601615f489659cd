"""What adds numbers up: it rounds by their size, however small their sum is."""

from collections.abc import Iterable
from typing import Any

import torch

from jaxvstorch._port.map.running.values import leaves

_SUMS = frozenset({
    "torch.add", "torch.cumsum", "torch.diff", "torch.mean", "torch.sub", "torch.sum",
    "add", "add_any", "cumsum", "reduce_sum", "reduce_window_sum", "scatter-add", "sub",
})  # fmt: skip
_PRODUCTS = frozenset({
    "torch.bmm", "torch.dot", "torch.einsum", "torch.matmul", "torch.mm", "torch.mv",
    "torch.nn.functional.conv1d", "torch.nn.functional.conv2d", "torch.nn.functional.conv3d",
    "torch.nn.functional.linear", "conv_general_dilated", "dot_general",
})  # fmt: skip


def size_of_terms(name: str, inputs: Iterable[Any]) -> float:
    """How large the numbers are that a call adds up; 0 of what adds none.

    Args:
        name: of a PyTorch function as the map has it, or of an operation of a jaxpr.
        inputs: of the call, in PyTorch.
    """
    if name not in _SUMS | _PRODUCTS:
        return 0.0
    found = [x for value in inputs for x in leaves(value) if isinstance(x, torch.Tensor)]
    sizes = [_largest(x) for x in found if x.is_floating_point() and x.numel()]
    if not sizes:
        return 0.0
    if name in _SUMS:
        return max(sizes)
    product = 1.0
    for size in sizes[:2]:
        product *= size
    return product


def _largest(x: torch.Tensor) -> float:
    size = x.detach().abs().max().item()
    return size if size < float("inf") else 0.0
