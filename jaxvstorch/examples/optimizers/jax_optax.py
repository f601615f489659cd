"""What a training program needs from an optimizer, with optax."""

from typing import Any

import jax
import jax.numpy as jnp
import optax

Tree = Any  # of arrays


def after(optimizer: optax.GradientTransformation, parameters: Tree, gradients: Tree) -> Tree:
    """The parameters after a step with each of the gradients, which are stacked."""

    def step(carry: tuple[Tree, Tree], gradient: Tree) -> tuple[tuple[Tree, Tree], None]:
        parameters, state = carry
        updates, state = optimizer.update(gradient, state, parameters)
        return (optax.apply_updates(parameters, updates), state), None

    @jax.jit
    def run(parameters: Tree, gradients: Tree) -> Tree:
        return jax.lax.scan(step, (parameters, optimizer.init(parameters)), gradients)[0][0]

    return run(*jax.tree.map(jnp.asarray, (parameters, gradients)))


def decay_matrices(rate: float, decay: float) -> optax.GradientTransformation:
    """AdamW that decays matrices, but not biases and scales."""

    def is_matrix(parameters: Tree) -> Tree:
        return jax.tree.map(lambda parameter: parameter.ndim > 1, parameters)

    return optax.adamw(rate, weight_decay=decay, mask=is_matrix)


def two_rates(rate: float, of_vectors: float) -> optax.GradientTransformation:
    """Matrices and vectors with separate learning rates."""

    def kinds(parameters: Tree) -> Tree:
        return jax.tree.map(lambda x: "matrix" if x.ndim > 1 else "vector", parameters)

    groups = {"matrix": optax.sgd(rate, 0.9), "vector": optax.sgd(of_vectors, 0.9)}
    return optax.partition(groups, kinds)


def warmup_cosine(peak: float, warmup: int, steps: int) -> optax.Schedule:
    """A straight line from a tenth of the peak, then half a cosine down to another tenth."""
    return optax.warmup_cosine_decay_schedule(peak / 10, peak, warmup, steps, peak / 10)


def clipped(
    optimizer: optax.GradientTransformation, largest: float
) -> optax.GradientTransformation:
    """Clip all gradients together, then step."""
    return optax.chain(optax.clip_by_global_norm(largest), optimizer)


def accumulated(optimizer: optax.GradientTransformation, parts: int) -> optax.MultiSteps:
    """Step once in ``parts`` calls, with the mean of their gradients."""
    return optax.MultiSteps(optimizer, every_k_schedule=parts)
