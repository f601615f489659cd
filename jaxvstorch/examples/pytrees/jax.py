"""Pytrees in JAX."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.flatten_util import ravel_pytree
from jax.tree_util import keystr
from jaxtyping import Float

from jaxvstorch.examples.pytrees.state import Moments

Params = dict[str, dict[str, Float[Array, "..."]]]
Named = dict[str, Float[Array, "..."]]


def sgd_step(params: Params, grads: Params, rate: float) -> Params:
    """Move each parameter against its gradient."""
    return jax.tree.map(lambda p, g: p - rate * g, params, grads)


def global_norm(tree: Params) -> Float[Array, ""]:
    """Take the root of the sum of all squares in a tree."""
    return jnp.sqrt(sum(jnp.vdot(x, x) for x in jax.tree.leaves(tree)))


def clip_by_global_norm(grads: Params, limit: float) -> Params:
    """Scale all gradients by one factor, so that their norm is at most ``limit``."""
    scale = jnp.minimum(1.0, limit / global_norm(grads))
    return jax.tree.map(lambda g: g * scale, grads)


def decay_weights(params: Named, rate: float) -> Named:
    """Decay everything except the biases, which the end of a path names."""

    def decay(path: tuple[Any, ...], p: Array) -> Array:
        name = keystr(path, simple=True, separator=".")
        return p if name.endswith("bias") else (1 - rate) * p

    return jax.tree.map_with_path(decay, params)


def average(mean: Named, params: Named, decay: float) -> Named:
    """Move a running average towards the new parameters."""
    return jax.tree.map(lambda m, p: decay * m + (1 - decay) * p, mean, params)


def mlp_apply(params: Params, x: Float[Array, "batch in"]) -> Float[Array, "batch out"]:
    """Apply two layers with a hyperbolic tangent between them."""
    hidden, output = params["hidden"], params["output"]
    h = jnp.tanh(x @ hidden["weight"] + hidden["bias"])
    return h @ output["weight"] + output["bias"]


def _loss(params: Params, x: Array, y: Array) -> Array:
    return jnp.mean((mlp_apply(params, x) - y) ** 2)


def mlp_gradients(
    params: Params, x: Float[Array, "batch in"], y: Float[Array, "batch out"]
) -> Params:
    """Differentiate the loss: the gradient of a tree is a tree of the same structure."""
    return jax.grad(_loss)(params, x, y)


def flatten_to_vector(params: Named) -> Float[Array, " n"]:
    """Put all numbers of a tree into one vector, in the order of its leaves."""
    vector, _ = ravel_pytree(params)  # the second one makes the tree of a vector again
    return vector


def stack_trees(trees: list[Params]) -> Params:
    """Make one tree of several: each leaf gets a first axis, the number of the tree."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)


def ensemble_apply(
    params: Params, x: Float[Array, "batch in"]
) -> Float[Array, "members batch out"]:
    """Apply stacked networks to one batch: one axis, 0, for every leaf of ``params``."""
    return jax.vmap(mlp_apply, in_axes=(0, None))(params, x)


def adam_step(
    params: Params, grads: Params, moments: Moments, rate: float
) -> tuple[Params, Moments]:
    """Take a step of Adam with its usual constants; the moments are trees like the parameters."""
    count = moments.count + 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments.mean, grads)
    square = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments.square, grads)

    def step(p: Array, m: Array, v: Array) -> Array:
        root = jnp.sqrt(v / (1 - 0.999**count))
        return p - rate * m / (1 - 0.9**count) / (root + 1e-8)

    return jax.tree.map(step, params, mean, square), Moments(mean, square, count)
