"""Norms as functions, channels first."""

import math
from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jax import Array, lax


def _by_channel(value: Array, ndim: int) -> Array:
    return jnp.expand_dims(value, range(1, ndim - 1))


def _widened(x: Array) -> Array:
    """16-bit numbers as 32-bit ones, whose squares float16 does not hold."""
    return x.astype(jnp.promote_types(x.dtype, jnp.float32))


def batch_norm(
    input: Array,
    running_mean: Array | None,
    running_var: Array | None,
    weight: Array | None,
    bias: Array | None,
    training: bool,
    eps: float,
) -> Array:
    """Normalizes each channel (axis 1) by the batch in training, else by the running values.

    It returns no new running values: compute them from ``input`` where they are kept.
    """
    dtype, input = input.dtype, _widened(input)
    if training or running_mean is None or running_var is None:
        axes = (0, *range(2, input.ndim))
        mean, var = input.mean(axes), input.var(axes)
    else:
        mean, var = running_mean, running_var
    y = (input - _by_channel(mean, input.ndim)) * lax.rsqrt(_by_channel(var, input.ndim) + eps)
    y = y if weight is None else y * _by_channel(weight, input.ndim)
    return (y if bias is None else y + _by_channel(bias, input.ndim)).astype(dtype)


def instance_norm(
    input: Array,
    running_mean: Array | None,
    running_var: Array | None,
    weight: Array | None,
    bias: Array | None,
    use_input_stats: bool,
    eps: float,
) -> Array:
    """Normalizes each channel of each example."""
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, eps)
    axes = tuple(range(2, input.ndim))
    dtype, input = input.dtype, _widened(input)
    y = input - input.mean(axes, keepdims=True)
    y = y * lax.rsqrt(input.var(axes, keepdims=True) + eps)
    y = y if weight is None else y * _by_channel(weight, input.ndim)
    return (y if bias is None else y + _by_channel(bias, input.ndim)).astype(dtype)


def group_norm(
    input: Array, num_groups: int, weight: Array | None, bias: Array | None, eps: float
) -> Array:
    """Normalizes groups of channels of each example."""
    dtype, size = input.dtype, math.prod(input.shape[1:]) // num_groups
    groups = _widened(input).reshape(input.shape[0], num_groups, size)
    y = groups - groups.mean(-1, keepdims=True)
    y = (y * lax.rsqrt(groups.var(-1, keepdims=True) + eps)).reshape(input.shape)
    y = y if weight is None else y * _by_channel(weight, input.ndim)
    return (y if bias is None else y + _by_channel(bias, input.ndim)).astype(dtype)


def layer_norm(
    input: Array,
    normalized_shape: int | Sequence[int],
    weight: Array | None,
    bias: Array | None,
    eps: float,
) -> Array:
    """Normalizes over the last axes."""
    axes = tuple(range(-np.size(normalized_shape), 0))
    dtype, input = input.dtype, _widened(input)
    y = input - input.mean(axes, keepdims=True)
    y = y * lax.rsqrt(input.var(axes, keepdims=True) + eps)
    y = y if weight is None else y * weight
    return (y if bias is None else y + bias).astype(dtype)


def rms_norm(
    input: Array, normalized_shape: int | Sequence[int], weight: Array | None, eps: float | None
) -> Array:
    """Divides by the root of the mean square over the last axes."""
    axes = tuple(range(-np.size(normalized_shape), 0))
    least = jnp.finfo(input.dtype).eps if eps is None else eps
    dtype, input = input.dtype, _widened(input)
    y = input * lax.rsqrt((input**2).mean(axes, keepdims=True) + least)
    return (y if weight is None else y * weight).astype(dtype)


def local_response_norm(input: Array, size: int, alpha: float, beta: float, k: float) -> Array:
    """Divides by a power of the mean square over neighbouring channels (axis 1)."""
    pads = [(0, 0), (size // 2, (size - 1) // 2)] + [(0, 0)] * (input.ndim - 2)
    window = (1, size, *(1,) * (input.ndim - 2))
    zero = np.zeros((), input.dtype)  # of NumPy: under jit JAX's would leave it without gradient
    squares: Array = lax.reduce_window(input**2, zero, lax.add, window, (1,) * input.ndim, pads)
    return input / (k + alpha * squares / size) ** beta


def prelu(input: Array, weight: Array) -> Array:
    """Negative numbers times a slope, one for each channel (axis 1)."""
    slope = _by_channel(weight, input.ndim) if weight.size > 1 else weight.reshape(())
    return jnp.where(input > 0, input, slope * input)
