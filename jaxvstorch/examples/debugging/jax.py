"""A gradient printed from a compiled function, and functions with a NaN to find, in JAX."""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float


@jax.custom_vjp
def print_gradient(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Return ``x``; the backward pass prints the gradient that arrives here."""
    return x


def _forward(x: Float[Array, " n"]) -> tuple[Float[Array, " n"], None]:
    return x, None


def _backward(_: None, gradient: Float[Array, " n"]) -> tuple[Float[Array, " n"]]:
    jax.debug.print("gradient: {}", gradient)
    return (gradient,)


print_gradient.defvjp(_forward, _backward)


def entropy(p: Float[Array, " n"]) -> Float[Array, ""]:
    """The entropy in nats. A zero makes it NaN: the logarithm is -inf, and 0 times -inf is NaN."""
    logs = jnp.log(p)
    return -(p * logs).sum()


def entropy_where(p: Float[Array, " n"]) -> Float[Array, ""]:
    """The same, right for zeros too. But its gradient is NaN there."""
    logs = jnp.log(p)
    return -jnp.where(p > 0, p * logs, 0).sum()


def entropy_safe(p: Float[Array, " n"]) -> Float[Array, ""]:
    """The same, with a gradient of 0 for zeros: they do not reach the logarithm."""
    logs = jnp.log(jnp.where(p > 0, p, 1))
    return -(p * logs).sum()
