"""Parallelism in JAX."""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int


def mlp(
    w1: Float[Array, "features hidden"],
    w2: Float[Array, "hidden outputs"],
    x: Float[Array, "batch features"],
) -> Float[Array, "batch outputs"]:
    """Two matrices with a hyperbolic tangent between them."""
    return jnp.tanh(x @ w1) @ w2


def mlp_loss(
    w1: Float[Array, "features hidden"],
    w2: Float[Array, "hidden outputs"],
    x: Float[Array, "batch features"],
    y: Float[Array, "batch outputs"],
) -> Float[Array, ""]:
    """The mean squared difference from ``y``."""
    return jnp.mean((mlp(w1, w2, x) - y) ** 2)


def train_step(
    w1: Float[Array, "features hidden"],
    w2: Float[Array, "hidden outputs"],
    x: Float[Array, "batch features"],
    y: Float[Array, "batch outputs"],
) -> tuple[Float[Array, ""], Float[Array, "features hidden"], Float[Array, "hidden outputs"]]:
    """The loss, and both matrices after one step of gradient descent with rate 0.1."""
    derive = jax.value_and_grad(mlp_loss, argnums=(0, 1))
    loss, (slope1, slope2) = derive(w1, w2, x, y)
    return loss, w1 - 0.1 * slope1, w2 - 0.1 * slope2


def train_step_in_shards(
    w1: Float[Array, "features hidden"],
    w2: Float[Array, "hidden outputs"],
    x: Float[Array, "shards batch features"],
    y: Float[Array, "shards batch outputs"],
) -> tuple[Float[Array, ""], Float[Array, "features hidden"], Float[Array, "hidden outputs"]]:
    """Data parallel: each shard of the batch has its own gradients; the step uses their means."""
    derive = jax.value_and_grad(mlp_loss, argnums=(0, 1))
    losses, slopes = jax.vmap(derive, in_axes=(None, None, 0, 0))(w1, w2, x, y)
    slope1, slope2 = (slope.mean(axis=0) for slope in slopes)
    return losses.mean(), w1 - 0.1 * slope1, w2 - 0.1 * slope2


def mlp_column_row(
    w1: Float[Array, "shards features hidden"],
    w2: Float[Array, "shards hidden outputs"],
    x: Float[Array, "batch features"],
) -> Float[Array, "batch outputs"]:
    """Tensor parallel: some columns of ``w1``, the same rows of ``w2``; the parts are summed."""
    parts = jax.vmap(mlp, in_axes=(0, 0, None))(w1, w2, x)
    return parts.sum(axis=0)


def matmul_by_blocks(
    a: Float[Array, "rows inner m k"], b: Float[Array, "inner columns k n"]
) -> Float[Array, "rows columns m n"]:
    """Multiply matrices cut into blocks: each is a sum over a row of ``a``, a column of ``b``."""
    return jnp.einsum("pqmk,qrkn->prmn", a, b)


def softmax_in_shards(x: Float[Array, "shards n"]) -> Float[Array, "shards n"]:
    """Softmax over all shards; each contributes one maximum and one sum."""
    maxima = x.max(axis=1)
    exponentials = jnp.exp(x - maxima.max())
    sums = exponentials.sum(axis=1)
    return exponentials / sums.sum()


def mean_in_shards(x: Float[Array, "shards n"], counts: Int[Array, " shards"]) -> Float[Array, ""]:
    """The mean of the first ``counts`` numbers of the shards: one sum over another."""
    held = jnp.arange(x.shape[1], dtype=counts.dtype) < counts[:, None]
    sums = jnp.where(held, x, 0).sum(axis=1)
    return sums.sum() / counts.sum().astype(x.dtype)


def mean_of_means(x: Float[Array, "shards n"], counts: Int[Array, " shards"]) -> Float[Array, ""]:
    """The mean of the shards' means: a different number if the counts differ."""
    held = jnp.arange(x.shape[1], dtype=counts.dtype) < counts[:, None]
    sums = jnp.where(held, x, 0).sum(axis=1)
    return jnp.mean(sums / counts.astype(x.dtype))


def _attention(
    query: Float[Array, "m d"], keys: Float[Array, "n d"], values: Float[Array, "n d"]
) -> tuple[Float[Array, "m d"], Float[Array, " m"]]:
    scores = query @ keys.T / query.shape[-1] ** 0.5
    return jax.nn.softmax(scores, axis=-1) @ values, jax.nn.logsumexp(scores, axis=-1)


def attention_in_shards(
    query: Float[Array, "m d"],
    keys: Float[Array, "shards n d"],
    values: Float[Array, "shards n d"],
) -> Float[Array, "m d"]:
    """Attention to keys in shards: each shard's result is weighted by its share of exponentials."""
    answers, logarithms = jax.vmap(_attention, in_axes=(None, 0, 0))(query, keys, values)
    weights = jax.nn.softmax(logarithms, axis=0)
    return jnp.sum(weights[:, :, None] * answers, axis=0)


def embedding_in_shards(
    table: Float[Array, "shards rows d"], tokens: Int[Array, " n"]
) -> Float[Array, "n d"]:
    """Look tokens up in a table sharded by rows: a shard returns zeros for rows of others."""
    shards, rows, _ = table.shape

    def look_up(shard: Int[Array, ""], held: Float[Array, "rows d"]) -> Float[Array, "n d"]:
        row = tokens - shard * rows
        mine = (row >= 0) & (row < rows)
        return jnp.where(mine[:, None], held[jnp.where(mine, row, 0)], 0)

    return jax.vmap(look_up)(jnp.arange(shards, dtype=tokens.dtype), table).sum(axis=0)
