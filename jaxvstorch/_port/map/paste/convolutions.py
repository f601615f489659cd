"""Convolutions, channels first."""

from typing import Any

import jax.numpy as jnp
from jax import Array, lax


def _each(value: Any, n: int) -> tuple[int, ...]:
    """One number for each of ``n`` axes."""
    return (value,) * n if isinstance(value, int) else tuple(value) * (n // len(value))


def conv(
    input: Array,
    weight: Array,
    bias: Array | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    n: int,
) -> Array:
    """A convolution over the last ``n`` axes, of a batch or of one example."""
    x = input if input.ndim == n + 2 else input[None]
    pad = padding.upper() if isinstance(padding, str) else [(p, p) for p in _each(padding, n)]
    y = lax.conv_general_dilated(
        x, weight, _each(stride, n), pad,
        rhs_dilation=_each(dilation, n), feature_group_count=groups,
    )  # fmt: skip
    y = y if bias is None else y + jnp.expand_dims(bias, range(1, n + 1))
    return y if input.ndim == n + 2 else y[0]


def conv_transpose(
    input: Array,
    weight: Array,
    bias: Array | None,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
    n: int,
) -> Array:
    """The transpose of a convolution, over the last ``n`` axes; the weight is (in, out, ...)."""
    x = input if input.ndim == n + 2 else input[None]
    inner, outer, *space = weight.shape
    kernel = jnp.flip(weight, range(2, n + 2)).reshape(groups, inner // groups, outer, *space)
    kernel = jnp.swapaxes(kernel, 1, 2).reshape(groups * outer, inner // groups, *space)
    rates = _each(dilation, n)
    reach = [d * (k - 1) for d, k in zip(rates, space, strict=True)]
    extra = zip(reach, _each(padding, n), _each(output_padding, n), strict=True)
    y = lax.conv_general_dilated(
        x, kernel, (1,) * n, [(r - p, r - p + o) for r, p, o in extra],
        lhs_dilation=_each(stride, n), rhs_dilation=rates, feature_group_count=groups,
    )  # fmt: skip
    y = y if bias is None else y + jnp.expand_dims(bias, range(1, n + 1))
    return y if input.ndim == n + 2 else y[0]
