"""Reductions, scans, sorting and counting."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax


def cummax(input: Array, dim: int) -> tuple[Array, Array]:
    """The largest number so far along an axis, and its last position."""
    return _running(input, dim, lax.cummax)


def cummin(input: Array, dim: int) -> tuple[Array, Array]:
    """The smallest number so far along an axis, and its last position."""
    return _running(input, dim, lax.cummin)


def _running(input: Array, dim: int, scan: Any) -> tuple[Array, Array]:
    if input.ndim == 0:
        return input, jnp.zeros((), int)
    dim %= input.ndim
    values = scan(input, axis=dim)
    positions = lax.broadcasted_iota(int, input.shape, dim)
    last = (input == values) | (input != input)  # of NaN, the last one counts too
    return values, lax.cummax(jnp.where(last, positions, 0), axis=dim)


def cumulative_trapezoid(y: Array, x: Array | None, dx: float, dim: int) -> Array:
    """The integral up to each point but the first, by trapezoids."""
    n, y = y.ndim, jnp.moveaxis(y, dim, -1)
    both = y[..., 1:] + y[..., :-1]
    if x is None:
        areas = both * (dx / 2)  # an integer dx would overflow small integers
    else:
        x = x if x.ndim == 1 else jnp.moveaxis(x.reshape((1,) * (n - x.ndim) + x.shape), dim, -1)
        areas = both * jnp.diff(x) / 2
    return jnp.moveaxis(jnp.cumsum(areas, axis=-1), -1, dim)


def kthvalue(input: Array, k: int, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The k-th smallest number along an axis, counted from 1, and its position."""
    position = jnp.take(jnp.argsort(input, axis=dim), jnp.array([k - 1]), axis=dim)
    value = jnp.take_along_axis(input, position, axis=dim)
    return (value, position) if keepdim else (value.squeeze(dim), position.squeeze(dim))


def max(input: Array, dim: Any, keepdim: bool) -> Any:
    """The largest number; with an axis, also its position; with an array, the larger of two."""
    if dim is None:
        return jnp.max(input)
    if isinstance(dim, jax.Array):
        return jnp.maximum(input, dim)
    return jnp.max(input, dim, keepdims=keepdim), jnp.argmax(input, dim, keepdims=keepdim)


def min(input: Array, dim: Any, keepdim: bool) -> Any:
    """The smallest number; with an axis, also its position; with an array, the smaller of two."""
    if dim is None:
        return jnp.min(input)
    if isinstance(dim, jax.Array):
        return jnp.minimum(input, dim)
    return jnp.min(input, dim, keepdims=keepdim), jnp.argmin(input, dim, keepdims=keepdim)


