"""The GPT as functions of a dict of weights; heads stand behind the time."""

import jax
import jax.numpy as jnp
from jax import Array


def layer_norm(p: dict, x: Array, eps: float = 1e-5) -> Array:
    """Normalize the last axis."""
    mean = x.mean(-1, keepdims=True)
    var = x.var(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(var + eps) * p["weight"] + p["bias"]


def linear(p: dict, x: Array) -> Array:
    """Apply weights that are stored as (outputs, inputs)."""
    return x @ p["weight"].T + p["bias"]


def rotate(x: Array, base: float = 10000.0) -> Array:
    """Turn the two halves of each head by angles that grow with the position."""
    length, _, size = x.shape[1:]
    frequencies = base ** (-jnp.arange(0, size, 2) / size)
    angles = jnp.arange(length)[:, None, None] * frequencies
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


def attention(p: dict, x: Array, heads: int, groups: int) -> Array:
    """Return what each position of (batch, time, width) sees of those before it."""
    b, t, width = x.shape
    q = linear(p["query"], x).reshape(b, t, heads, -1)
    k = linear(p["key"], x).reshape(b, t, groups, -1)
    v = linear(p["value"], x).reshape(b, t, groups, -1)
    q, k = rotate(q), rotate(k)
    k, v = (jnp.repeat(a, heads // groups, axis=2) for a in (k, v))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / (width // heads) ** 0.5
    mask = jnp.tril(jnp.ones((t, t), bool))
    scores = jnp.where(mask, scores, -jnp.inf)
    weights = jax.nn.softmax(scores, axis=-1)
    y = jnp.einsum("bhqk,bkhd->bqhd", weights, v)
    return linear(p["out"], y.reshape(b, t, width))


def block(p: dict, x: Array, heads: int, groups: int) -> Array:
    """Apply attention and a perceptron, each after a norm and beside a residual."""
    x = x + attention(p, layer_norm(p["norm1"], x), heads, groups)
    h = linear(p["up"], layer_norm(p["norm2"], x))
    h = jax.nn.gelu(h, approximate=False)
    return x + linear(p["down"], h)


def gpt(params: dict, tokens: Array, heads: int = 4, groups: int = 2) -> Array:
    """Return (batch, time, vocabulary)."""
    x = params["token"]["weight"][tokens]
    for p in params["blocks"]:
        x = block(p, x, heads, groups)
    return layer_norm(params["norm"], x) @ params["token"]["weight"].T


def make(model):
    """Return the function and the PyTorch model's weights."""
    params = {"blocks": [{} for _ in model.blocks]}
    for name, value in model.state_dict().items():
        *path, layer, kind = name.split(".")
        at = params["blocks"][int(path[1])] if path else params
        at.setdefault(layer, {})[kind] = jnp.array(value.numpy())
    return gpt, params
