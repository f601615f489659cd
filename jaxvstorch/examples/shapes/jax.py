"""Shapes in JAX."""

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float, Int


def center(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Subtract the mean."""
    return x - x.mean()


def scale_by_length(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Divide by the length, by at least eight: a size is a Python number, so the if works."""
    if x.shape[0] > 8:
        return x / x.shape[0]
    return x / 8


def _next_bucket(length: int) -> int:
    return max(16, 1 << (length - 1).bit_length())


def pad_to_bucket(x: Float[Array, " n"]) -> Float[Array, " bucket"]:
    """Fill up with zeros to 16 numbers, or to the next power of two."""
    length = x.shape[0]
    return jnp.pad(x, (0, _next_bucket(length) - length))


def center_padded(x: Float[Array, " bucket"], length: Int[Array, ""]) -> Float[Array, " bucket"]:
    """``center`` of the first ``length`` numbers; the rest is padding, and becomes zero."""
    mask = jnp.arange(x.shape[0], dtype=length.dtype) < length
    mean = jnp.mean(x, where=mask)
    return jnp.where(mask, x - mean, 0.0)


def masked_softmax(
    scores: Float[Array, "batch length"], lengths: Int[Array, " batch"]
) -> Float[Array, "batch length"]:
    """Softmax over the first numbers of each row, as many as its length says."""
    mask = jnp.arange(scores.shape[1], dtype=lengths.dtype) < lengths[:, None]
    return jax.nn.softmax(scores, axis=-1, where=mask)


def project(
    x: Float[Array, "batch inputs"], weights: Float[Array, "inputs outputs"]
) -> Float[Array, "batch outputs"]:
    """Multiply two matrices whose inner sizes agree."""
    return x @ weights


def sliding_windows(x: Float[Array, " n"], width: int) -> Float[Array, "windows {width}"]:
    """Each run of ``width`` neighbors, as a row."""
    starts = jnp.arange(x.shape[0] - width + 1)
    return x[starts[:, None] + jnp.arange(width)]


def top_scores(scores: Float[Array, "batch length"], count: int) -> Float[Array, "batch {count}"]:
    """The largest numbers of each row, the largest first."""
    return lax.top_k(scores, count)[0]


def select_mask(x: Float[Array, " n"], mask: Bool[Array, " n"]) -> Float[Array, " kept"]:
    """Keep what the mask selects: how much that is depends on the values."""
    return x[mask]


def mean_selected(x: Float[Array, " n"], mask: Bool[Array, " n"]) -> Float[Array, ""]:
    """The mean of what the mask selects, without extracting it."""
    return jnp.mean(x, where=mask)


def positive_places(x: Float[Array, " n"], size: int) -> Int[Array, " {size}"]:
    """Where ``x`` is positive: the first ``size`` places, filled up with -1."""
    return jnp.flatnonzero(x > 0, size=size, fill_value=-1)


def select_positive(
    x: Float[Array, " n"], size: int
) -> tuple[Float[Array, " {size}"], Int[Array, ""]]:
    """The first ``size`` positive numbers, filled up with zeros, and how many there are."""
    positive = x > 0
    places = jnp.flatnonzero(positive, size=size, fill_value=x.shape[0])
    return x.at[places].get(mode="fill", fill_value=0), positive.sum()


def unique_padded(
    labels: Int[Array, " n"], size: int
) -> tuple[Int[Array, " {size}"], Int[Array, " {size}"]]:
    """The ``size`` smallest labels, each once, and how often each occurs."""
    return jnp.unique(labels, size=size, fill_value=-1, return_counts=True)


def ragged_sums(
    values: Float[Array, " total"], lengths: Int[Array, " groups"]
) -> Float[Array, " groups"]:
    """Sum up groups of neighbors of several lengths."""
    groups = lengths.shape[0]
    group = jnp.repeat(jnp.arange(groups), lengths, total_repeat_length=values.shape[0])
    return jax.ops.segment_sum(values, group, num_segments=groups)