def median(input: Array, dim: int | None, keepdim: bool) -> Any:
    """The median, the lower of two in the middle, or NaN; with an axis, also its position."""
    x, axis = (input.ravel(), 0) if dim is None else (input, dim)
    middle = jnp.take(jnp.argsort(x, axis), jnp.array([(x.shape[axis] - 1) // 2]), axis)
    unknown = jnp.isnan(x)
    first = jnp.argmax(unknown, axis, keepdims=True)
    position = jnp.where(unknown.any(axis, keepdims=True), first, middle)
    value = jnp.take_along_axis(x, position, axis)
    if dim is None:
        return value[0]
    return (value, position) if keepdim else (value.squeeze(dim), position.squeeze(dim))


def nanmedian(input: Array, dim: int | None, keepdim: bool) -> Any:
    """The lower median of what is not NaN; with an axis, also its position."""
    x, axis = (input.ravel(), 0) if dim is None else (input, dim)
    last = jnp.sum(~jnp.isnan(x), axis, keepdims=True) - 1
    position = jnp.take_along_axis(jnp.argsort(x, axis), jnp.maximum(last, 0) // 2, axis)
    value = jnp.take_along_axis(x, position, axis)
    if dim is None:
        return value[0]
    return (value, position) if keepdim else (value.squeeze(dim), position.squeeze(dim))


def mode(input: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The most frequent value along an axis, the smallest of several, and its last position."""
    x = jnp.moveaxis(input, dim, -1)
    counts = jnp.sum(x[..., :, None] == x[..., None, :], axis=-1)
    frequent = counts == counts.max(axis=-1, keepdims=True)
    order = jnp.argsort(x, axis=-1)
    first = jnp.argmax(jnp.take_along_axis(frequent, order, -1), axis=-1, keepdims=True)
    value = jnp.take_along_axis(x, jnp.take_along_axis(order, first, -1), -1)
    position = x.shape[-1] - 1 - jnp.argmax((x == value)[..., ::-1], axis=-1, keepdims=True)
    value, position = (jnp.moveaxis(a, -1, dim) for a in (value, position))
    return (value, position) if keepdim else (value.squeeze(dim), position.squeeze(dim))


def norm(input: Array, p: Any, dim: Any, keepdim: bool, dtype: Any) -> Array:
    """The norm of all numbers, or along axes; ``"fro"`` is the root of the sum of squares."""
    x = input if dtype is None else input.astype(dtype)
    if p == "nuc":
        axes = (-2, -1) if dim is None else tuple(dim)
        return jnp.asarray(jnp.linalg.norm(x, "nuc", axes, keepdim))
    return vector_norm(x, 2 if p in ("fro", None) else p, dim, keepdim, None)


def vector_norm(x: Array, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Array:
    """The norm of all numbers, or along axes. Of 16-bit numbers it is computed in 32 bits.

    The gradient at 0 is 0, where that of ``jnp.linalg.vector_norm`` is NaN.
    """
    x = x if dtype is None else x.astype(dtype)
    wide = x.astype(jnp.promote_types(x.dtype, jnp.float32))
    whole = x.ndim == 0 or dim in ((), [])
    axes = None if whole else tuple(dim) if isinstance(dim, list) else dim
    zero = ~jnp.any(wide != 0, axes, keepdims=True)
    nonzero = jnp.where(zero, 1, wide)
    norm = jnp.linalg.vector_norm(nonzero, axis=axes, keepdims=keepdim, ord=ord)
    norm = jnp.where(zero.reshape(norm.shape), 0, norm)
    return norm.astype(jnp.finfo(x.dtype).dtype)


def cosine_similarity(x1: Array, x2: Array, dim: int, eps: float) -> Array:
    """The cosine of the angle between vectors, at least ``eps`` long, along an axis."""
    x1, x2 = jnp.broadcast_arrays(x1, x2)
    dtype = jnp.result_type(x1, x2)
    x1, x2 = (x.astype(jnp.promote_types(dtype, jnp.float32)) for x in (x1, x2))
    units = [x / jnp.maximum(vector_norm(x, 2, dim, True, None), eps) for x in (x1, x2)]
    axis = None if x1.ndim == 0 else dim
    return jnp.sum(units[0] * units[1], axis=axis).astype(dtype)


def searchsorted(sorted_sequence: Array, input: Any, side: str, sorter: Array | None) -> Array:
    """Where to insert numbers; a sequence of several rows is searched row by row."""
    if sorter is not None:
        sorted_sequence = jnp.take_along_axis(sorted_sequence, sorter, axis=-1)
    if sorted_sequence.ndim == 1:
        return jnp.searchsorted(sorted_sequence, input, side=side)
    search: Any = jnp.vectorize(partial(jnp.searchsorted, side=side), signature="(n),(m)->(m)")
    positions: Array = search(sorted_sequence, input)
    return positions


def topk(input: Array, k: int, dim: int, largest: bool) -> tuple[Array, Array]:
    """The k largest or smallest numbers along an axis, and their positions."""
    position = jnp.argsort(input, axis=dim, descending=largest)
    position = lax.slice_in_dim(position, 0, k, axis=dim % input.ndim)
    return jnp.take_along_axis(input, position, axis=dim), position


def unique_consecutive(
    input: Array, return_inverse: bool, return_counts: bool, dim: int | None
) -> Any:
    """The numbers without repetitions of neighbors. Not under ``jit``."""
    x = input.ravel() if dim is None else jnp.moveaxis(input, dim, 0)
    rows = x.reshape(len(x), -1)
    new = jnp.concatenate([jnp.array([True]), (rows[1:] != rows[:-1]).any(axis=1)])[: len(x)]
    kept = x[new] if dim is None else jnp.moveaxis(x[new], 0, dim)
    results = [kept]
    if return_inverse:
        inverse = jnp.cumsum(new) - 1
        results.append(inverse.reshape(input.shape) if dim is None else inverse)
    if return_counts:
        results.append(jnp.diff(jnp.append(jnp.flatnonzero(new), len(x))))
    return tuple(results) if len(results) > 1 else kept
