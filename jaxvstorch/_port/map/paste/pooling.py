"""Pooling, channels first."""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxvstorch._port.map.paste.convolutions import _each


def _pads(n: int, size: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """The padding at the end of an axis: in ``ceil_mode``, more than at its beginning."""
    if not ceil_mode:
        return padding
    reach = dilation * (size - 1) + 1
    last = -(-(n + 2 * padding - reach) // stride)
    if last * stride >= n + padding:  # a window must begin in the array or before it
        last -= 1
    return max(padding, last * stride + reach - n - padding)


def _windows(
    input: Array, n: int, size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> Any:
    """Sizes, strides, paddings and dilations of all axes, of which the last ``n`` are pooled."""
    lead = (1,) * (input.ndim - n)
    stride = size if stride in (None, (), []) else stride
    parts = [_each(value, n) for value in (size, stride, padding, dilation)]
    if min(parts[2]) < 0:  # XLA would end the process
        raise ValueError(f"the padding is {parts[2]}: it cannot be negative")
    pads = [
        (p, _pads(length, k, s, p, d, ceil_mode))
        for length, k, s, p, d in zip(input.shape[-n:], *parts, strict=True)
    ]
    size, stride, _, dilation = parts
    return lead + size, lead + stride, [(0, 0)] * len(lead) + pads, None, lead + dilation


def max_pool(
    input: Array,
    n: int,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest number of each window over the last ``n`` axes, and its position in them."""
    whole = jnp.issubdtype(input.dtype, jnp.integer)
    # NumPy's number: a number of JAX's is traced under jit, and leaves max_pool without gradient.
    least = np.array(jnp.iinfo(input.dtype).min if whole else -np.inf, input.dtype)
    windows = _windows(input, n, kernel_size, stride, padding, dilation, ceil_mode)
    values = lax.reduce_window(input, least, lax.max, *windows)
    if not return_indices:
        return values
    positions = jnp.arange(math.prod(input.shape[-n:])).reshape(input.shape[-n:])
    pairs = (lax.stop_gradient(input), jnp.broadcast_to(positions, input.shape))
    _, largest_at = lax.reduce_window(pairs, (least, jnp.array(-1)), _larger, *windows)
    return values, largest_at


def _larger(left: Any, right: Any) -> Any:
    """The pair with the larger number; where they are equal, the one with the lower position."""
    (x, i), (y, j) = left, right
    first = (x > y) | ((x == y) & (i < j) & (i >= 0)) | (j < 0)
    return jnp.where(first, x, y), jnp.where(first, i, j)


def avg_pool(
    input: Array,
    n: int,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array:
    """The mean of each window over the last ``n`` axes."""
    windows = _windows(input, n, kernel_size, stride, padding, 1, ceil_mode)
    zero = np.zeros((), input.dtype)
    total: Array = lax.reduce_window(input, zero, lax.add, *windows)
    if divisor_override is not None:
        return total / divisor_override
    size, strides, pads, *_ = windows
    inner = [(p, p) if count_include_pad else (0, 0) for p, _ in pads]
    counted = jnp.pad(jnp.ones_like(input), inner, constant_values=1)
    outer = [(a - i, b - j) for (a, b), (i, j) in zip(pads, inner, strict=True)]
    counts: Array = lax.reduce_window(counted, zero, lax.add, size, strides, outer)
    return total / counts


def adaptive_avg_pool(input: Array, output_size: Any, n: int) -> Array:
    """Means of nearly equal parts, a given number along each of the last ``n`` axes."""
    sizes = (output_size,) * n if isinstance(output_size, int) else output_size
    for axis, size in zip(range(-n, 0), sizes, strict=True):
        total = input.shape[axis]
        count = total if size is None else size
        ends = [(i * total // count, -(-(i + 1) * total // count)) for i in range(count)]
        parts = [lax.slice_in_dim(input, a, b, axis=axis % input.ndim) for a, b in ends]
        empty = lax.slice_in_dim(input, 0, 0, axis=axis % input.ndim)  # the result of a size of 0
        input = jnp.concatenate([empty, *(p.mean(axis, keepdims=True) for p in parts)], axis)
    return input
