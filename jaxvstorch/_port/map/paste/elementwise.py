"""Element by element."""

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import ArrayLike


def dropout(input: Array, p: float, training: bool, key: Array, axes: int | None = None) -> Array:
    """While training, 0 for a part of the numbers, and the others larger for it.

    Where ``axes`` is given, whole channels are drawn: what lies behind that many axes.
    """
    if not training:
        return input
    shape = input.shape if axes is None else input.shape[:axes] + (1,) * (input.ndim - axes)
    return jnp.where(jax.random.bernoulli(key, 1 - p, shape), input / (1 - p), 0)


def div(input: ArrayLike, other: ArrayLike, rounding_mode: str | None) -> Array:
    """A quotient; of integers it is an integer, rounded toward zero or down."""
    if rounding_mode is None:
        return jnp.true_divide(input, other)
    if rounding_mode == "floor":
        return jnp.floor_divide(input, other)
    dtype = jnp.result_type(input, other)
    if not jnp.issubdtype(dtype, jnp.integer):
        return jnp.trunc(jnp.true_divide(input, other)).astype(dtype)
    input, other = jnp.broadcast_arrays(jnp.asarray(input, dtype), jnp.asarray(other, dtype))
    return lax.div(input, other)  # a quotient of float32 would be rounded
