"""Functions of neural networks that PyTorch has with other arguments."""

from collections.abc import Sequence
from typing import Any

import torch

__all__ = ["conv_general_dilated", "dot_product_attention", "one_hot", "standardize"]


def one_hot(x: torch.Tensor, num_classes: int) -> torch.Tensor:
    """``jax.nn.one_hot``: floating-point numbers, and zeros for what is no class."""
    return (x[..., None] == torch.arange(num_classes, device=x.device)).float()


def standardize(x: torch.Tensor, axis: Any = -1, epsilon: float = 1e-5) -> torch.Tensor:
    """``jax.nn.standardize``: to mean 0 and variance 1."""
    variance, mean = torch.var_mean(x, dim=axis, correction=0, keepdim=True)
    return (x - mean) * torch.rsqrt(variance + epsilon)


def dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    bias: torch.Tensor | None = None,
    mask: torch.Tensor | None = None,
    scale: float | None = None,
    is_causal: bool = False,
) -> torch.Tensor:
    """``jax.nn.dot_product_attention``, of arrays (batch, time, heads, size)."""
    if bias is not None and mask is not None:
        bias = torch.where(mask, bias, -torch.inf)
    result = torch.nn.functional.scaled_dot_product_attention(
        query.transpose(1, 2),
        key.transpose(1, 2),
        value.transpose(1, 2),
        attn_mask=mask if bias is None else bias,
        is_causal=is_causal,
        scale=scale,
        enable_gqa=query.shape[2] != key.shape[2],
    )
    return result.transpose(1, 2)


def conv_general_dilated(
    lhs: torch.Tensor,
    rhs: torch.Tensor,
    window_strides: Sequence[int],
    padding: Any,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Sequence[str] | None = None,
    feature_group_count: int = 1,
) -> torch.Tensor:
    """``lax.conv_general_dilated``; axes are named by letters such as NHWC, HWIO and NHWC."""
    spatial = "DHW"[3 - len(window_strides) :]
    if dimension_numbers is None:
        dimension_numbers = (f"NC{spatial}", f"OI{spatial}", f"NC{spatial}")
    lhs_axes, rhs_axes, out_axes = dimension_numbers
    letters = [letter for letter in rhs_axes if letter not in "OI"]
    x = lhs.permute(*map(lhs_axes.index, ["N", "C", *letters]))
    kernel = rhs.permute(*map(rhs_axes.index, ["O", "I", *letters]))
    dilation = rhs_dilation or (1,) * len(letters)
    if isinstance(padding, str):
        sizes = [*zip(x.shape[2:], kernel.shape[2:], window_strides, dilation, strict=True)]
        padding = [_widths(padding.upper(), *size) for size in sizes]
    x = torch.nn.functional.pad(x, [width for pair in reversed(padding) for width in pair])
    convolve = [torch.nn.functional.conv1d, torch.nn.functional.conv2d, torch.nn.functional.conv3d]
    result = convolve[len(letters) - 1](
        x, kernel, None, tuple(window_strides), 0, tuple(dilation), feature_group_count
    )
    return result.permute(*map(["N", "C", *letters].index, out_axes))


def _widths(padding: str, size: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    """The padding before and after; with SAME, the result has size / stride elements."""
    if padding == "VALID":
        return 0, 0
    total = max(0, (-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size)
    less, more = total // 2, total - total // 2
    return (more, less) if padding == "SAME_LOWER" else (less, more)
