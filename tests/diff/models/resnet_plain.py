"""The ResNet as functions, channels first; each norm is a factor and a term."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import Array, lax

convolve = partial(lax.conv_general_dilated, dimension_numbers=("NCHW", "OIHW", "NCHW"))
WINDOW = {"window_dimensions": (1, 1, 3, 3), "window_strides": (1, 1, 2, 2)}
AROUND = ((0, 0), (0, 0), (1, 1), (1, 1))


def norm(p: dict, x: Array) -> Array:
    """Apply running statistics as one factor and one term for each channel."""
    factor = p["weight"] / jnp.sqrt(p["running_var"] + 1e-5)
    term = p["bias"] - p["running_mean"] * factor
    return x * factor[:, None, None] + term[:, None, None]


def block(p: dict, x: Array) -> Array:
    """Apply two convolutions beside a shortcut; those with a shortcut's weights have stride 2."""
    h = jnp.maximum(norm(p["norm1"], x), 0)
    strides = (1, 1)
    if "shortcut" in p:
        strides = (2, 2)
        x = convolve(h, p["shortcut"]["weight"], strides, "VALID")
    h = convolve(h, p["conv1"]["weight"], strides, AROUND[2:])
    h = jnp.maximum(norm(p["norm2"], h), 0)
    return x + convolve(h, p["conv2"]["weight"], (1, 1), AROUND[2:])


def resnet(params: dict, x: Array) -> Array:
    """Return (batch, 10) of images (batch, 3, 32, 32)."""
    x = convolve(x, params["conv"]["weight"], (2, 2), ((3, 3), (3, 3)))
    x = lax.reduce_window(x, -jnp.inf, lax.max, padding=AROUND, **WINDOW)
    for p in params["blocks"].values():
        x = block(p, x)
    x = jax.nn.relu(norm(params["norm"], x))
    x = lax.reduce_window(x, 0.0, lax.add, padding=AROUND, **WINDOW) / 9
    return x.reshape(len(x), -1) @ params["head"]["weight"].T + params["head"]["bias"]


def make(model):
    """Return the function and the PyTorch model's weights and statistics."""
    params = {}
    for name, value in model.state_dict().items():
        *path, kind = name.split(".")
        at = params
        for layer in path:
            at = at.setdefault(layer, {})
        at[kind] = jnp.array(value.numpy())
    return resnet, params
