"""The training step in JAX with an optimizer of the library optax."""

from collections.abc import Callable
from typing import Any

import jax
import optax
from jax import Array

from jaxvstorch.examples.training.jax import Params, loss

Step = Callable[[Params, Any, Array, Array], tuple[Params, Any, Array]]


def adamw(rate: float, weight_decay: float) -> optax.GradientTransformation:
    """AdamW with the constants of ``torch_module.py``."""
    return optax.adamw(rate, weight_decay=weight_decay)


def make_train_step(optimizer: optax.GradientTransformation) -> Step:
    """A step that ``jax.jit`` compiles; it donates the parameters and the state."""

    def train_step(
        params: Params, state: Any, tokens: Array, targets: Array
    ) -> tuple[Params, Any, Array]:
        value, grads = jax.value_and_grad(loss)(params, tokens, targets)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    return jax.jit(train_step, donate_argnames=("params", "state"))
