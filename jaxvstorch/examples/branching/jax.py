"""Branching in JAX."""

import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float


def select_if(predicate: Bool[Array, ""], x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Choose with a Python ``if``: it needs the value, so JAX cannot trace it."""
    if predicate:
        return jnp.sin(x)
    return x * x


def select_cond(predicate: Bool[Array, ""], x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Choose while the program runs; only the branch taken is computed."""
    return lax.cond(predicate, jnp.sin, lambda x: x * x, x)


def select_where(predicate: Bool[Array, ""], x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Compute both branches, then choose element by element."""
    return jnp.where(predicate, jnp.sin(x), x * x)
