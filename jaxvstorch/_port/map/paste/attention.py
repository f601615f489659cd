"""Attention and embeddings."""

import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array


def attention(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    dropout_p: float = 0.0,
    rng: Array | None = None,
) -> Array:
    """Scaled dot-product attention over (..., heads, length, features).

    A query that may attend to nothing gets zeros, as in PyTorch. Of the weights, ``dropout_p`` are
    dropped, if a key is given.
    """
    if enable_gqa:
        times = query.shape[-3] // key.shape[-3]
        key, value = (jnp.repeat(x, times, axis=-3) for x in (key, value))
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = query @ jnp.swapaxes(key, -2, -1) * scale
    if is_causal:
        attn_mask = jnp.tri(query.shape[-2], key.shape[-2], dtype=bool)
    if attn_mask is not None:
        masked = attn_mask.dtype == bool
        scores = jnp.where(attn_mask, scores, -jnp.inf) if masked else scores + attn_mask
    hidden = jnp.isneginf(scores).all(axis=-1, keepdims=True)
    weights = jax.nn.softmax(jnp.where(hidden, 0, scores), axis=-1)
    if rng is not None:
        weights *= jax.random.bernoulli(rng, 1.0 - dropout_p, weights.shape) / (1 - dropout_p)
    return jnp.where(hidden, 0, weights) @ value


def embedding_bag(
    input: Array,
    weight: Array,
    offsets: Array | None,
    mode: str,
    per_sample_weights: Array | None,
    include_last_offset: bool,
) -> Array:
    """The sum, mean or maximum of the rows of each bag. Not under ``jit`` with ``offsets``."""
    if offsets is None:
        bags = list(input)
        factors = None if per_sample_weights is None else list(per_sample_weights)
    else:
        starts = [int(i) for i in offsets]
        ends = starts[1:] + ([] if include_last_offset else [input.size])
        bounds = list(zip(starts, ends, strict=False))
        bags = [input[a:b] for a, b in bounds]
        whole = per_sample_weights
        factors = None if whole is None else [whole[a:b] for a, b in bounds]
    reduce: Any = {"sum": jnp.sum, "mean": jnp.mean, "max": jnp.max}[mode]
    rows = []
    for i, bag in enumerate(bags):
        vectors = weight[bag] if factors is None else weight[bag] * factors[i][:, None]
        if bag.size == 0:
            rows.append(jnp.zeros(weight.shape[1], weight.dtype))
        else:
            rows.append(reduce(vectors, axis=0))
    return jnp.stack(rows) if rows else jnp.zeros((0, weight.shape[1]), weight.dtype)
