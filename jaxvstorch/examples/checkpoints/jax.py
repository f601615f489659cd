"""Functions of a checkpoint's arrays, in JAX."""

from functools import reduce

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

Named = dict[str, Float[Array, "..."]]

WARMUP, LAST, PEAK = 10, 100, 0.01
DECAY = 1e-2  # of the weights, as by default in PyTorch


def mean_of_checkpoints(checkpoints: list[Named]) -> Named:
    """Average the weights of several checkpoints of one run."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves).mean(axis=0), *checkpoints)


def largest_difference(params: Named, others: Named) -> Float[Array, ""]:
    """Find how far two checkpoints are apart; 0 if they are equal and finite."""
    apart = jax.tree.map(lambda a, b: jnp.abs(a - b).max(), params, others)
    return reduce(jnp.maximum, jax.tree.leaves(apart))


def all_finite(params: Named) -> Bool[Array, ""]:
    """Check whether a checkpoint may replace the one before it."""
    finite = [jnp.isfinite(x).all() for x in jax.tree.leaves(params)]
    return reduce(jnp.logical_and, finite)


def grow_rows(table: Float[Array, "n d"], rows: int) -> Float[Array, "rows d"]:
    """Add rows to an embedding that was saved; each new row is the mean of the old ones."""
    new = jnp.broadcast_to(table.mean(axis=0), (rows - table.shape[0], table.shape[1]))
    return jnp.concatenate([table, new])


def adamw_step(
    parameter: Float[Array, "..."],
    gradient: Float[Array, "..."],
    mean: Float[Array, "..."],
    square: Float[Array, "..."],
    count: Int[Array, ""],
    rate: Float[Array, ""],
) -> tuple[Float[Array, "..."], Float[Array, "..."], Float[Array, "..."], Int[Array, ""]]:
    """Take one step of AdamW from a state; ``count`` is the number of steps taken before."""
    count = count + 1
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.999 * square + 0.001 * gradient**2
    steps = count.astype(parameter.dtype)
    unbiased = jnp.sqrt(square / (1 - 0.999**steps))
    change = mean / (1 - 0.9**steps) / (unbiased + 1e-8)
    return parameter * (1 - rate * DECAY) - rate * change, mean, square, count


def rate_at(step: Float[Array, ""]) -> Float[Array, ""]:
    """Compute the learning rate of a step, from the step's number alone."""
    gone = jnp.clip((step - WARMUP) / (LAST - WARMUP), 0, 1)
    return PEAK * jnp.minimum(step / WARMUP, 1) * (1 + jnp.cos(jnp.pi * gone)) / 2


def _loss(weights: Array, x: Array, y: Array, kept: Array) -> Array:
    return ((jnp.where(kept, x, 0) * 2 @ weights - y) ** 2).mean()


def dropout_gradient(
    weights: Float[Array, " d"],
    x: Float[Array, "n d"],
    y: Float[Array, " n"],
    kept: Bool[Array, "n d"],
) -> Float[Array, " d"]:
    """Differentiate the loss with half of the inputs dropped, for a mask that was drawn before."""
    return jax.grad(_loss)(weights, x, y, kept)
