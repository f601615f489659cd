"""Programs that need more or less memory, in JAX."""

from math import isqrt

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float, Int

CHUNKS = 4
RATE, DECAY = 0.1, 0.9


def momentum_step(
    parameters: Float[Array, " n"], velocity: Float[Array, " n"], gradient: Float[Array, " n"]
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """One step of gradient descent; jit it with both states donated."""
    velocity = DECAY * velocity + gradient
    return parameters - RATE * velocity, velocity


def _kernel_means_at(x: Array, points: Array) -> Array:
    return jnp.exp(-((x[:, None] - points) ** 2)).mean(axis=1)


def kernel_means(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """All pairs of points at once."""
    return _kernel_means_at(x, x)


def kernel_means_chunked(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """A chunk of points with all points, one chunk after another."""
    chunk = jax.checkpoint(lambda part: _kernel_means_at(part, x))
    return lax.map(chunk, x.reshape(CHUNKS, -1)).ravel()


def attention_full(
    q: Float[Array, "n d"], k: Float[Array, "n d"], v: Float[Array, "n d"]
) -> Float[Array, "n d"]:
    """All scores at once."""
    scores = q @ k.T / q.shape[1] ** 0.5
    return jax.nn.softmax(scores, axis=1) @ v


def attention_chunked(
    q: Float[Array, "n d"], k: Float[Array, "n d"], v: Float[Array, "n d"]
) -> Float[Array, "n d"]:
    """The scores of one chunk of keys after another, with a running softmax."""

    @jax.checkpoint
    def step(
        carry: tuple[Array, ...], chunk: tuple[Array, Array]
    ) -> tuple[tuple[Array, ...], None]:
        largest, total, out = carry
        keys, values = chunk
        scores = q @ keys.T / q.shape[1] ** 0.5
        new = jnp.maximum(largest, scores.max(axis=1, keepdims=True))
        weights, rescale = jnp.exp(scores - new), jnp.exp(largest - new)
        total = total * rescale + weights.sum(axis=1, keepdims=True)
        return (new, total, out * rescale + weights @ values), None

    column = jnp.zeros_like(q[:, :1])
    start = column - jnp.inf, column, jnp.zeros_like(v)
    chunks = k.reshape(CHUNKS, -1, k.shape[1]), v.reshape(CHUNKS, -1, v.shape[1])
    (_, total, out), _ = lax.scan(step, start, chunks)
    return out / total


def _cross_entropies(hidden: Array, table: Array, labels: Array) -> Array:
    log_probabilities = jax.nn.log_softmax(hidden @ table)
    return -jnp.take_along_axis(log_probabilities, labels[:, None], axis=1)[:, 0]


def cross_entropy_full(
    hidden: Float[Array, "n d"], table: Float[Array, "d words"], labels: Int[Array, " n"]
) -> Float[Array, ""]:
    """The logits of all tokens at once."""
    return _cross_entropies(hidden, table, labels).mean()


def cross_entropy_chunked(
    hidden: Float[Array, "n d"], table: Float[Array, "d words"], labels: Int[Array, " n"]
) -> Float[Array, ""]:
    """The logits of one chunk of tokens after another."""
    chunk = jax.checkpoint(lambda part: _cross_entropies(part[0], table, part[1]))
    parts = hidden.reshape(CHUNKS, -1, hidden.shape[1]), labels.reshape(CHUNKS, -1)
    return lax.map(chunk, parts).mean()


def _layer(x: Array, weight: Array) -> tuple[Array, None]:
    return x + jax.nn.silu(x @ weight), None


def layers(
    x: Float[Array, "batch n"], weights: Float[Array, "depth n n"]
) -> Float[Array, "batch n"]:
    """Keep everything that the backward pass needs."""
    return lax.scan(_layer, x, weights)[0]


def layers_rematerialized(
    x: Float[Array, "batch n"], weights: Float[Array, "depth n n"]
) -> Float[Array, "batch n"]:
    """Keep the input of each layer."""
    return lax.scan(jax.checkpoint(_layer), x, weights)[0]


def layers_saving_products(
    x: Float[Array, "batch n"], weights: Float[Array, "depth n n"]
) -> Float[Array, "batch n"]:
    """Keep the input of each layer and its matrix product."""
    layer = jax.checkpoint(_layer, policy=jax.checkpoint_policies.dots_saveable)
    return lax.scan(layer, x, weights)[0]


def layers_in_segments(
    x: Float[Array, "batch n"], weights: Float[Array, "depth n n"]
) -> Float[Array, "batch n"]:
    """Keep the input of each segment of layers."""

    @jax.checkpoint
    def segment(x: Array, weights: Array) -> tuple[Array, None]:
        return lax.scan(_layer, x, weights)

    segments = isqrt(len(weights))
    return lax.scan(segment, x, weights.reshape(segments, -1, *weights.shape[1:]))[0]


def _loss(weights: Array, x: Array, y: Array) -> Array:
    return ((jnp.tanh(x @ weights) - y) ** 2).mean()


def accumulated_gradient(
    weights: Float[Array, "d k"], x: Float[Array, "n d"], y: Float[Array, "n k"]
) -> Float[Array, "d k"]:
    """The gradient of a batch, as the mean over parts of equal size."""

    def add(total: Array, part: tuple[Array, Array]) -> tuple[Array, None]:
        return total + jax.grad(_loss)(weights, *part), None

    parts = x.reshape(CHUNKS, -1, x.shape[1]), y.reshape(CHUNKS, -1, y.shape[1])
    total, _ = lax.scan(add, jnp.zeros_like(weights), parts)
    return total / CHUNKS
