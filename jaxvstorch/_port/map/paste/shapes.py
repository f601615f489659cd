"""Arrays joined, split and reshaped."""

import builtins
import itertools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array


def chunk(input: Array, chunks: int, dim: int) -> list[Array]:
    """At most a number of parts along an axis, all of one size but the last."""
    size = -(-input.shape[dim] // chunks)
    if size == 0:
        return [input] * chunks
    return jnp.split(input, list(range(size, input.shape[dim], size)), axis=dim)


def split(tensor: Array, split_size_or_sections: Any, dim: int) -> list[Array]:
    """Parts along an axis, of a size or of a list of sizes."""
    size, total = split_size_or_sections, tensor.shape[dim]
    if isinstance(size, int):
        ends = list(range(size, total, size)) if size else []
    elif not len(size):
        return []  # of an empty axis
    else:
        ends = np.cumsum(size)[:-1].tolist()
    return jnp.split(tensor, ends, axis=dim)


def squeeze(input: Array, dim: Any) -> Array:
    """The array without axes of length 1: all, or those named that have it."""
    if dim is None:
        return jnp.squeeze(input)
    axes = (dim,) if isinstance(dim, int) else dim
    return jnp.squeeze(input, tuple(d for d in axes if input.ndim and input.shape[d] == 1))


def flatten(input: Array, start_dim: int = 0, end_dim: int = -1) -> Array:
    """The array with some neighbouring axes merged."""
    if input.ndim == 0:
        return input.reshape(1)
    start, end = start_dim % input.ndim, end_dim % input.ndim
    middle = math.prod(input.shape[start : end + 1])
    return input.reshape(*input.shape[:start], middle, *input.shape[end + 1 :])


def diag_embed(input: Array, offset: int, dim1: int, dim2: int) -> Array:
    """Matrices with the last axis of the input on a diagonal."""
    n = input.shape[-1] + abs(offset)
    i = jnp.arange(input.shape[-1])
    x = jnp.zeros((*input.shape[:-1], n, n), input.dtype)
    x = x.at[..., i - builtins.min(offset, 0), i + builtins.max(offset, 0)].set(input)
    return jnp.moveaxis(x, (-2, -1), (dim1, dim2))


def combinations(input: Array, r: int, with_replacement: bool) -> Array:
    """All choices of ``r`` numbers, in order."""
    ways = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    positions = list(ways(range(len(input)), r))
    return input[jnp.array(positions, int).reshape(-1, r)]


def expand(input: Array, sizes: Any) -> Array:
    """The array repeated along axes of length 1; -1 keeps an axis."""
    sizes = sizes[0] if isinstance(sizes[0], tuple | list) else sizes
    old = (1,) * (len(sizes) - input.ndim) + input.shape
    shape = [n if size == -1 else size for size, n in zip(sizes, old, strict=True)]
    return jnp.broadcast_to(input, shape)


def unfolded(input: Array, dimension: int, size: int, step: int) -> Array:
    """Windows along an axis, as a last axis."""
    starts = jnp.arange(0, input.shape[dimension] - size + 1, step)
    windows = jnp.take(input, starts[:, None] + jnp.arange(size), axis=dimension)
    return jnp.moveaxis(windows, dimension % input.ndim + 1, -1)


def to(input: Array, args: tuple[Any, ...], dtype: Any) -> Array:
    """The array on a device such as ``"cpu"``, in a dtype, or in that of another array."""
    for arg in args:
        if isinstance(arg, str):
            platform, _, number = arg.replace("cuda", "gpu").partition(":")
            arg = jax.devices(platform)[int(number or 0)]
        if isinstance(arg, jax.Device):
            input = jax.device_put(input, arg)
        elif not isinstance(arg, bool):
            dtype = arg.dtype if isinstance(arg, Array) else arg
    return input if dtype is None else input.astype(dtype)
