"""Sampling of images at points between their pixels, channels first."""

import itertools
from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jax import Array

from jaxvstorch._port.map.paste.images import _cubic


def grid_sample(
    input: Array, grid: Array, mode: str, padding_mode: str, align_corners: bool | None
) -> Array:
    """Pixels of images (batch, channels, ...) at points (batch, ..., n) from -1 to 1, x first."""
    sizes = input.shape[2:]
    corners = bool(align_corners)
    points = [_in_pixels(grid[..., -1 - i], n, corners) for i, n in enumerate(sizes)]
    if mode != "bicubic":
        points = [_kept(x, n, padding_mode, corners) for x, n in zip(points, sizes, strict=True)]
    if mode == "nearest":
        return _picked(input, [jnp.round(x) for x in points])
    lows = [jnp.floor(x) for x in points]
    parts = [x - low for x, low in zip(points, lows, strict=True)]
    if mode == "bicubic":
        first, weights = -1, [_cubic(part) for part in parts]
    else:
        first, weights = 0, [[1 - part, part] for part in parts]
    total = jnp.zeros((), input.dtype)
    for steps in itertools.product(range(len(weights[0])), repeat=len(sizes)):
        near = [low + first + step for low, step in zip(lows, steps, strict=True)]
        if mode == "bicubic":
            near = [_kept(x, n, padding_mode, corners) for x, n in zip(near, sizes, strict=True)]
        factor = jnp.ones((), input.dtype)
        for weight, step in zip(weights, steps, strict=True):
            factor = factor * weight[step]
        total = total + _picked(input, near) * factor[:, None]
    return total


def _in_pixels(x: Array, n: int, align_corners: bool) -> Array:
    return (x + 1) / 2 * (n - 1) if align_corners else ((x + 1) * n - 1) / 2


def _kept(x: Array, n: int, padding_mode: str, align_corners: bool) -> Array:
    """Moves points outside an image to its border, or reflects them there; with zeros they stay."""
    if padding_mode == "border":
        return jnp.clip(x, 0, n - 1)
    if padding_mode != "reflection":
        return x
    low, span = (0.0, n - 1.0) if align_corners else (-0.5, float(n))
    if span == 0:
        return jnp.zeros_like(x)
    turned = jnp.abs(x - low) % (2 * span)
    return jnp.clip(low + jnp.minimum(turned, 2 * span - turned), 0, n - 1)


def _picked(images: Array, points: Sequence[Array]) -> Array:
    """Pixels of images, and zero outside them."""

    def of_one(image: Array, *at: Array) -> Array:
        sizes = image.shape[1:]
        inside = jnp.stack([(x >= 0) & (x < n) for x, n in zip(at, sizes, strict=True)]).all(0)
        whole = [jnp.clip(x, 0, n - 1).astype(int) for x, n in zip(at, sizes, strict=True)]
        return jnp.where(inside, image[:, *whole], 0)

    return jax.vmap(of_one)(images, *points)
