"""Padding, new axes and blocks."""

from collections.abc import Sequence
from typing import Any

import torch

__all__ = ["block", "broadcast_in_dim", "expand_dims", "pad", "pad_with"]

_MODES = {"edge": "replicate", "reflect": "reflect", "wrap": "circular"}


def pad(array: torch.Tensor, pad_width: Any, mode: str = "constant", **kwargs: Any) -> torch.Tensor:
    """``jnp.pad``, with a constant, or in a mode that PyTorch has too."""
    widths = torch.as_tensor(pad_width).expand(array.ndim, 2).tolist()
    flat = [width for pair in reversed(widths) for width in pair]
    if mode == "constant":
        value = kwargs.get("constant_values", 0)
        return torch.nn.functional.pad(array, flat, value=value)
    batched = array.reshape(1, 1, *array.shape)  # these modes leave the first axes as they are
    return torch.nn.functional.pad(batched, flat, _MODES[mode])[0, 0]


def pad_with(
    operand: torch.Tensor, padding_value: Any, padding_config: Sequence[tuple[int, int, int]]
) -> torch.Tensor:
    """``lax.pad``: (low, high, between) for each axis; negative numbers cut."""
    value = torch.as_tensor(padding_value, dtype=operand.dtype, device=operand.device)
    for axis, (low, high, between) in enumerate(padding_config):
        shape = list(operand.shape)
        places = low + torch.arange(shape[axis], device=operand.device) * (between + 1)
        shape[axis] = low + max(0, (shape[axis] - 1) * (between + 1) + 1) + high
        (kept,) = torch.where((places >= 0) & (places < shape[axis]))
        padded = value.expand(shape)
        operand = padded.index_copy(axis, places[kept], operand.index_select(axis, kept))
    return operand


def expand_dims(array: torch.Tensor, dimensions: Sequence[int]) -> torch.Tensor:
    """``lax.expand_dims``, which takes several axes."""
    ndim = array.ndim + len(dimensions)
    for axis in sorted(d % ndim for d in dimensions):
        array = array.unsqueeze(axis)
    return array


def broadcast_in_dim(
    operand: torch.Tensor, shape: Sequence[int], broadcast_dimensions: Sequence[int]
) -> torch.Tensor:
    """``lax.broadcast_in_dim``: axis i of the operand is the i-th that is given, of the shape."""
    sizes = [1] * len(shape)
    for axis, size in zip(broadcast_dimensions, operand.shape, strict=True):
        sizes[axis] = size
    return operand.reshape(sizes).expand(*shape)


def block(arrays: Any) -> torch.Tensor:
    """``jnp.block``: the innermost lists are joined along the last axis."""

    def joined(part: Any, axis: int) -> torch.Tensor:
        if isinstance(part, list):
            part = torch.cat([joined(item, axis + 1) for item in part], dim=axis)
        return torch.as_tensor(part)

    depth, inner = 0, arrays
    while isinstance(inner, list):
        depth, inner = depth + 1, inner[0]
    return joined(arrays, -depth)
