"""Reading and writing parts of a tensor, without changing it."""

from collections.abc import Sequence
from typing import Any

import torch

__all__ = [
    "add_at", "dynamic_slice", "dynamic_slice_in_dim", "dynamic_update_slice",
    "dynamic_update_slice_in_dim", "reduce_at", "select", "select_n", "set_at",
]  # fmt: skip


def set_at(x: torch.Tensor, index: Any, values: Any) -> torch.Tensor:
    """``x.at[index].set(values)``: a new tensor with other values at some positions."""
    y = x.clone()
    y[index] = values
    return y


def add_at(x: torch.Tensor, index: Any, values: Any) -> torch.Tensor:
    """``x.at[index].add(values)``: a position that comes twice is added to twice."""
    return reduce_at(x, index, values, "sum")


def reduce_at(x: torch.Tensor, index: Any, values: Any, how: str) -> torch.Tensor:
    """``x.at[index].multiply(values)`` and the like: all values of one position count.

    ``how`` is ``"sum"``, ``"prod"``, ``"amax"`` or ``"amin"``.
    """
    positions = torch.arange(x.numel(), device=x.device).reshape(x.shape)[index]
    values = torch.as_tensor(values, device=x.device)
    dtype = torch.result_type(x, values)  # the result is rounded to the dtype of x only at the end
    values = values.to(dtype).expand(positions.shape).ravel()
    y = x.to(dtype).ravel().scatter_reduce(0, positions.ravel(), values, how)
    return y.reshape(x.shape).to(x.dtype)


def dynamic_slice(
    operand: torch.Tensor, start_indices: Sequence[Any], slice_sizes: Sequence[int]
) -> torch.Tensor:
    """``lax.dynamic_slice``: a slice that would leave the tensor is moved inside."""
    for axis, (start, size) in enumerate(zip(start_indices, slice_sizes, strict=True)):
        operand = dynamic_slice_in_dim(operand, start, size, axis)
    return operand


def dynamic_slice_in_dim(
    operand: torch.Tensor, start_index: Any, slice_size: int, axis: int = 0
) -> torch.Tensor:
    """``lax.dynamic_slice_in_dim``: a slice that would leave the tensor is moved inside."""
    return operand.narrow(axis, _inside(operand, start_index, slice_size, axis), slice_size)


def dynamic_update_slice(
    operand: torch.Tensor, update: torch.Tensor, start_indices: Sequence[Any]
) -> torch.Tensor:
    """``lax.dynamic_update_slice``."""
    starts = [
        _inside(operand, start, update.shape[axis], axis)
        for axis, start in enumerate(start_indices)
    ]
    index = tuple(slice(s, s + size) for s, size in zip(starts, update.shape, strict=True))
    return set_at(operand, index, update)


def dynamic_update_slice_in_dim(
    operand: torch.Tensor, update: torch.Tensor, start_index: Any, axis: int
) -> torch.Tensor:
    """``lax.dynamic_update_slice_in_dim``."""
    starts: list[Any] = [0] * operand.ndim
    starts[axis] = start_index
    return dynamic_update_slice(operand, update, starts)


def _inside(operand: torch.Tensor, start: Any, size: int, axis: int) -> int:
    start = int(start) + (operand.shape[axis] if start < 0 else 0)
    last: int = operand.shape[axis] - size
    inside: int = max(0, min(start, last))
    return inside


def select(
    condlist: Sequence[torch.Tensor], choicelist: Sequence[Any], default: Any = 0
) -> torch.Tensor:
    """``jnp.select``: of each position the choice whose condition is the first that holds."""
    result = torch.as_tensor(default, dtype=choicelist[0].dtype)
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        result = torch.where(condition, choice, result)
    return result


def select_n(which: torch.Tensor, *cases: torch.Tensor) -> torch.Tensor:
    """``lax.select_n``: the case that an integer or a boolean names."""
    return torch.stack(cases).gather(0, which.long().expand(cases[0].shape)[None])[0]
