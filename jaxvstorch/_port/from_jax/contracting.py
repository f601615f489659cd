"""Products and convolutions of a jaxpr, in PyTorch."""

from typing import Any

import torch
from torch.nn import functional as F

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def dot_general(params: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """A product of two arrays over any axes: an ``einsum``."""
    (left, right), (left_batch, right_batch) = params["dimension_numbers"]
    of_x = list(_LETTERS[: x.ndim])
    of_y = list(_LETTERS[x.ndim : x.ndim + y.ndim])
    for i, j in zip((*left, *left_batch), (*right, *right_batch), strict=True):
        of_y[j] = of_x[i]
    batch = [of_x[i] for i in left_batch]
    rest = [a for i, a in enumerate(of_x) if i not in (*left, *left_batch)]
    rest += [a for i, a in enumerate(of_y) if i not in (*right, *right_batch)]
    common = torch.promote_types(x.dtype, y.dtype)
    text = f"{''.join(of_x)},{''.join(of_y)}->{''.join(batch + rest)}"
    return torch.einsum(text, x.to(common), y.to(common))


def ragged_dot_general(
    params: Any, x: torch.Tensor, y: torch.Tensor, sizes: torch.Tensor
) -> torch.Tensor:
    """Rows of ``x`` in groups, each times its own matrix; rows of no group give zeros.

    Raises:
        NotImplementedError: the groups lie along other axes.
    """
    numbers = params["ragged_dot_dimension_numbers"]
    axes = numbers.dot_dimension_numbers, numbers.lhs_ragged_dimensions
    plain = axes == ((((1,), (1,)), ((), ())), (0,)) and tuple(numbers.rhs_group_dimensions) == (0,)
    if not plain or params["group_offset"] is not None:
        raise NotImplementedError("groups along these axes")
    result = x.new_zeros(x.shape[0], y.shape[2])
    begin = 0
    for matrix, size in zip(y, sizes.tolist(), strict=True):
        result[begin : begin + size] = x[begin : begin + size] @ matrix
        begin += size
    return result


def conv_general_dilated(params: Any, x: torch.Tensor, kernel: torch.Tensor) -> torch.Tensor:
    """A convolution, in channels-first order and back.

    Raises:
        NotImplementedError: it has groups of batches.
    """
    if params["batch_group_count"] != 1:
        raise NotImplementedError("PyTorch has no groups of batches")
    numbers = params["dimension_numbers"]
    x, kernel = x.permute(numbers.lhs_spec), kernel.permute(numbers.rhs_spec)
    n = x.ndim - 2
    for axis, step in enumerate(params["lhs_dilation"]):
        x = _spread(x, axis + 2, step)
    pads = [side for low, high in reversed(params["padding"]) for side in (low, high)]
    convolution = (F.conv1d, F.conv2d, F.conv3d)[n - 1]
    y = convolution(
        F.pad(x, pads), kernel, None, params["window_strides"],
        dilation=params["rhs_dilation"], groups=params["feature_group_count"],
    )  # fmt: skip
    return y.permute([numbers.out_spec.index(axis) for axis in range(n + 2)])


def _spread(x: torch.Tensor, axis: int, step: int) -> torch.Tensor:
    """Put zeros between the elements of an axis, as a transposed convolution needs them."""
    if step == 1:
        return x
    shape = list(x.shape)
    shape[axis] = (shape[axis] - 1) * step + 1
    y = x.new_zeros(shape)
    y[(slice(None),) * axis + (slice(None, None, step),)] = x
    return y
