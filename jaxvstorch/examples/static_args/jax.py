"""Arguments that decide what is computed, in JAX.

Tell ``jax.jit`` which they are: ``jax.jit(loss, static_argnames="robust")``.
"""

from collections.abc import Callable, Sequence

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float


def loss(
    prediction: Float[Array, " n"], target: Float[Array, " n"], robust: bool
) -> Float[Array, ""]:
    """Mean squared error, damped for outliers if ``robust``: a flag that Python decides on."""
    squares = (prediction - target) ** 2
    if robust:
        squares = jnp.log1p(squares)
    return squares.mean()


def loss_where(
    prediction: Float[Array, " n"], target: Float[Array, " n"], robust: Bool[Array, ""]
) -> Float[Array, ""]:
    """The same with the flag as an array: both sides are in the program, one is kept."""
    squares = (prediction - target) ** 2
    return jnp.where(robust, jnp.log1p(squares), squares).mean()


def relu(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """The positive part."""
    return jnp.maximum(x, 0)


def tanh(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """The hyperbolic tangent."""
    return jnp.tanh(x)


def gated(
    x: Float[Array, " n"], gate: Float[Array, " n"], activation: Callable[[Array], Array]
) -> Float[Array, " n"]:
    """Multiply ``x`` by its activated gate (a gated linear unit); the activation is a function."""
    return x * activation(gate)


_ACTIVATIONS = {"relu": relu, "tanh": tanh}


def gated_by_name(x: Float[Array, " n"], gate: Float[Array, " n"], name: str) -> Float[Array, " n"]:
    """The same with the activation given by name.

    Raises:
        KeyError: there is no activation of that name.
    """
    return x * _ACTIVATIONS[name](gate)


def samples(offset: Float[Array, ""], num_samples: int) -> Float[Array, " num_samples"]:
    """Draw one number from each of ``num_samples`` equal parts of the unit interval."""
    return (jnp.arange(num_samples, dtype=offset.dtype) + offset) / num_samples


def samples_like(offset: Float[Array, ""], like: Float[Array, " n"]) -> Float[Array, " n"]:
    """The same, as many as ``like`` has elements: an array's shape is always known."""
    return samples(offset, like.shape[0])


def mean_over(x: Float[Array, "..."], axes: Sequence[int]) -> Float[Array, "..."]:
    """Mean over some axes, which must be a tuple under ``jax.jit``: a list cannot be hashed."""
    return x.mean(axis=tuple(axes))


def scaled(x: Float[Array, " n"], factor: float) -> Float[Array, " n"]:
    """Multiply by a Python number: it decides nothing, so it need not be static."""
    return factor * x
