"""Element by element."""

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike


def div(input: ArrayLike, other: ArrayLike, rounding_mode: str | None) -> Array:
    """A quotient; of integers it is an integer, rounded toward zero or down."""
    if rounding_mode is None:
        return jnp.true_divide(input, other)
    if rounding_mode == "floor":
        return jnp.floor_divide(input, other)
    quotient = jnp.trunc(jnp.true_divide(input, other))
    return quotient.astype(jnp.result_type(input, other))
