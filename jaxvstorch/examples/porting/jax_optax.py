"""The same script without modules: plain functions of ``jax.py``, and optax."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import Array

from jaxvstorch.examples.porting.jax import Named, cross_entropy, forward
from jaxvstorch.examples.porting.settings import RATE, WEIGHT_DECAY

OPTIMIZER = optax.adamw(RATE, weight_decay=WEIGHT_DECAY)
STATISTICS = ("batch_norm.running_mean", "batch_norm.running_var")


class State(NamedTuple):
    """What a step changes."""

    params: Named
    statistics: Named
    moments: Any


def init(state_dict: Mapping[str, Any]) -> State:
    """The state before the first step, of arrays under the names of PyTorch."""
    named = {name: jnp.array(value) for name, value in state_dict.items()}
    statistics = {name: named.pop(name) for name in STATISTICS}
    named.pop("batch_norm.num_batches_tracked", None)
    return State(named, statistics, OPTIMIZER.init(named))


@partial(jax.jit, donate_argnums=0)
def train_step(state: State, images: Array, labels: Array) -> tuple[State, Array]:
    """The state after one batch, in the memory of the old one, and the loss before it."""

    def loss_of(params: Named) -> tuple[Array, Named]:
        logits, statistics = forward(params, state.statistics, images)
        return cross_entropy(logits, labels), statistics

    (loss, statistics), grads = jax.value_and_grad(loss_of, has_aux=True)(state.params)
    updates, moments = OPTIMIZER.update(grads, state.moments, state.params)
    return State(optax.apply_updates(state.params, updates), statistics, moments), loss
