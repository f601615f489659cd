"""Reading and writing by index."""

import builtins
from typing import Any

import jax.numpy as jnp
from jax import Array


def gather(input: Array, dim: int, index: Array) -> Array:
    """Picks along an axis; along the others ``index`` may be shorter than ``input``."""
    if index.size == 0:
        return jnp.zeros(index.shape, input.dtype)
    if input.ndim == 0:
        return jnp.broadcast_to(input, index.shape)
    dim %= input.ndim
    part = tuple(slice(None) if d == dim else slice(n) for d, n in enumerate(index.shape))
    return jnp.take_along_axis(input[part], index, axis=dim)


def _positions(input: Array, dim: int, index: Array) -> tuple[Array, ...]:
    dim %= input.ndim
    grid = jnp.indices(index.shape, sparse=True)
    return tuple(index if d == dim else g for d, g in enumerate(grid))


def scatter(input: Array, dim: int, index: Array, src: Any, reduce: str | None) -> Array:
    """Writes along an axis; where two values go to one position, either may stay."""
    if index.size == 0:
        return input
    if input.ndim == 0:
        return scatter(input[None], 0, index.reshape(1), jnp.reshape(src, 1), reduce)[0]
    if input.dtype == bool and reduce:
        return scatter(input.astype(int), dim, index, src, reduce).astype(bool)
    values = src[tuple(map(slice, index.shape))] if jnp.ndim(src) else src
    at = input.at[_positions(input, dim, index)]
    if reduce is None:
        return at.set(values)
    return at.add(values) if reduce == "add" else at.multiply(values)


def scatter_reduce(
    input: Array, dim: int, index: Array, src: Array, reduce: str, include_self: bool
) -> Array:
    """Reduces along an axis all values that go to one position, and writes the result there."""
    if index.size == 0:
        return input
    if input.ndim == 0:
        arguments = (input[None], 0, index.reshape(1), src.reshape(1))
        return scatter_reduce(*arguments, reduce, include_self)[0]
    if input.dtype == bool:
        ints = (input.astype(int), dim, index, src.astype(int), reduce, include_self)
        return scatter_reduce(*ints).astype(bool)
    values = src[tuple(map(slice, index.shape))]
    positions = _positions(input, dim, index)
    if not include_self:
        hit = jnp.zeros(input.shape, bool).at[positions].set(True)
        input = jnp.where(hit, _neutral(reduce, input.dtype), input)
    at = input.at[positions]
    if reduce == "mean":
        counts = jnp.full(input.shape, int(include_self)).at[positions].add(1)
        total, counts = at.add(values), jnp.maximum(counts, 1)
        whole = jnp.issubdtype(input.dtype, jnp.integer)
        return total // counts if whole else total / counts.astype(input.dtype)
    steps: dict[str, Any] = {"sum": at.add, "prod": at.multiply, "amax": at.max, "amin": at.min}
    written: Array = steps[reduce](values)
    return written


def index_reduce(
    input: Array, dim: int, index: Array, source: Array, reduce: str, include_self: bool
) -> Array:
    """Writes slices along an axis; a reduction joins all that go to one position."""
    shape = [-1 if d == dim % source.ndim else 1 for d in range(source.ndim)]
    positions = jnp.broadcast_to(index.reshape(shape), source.shape)
    return scatter_reduce(input, dim, positions, source, reduce, include_self)


def _neutral(reduce: str, dtype: Any) -> Any:
    if reduce in ("sum", "mean"):
        return jnp.zeros((), dtype)
    if reduce == "prod":
        return jnp.ones((), dtype)
    if jnp.issubdtype(dtype, jnp.floating):
        return jnp.array(-jnp.inf if reduce == "amax" else jnp.inf, dtype)
    limits = jnp.iinfo(dtype)
    return limits.min if reduce == "amax" else limits.max


def masked_scatter(input: Array, mask: Array, source: Array) -> Array:
    """The numbers of ``source``, in order, where the mask is true."""
    input, mask = jnp.broadcast_arrays(input, mask)
    if source.size == 0:
        return input
    positions = (jnp.cumsum(mask.ravel()) - 1).reshape(mask.shape)
    return jnp.where(mask, source.ravel()[positions], input)


def diagonal_scatter(input: Array, src: Array, offset: int, dim1: int, dim2: int) -> Array:
    """The array with another diagonal."""
    x = jnp.moveaxis(input, (dim1, dim2), (-2, -1))
    i = jnp.arange(src.shape[-1])
    x = x.at[..., i - builtins.min(offset, 0), i + builtins.max(offset, 0)].set(src)
    return jnp.moveaxis(x, (-2, -1), (dim1, dim2))
