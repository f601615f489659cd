"""The steps in JAX: one program does all of it, in the memory of the weights and of the moments."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.training import GPT, RATE, WEIGHT_DECAY, Step
from jaxvstorch.examples.porting import inputs, jax_optax
from jaxvstorch.examples.training import jax_optax as gpt


def make(name: str) -> Step:
    """A step with a new model."""
    step, *state = {"gpt_step": _gpt, "classifier_step": _classifier}[name]()

    def call(*batch: Any) -> Any:
        nonlocal state
        *state, loss = step(*state, *batch)
        return loss

    def memory(*batch: Any) -> int:
        found = step.lower(*state, *batch).compile().memory_analysis()
        sizes = found.argument_size_in_bytes + found.output_size_in_bytes
        return int(sizes - found.alias_size_in_bytes + found.temp_size_in_bytes)

    return Step(call, memory)


def _gpt() -> tuple[Any, ...]:
    params = jax.tree.map(jnp.asarray, GPT.init(np.random.default_rng(0)))
    optimizer = gpt.adamw(RATE, WEIGHT_DECAY)
    return gpt.make_train_step(optimizer), params, optimizer.init(params)


def _classifier() -> tuple[Any, ...]:
    params, statistics, _ = inputs.network(64, np.dtype("float32"), np.random.default_rng(0))
    return jax_optax.train_step, jax_optax.init(params | statistics)
