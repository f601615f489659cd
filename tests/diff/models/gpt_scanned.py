"""The GPT with its blocks' weights stacked, scanned over, and JAX's own attention."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import Array, lax


def layer_norm(p: dict, x: Array) -> Array:
    """Normalize the last axis, with the variance from the mean of squares."""
    mean = x.mean(-1, keepdims=True)
    variance = jnp.square(x).mean(-1, keepdims=True) - jnp.square(mean)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * p["weight"] + p["bias"]


def project(p: dict, x: Array) -> Array:
    """Apply weights that are stored as (outputs, inputs)."""
    return jnp.einsum("...i,oi->...o", x, p["weight"]) + p["bias"]


def rotary(length: int, size: int) -> tuple[Array, Array]:
    """Return the cosine and the sine of each position's angles, twice beside each other."""
    angles = jnp.outer(jnp.arange(length), 10000.0 ** (-jnp.arange(0, size, 2) / size))
    angles = jnp.concatenate([angles, angles], axis=-1)[:, None]
    return jnp.cos(angles), jnp.sin(angles)


def rotate_half(x: Array) -> Array:
    """Return (-b, a) of the halves (a, b)."""
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([-b, a], axis=-1)


@partial(jax.checkpoint, static_argnums=(3, 4))
def block(turns: tuple[Array, Array], x: Array, p: dict, heads: int, groups: int) -> Array:
    """Apply attention and a perceptron, each after a norm and beside a residual."""
    cos, sin = turns
    h = layer_norm(p["norm1"], x)
    q = project(p["query"], h).reshape(*h.shape[:2], heads, -1)
    k, v = (project(p[name], h).reshape(*h.shape[:2], groups, -1) for name in ("key", "value"))
    q, k = (a * cos + rotate_half(a) * sin for a in (q, k))
    y = jax.nn.dot_product_attention(q, k, v, is_causal=True)
    x = x + project(p["out"], y.reshape(x.shape))
    h = jax.nn.gelu(project(p["up"], layer_norm(p["norm2"], x)), approximate=False)
    return x + project(p["down"], h)


@partial(jax.jit, static_argnames=("heads", "groups"))
def gpt(params: dict, tokens: Array, heads: int = 4, groups: int = 2) -> Array:
    """Return (batch, time, vocabulary)."""
    embedding = params["token"]
    x = embedding[tokens]
    turns = rotary(x.shape[1], x.shape[2] // heads)
    x, _ = lax.scan(lambda x, p: (block(turns, x, p, heads, groups), None), x, params["blocks"])
    return layer_norm(params["norm"], x) @ embedding.T


def make(model):
    """Return the function and the PyTorch model's weights."""
    blocks = {}
    for name in model.blocks[0].state_dict():
        *_, layer, kind = name.split(".")
        values = [block.state_dict()[name].numpy() for block in model.blocks]
        blocks.setdefault(layer, {})[kind] = jnp.stack(values)
    norm = {name: jnp.array(value.numpy()) for name, value in model.norm.state_dict().items()}
    token = jnp.array(model.token.weight.detach().numpy())
    return gpt, {"token": token, "blocks": blocks, "norm": norm}
