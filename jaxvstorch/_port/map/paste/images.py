"""Images: padding, resizing, patches and sampling, channels first."""

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import Array, lax


def pad(
    input: Array, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Array:
    """Pads the last axes, or crops them; ``pad`` begins with the last axis."""
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]
    widths = [(0, 0)] * (input.ndim - len(pairs)) + pairs[::-1]
    if mode == "constant":
        fill = jnp.asarray(0 if value is None else value, input.dtype)
        return lax.pad(input, fill, [(a, b, 0) for a, b in widths])
    for axis, (before, after) in enumerate(widths):  # a negative width takes away
        end = input.shape[axis] + min(after, 0)
        input = lax.slice_in_dim(input, -min(before, 0), end, axis=axis)
    grown = [(max(a, 0), max(b, 0)) for a, b in widths]
    modes = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
    return jnp.pad(input, grown, mode=modes[mode])


def pixel_shuffle(input: Array, upscale_factor: int) -> Array:
    """Channels moved into space: (..., c·r², h, w) to (..., c, h·r, w·r)."""
    *lead, channels, h, w = input.shape
    r = upscale_factor
    x = input.reshape(*lead, channels // r**2, r, r, h, w)
    x = jnp.moveaxis(x, (-4, -3), (-3, -1))
    return x.reshape(*lead, channels // r**2, h * r, w * r)


def pixel_unshuffle(input: Array, downscale_factor: int) -> Array:
    """Space moved into channels: (..., c, h·r, w·r) to (..., c·r², h, w)."""
    *lead, channels, h, w = input.shape
    r = downscale_factor
    x = input.reshape(*lead, channels, h // r, r, w // r, r)
    x = jnp.moveaxis(x, (-3, -1), (-4, -3))
    return x.reshape(*lead, channels * r**2, h // r, w // r)


def channel_shuffle(input: Array, groups: int) -> Array:
    """Channels interleaved from all groups."""
    n, channels, *space = input.shape
    x = input.reshape(n, groups, channels // groups, *space)
    return jnp.swapaxes(x, 1, 2).reshape(input.shape)


def unfold(input: Array, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Array:
    """Patches of images as columns: (batch, c·kh·kw, positions)."""
    x = input if input.ndim == 4 else input[None]
    kernel, rate, pads, step = (
        (v, v) if isinstance(v, int) else tuple(v) for v in (kernel_size, dilation, padding, stride)
    )
    patches = lax.conv_general_dilated_patches(
        x, kernel, step, [(p, p) for p in pads], rhs_dilation=rate
    )
    columns = patches.reshape(*patches.shape[:2], math.prod(patches.shape[2:]))
    return columns if input.ndim == 4 else columns[0]


def _sources(size: int, new: int, scale: float | None, align_corners: bool, dtype: Any) -> Array:
    """Where each new pixel lies in the old row."""
    i = jnp.arange(new, dtype=dtype)
    if align_corners:
        return i * ((size - 1) / (new - 1) if new > 1 else 0)
    step = size / new if scale is None else 1 / scale
    return (i + 0.5) * step - 0.5


def interpolate(
    input: Array,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Array:
    """Images (batch, channels, ...) resized; integers are rounded."""
    if not jnp.issubdtype(input.dtype, jnp.floating):
        args = (size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)
        x = jnp.round(interpolate(input.astype(jnp.float32), *args))
        limits = jnp.iinfo(input.dtype)
        return jnp.clip(x, limits.min, limits.max).astype(input.dtype)
    n = input.ndim - 2
    scales = [None] * n if scale_factor is None else _listed(scale_factor, n)
    if size is None:
        sizes = [int(old * s) for old, s in zip(input.shape[2:], scales, strict=True)]
    else:
        sizes = _listed(size, n)
    if recompute_scale_factor:
        scales = [None] * n
    resized = _antialiased if antialias else _resized
    for axis, new, scale in zip(range(2, n + 2), sizes, scales, strict=True):
        input = resized(input, axis, new, scale, mode, bool(align_corners))
    return input


def _listed(value: Any, n: int) -> list[Any]:
    return [value] * n if isinstance(value, int | float) else list(value)


def _resized(
    x: Array, axis: int, new: int, scale: float | None, mode: str, align_corners: bool
) -> Array:
    size = x.shape[axis]
    if mode == "area":
        ends = [(i * size // new, -(-(i + 1) * size // new)) for i in range(new)]
        parts = [lax.slice_in_dim(x, a, b, axis=axis).mean(axis, keepdims=True) for a, b in ends]
        return jnp.concatenate(parts, axis)
    if mode in ("nearest", "nearest-exact"):
        step = size / new if scale is None else 1 / scale
        offset = 0.5 if mode == "nearest-exact" else 0.0
        positions = jnp.floor((jnp.arange(new) + offset) * step).astype(int)
        return jnp.take(x, jnp.clip(positions, 0, size - 1), axis=axis)
    at = _sources(size, new, scale, align_corners, jnp.promote_types(x.dtype, jnp.float32))
    if mode == "bicubic":
        return _weighted(x, axis, jnp.floor(at).astype(int) - 1, _cubic(at - jnp.floor(at)))
    at = jnp.clip(at, 0, None)
    low = jnp.floor(at).astype(int)
    return _weighted(x, axis, low, [1 - (at - low), at - low])


def _antialiased(
    x: Array, axis: int, new: int, scale: float | None, mode: str, align_corners: bool
) -> Array:
    """Each new pixel a weighted mean, over more of the old ones the more the row shrinks."""
    size = x.shape[axis]
    dtype = jnp.promote_types(x.dtype, jnp.float32)
    step = size / new if scale is None else 1 / scale
    if align_corners:
        step = (size - 1) / (new - 1) if new > 1 else 0
    at = (jnp.arange(new, dtype=dtype)[:, None] + 0.5) * step - 0.5
    distance = jnp.abs(jnp.arange(size) - at) / max(step, 1.0)
    weights = _keys(distance, -0.5) if mode == "bicubic" else jnp.clip(1 - distance, 0, None)
    weights = weights / weights.sum(1, keepdims=True)
    total = jnp.tensordot(weights, x.astype(dtype), (1, axis), precision="highest")
    return jnp.moveaxis(total, 0, axis).astype(x.dtype)


def _cubic(t: Array) -> list[Array]:
    """The four weights of a cubic convolution."""
    return [_keys(d, -0.75) for d in (t + 1, t, 1 - t, 2 - t)]


def _keys(d: Array, a: float) -> Array:
    """Keys' kernel of a cubic convolution, at a distance."""
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return jnp.where(d <= 1, near, jnp.where(d < 2, far, 0))


def _weighted(x: Array, axis: int, first: Array, weights: Sequence[Array]) -> Array:
    """Sums of neighbours along an axis, each with a weight; the edge is repeated."""
    shape = [-1 if d == axis else 1 for d in range(x.ndim)]
    total = jnp.zeros((), x.dtype)
    for k, weight in enumerate(weights):
        positions = jnp.clip(first + k, 0, x.shape[axis] - 1)
        total = total + jnp.take(x, positions, axis=axis) * weight.reshape(shape).astype(x.dtype)
    return total
