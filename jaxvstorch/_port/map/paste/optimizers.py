"""Optimizers that optax has in another form."""

from typing import Any

import jax
import jax.numpy as jnp
import optax


def adagrad(learning_rate: float, initial: float, eps: float) -> optax.GradientTransformation:
    """Adagrad with epsilon outside the root."""

    def init(params: Any) -> Any:
        return jax.tree.map(lambda p: jnp.full_like(p, initial), params)

    def update(grads: Any, sums: Any, params: Any = None) -> Any:
        sums = jax.tree.map(lambda s, g: s + g**2, sums, grads)
        steps = jax.tree.map(lambda g, s: -learning_rate * g / (jnp.sqrt(s) + eps), grads, sums)
        return steps, sums

    return optax.GradientTransformation(init, update)
