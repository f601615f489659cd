"""Tracing in JAX."""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float


def sin_cos(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Three operations: the smallest function with something to fuse."""
    return jnp.sin(x) + jnp.cos(x)


def polynomial_sum(x: Float[Array, " n"]) -> Float[Array, ""]:
    """Element-wise arithmetic, then a sum."""
    return jnp.sum(x**2 - x**3 - x)


def matmul(a: Float[Array, "n n"], b: Float[Array, "n n"]) -> Float[Array, "n n"]:
    """One product of square matrices, which no compiler can simplify."""
    return a @ b


def three_ratios(x: Float[Array, " n"], y: Float[Array, " n"]) -> Float[Array, " n"]:
    """Divide three times where once would do: which compiler removes the repetition?"""
    return x / y + x / y + x / y


def print_in_python(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Print when Python runs this line: while tracing, and not in later calls."""
    y = jnp.sin(x)
    print("y =", y)
    return y + 1


def print_in_program(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Print when the compiled program gets here: in each call."""
    y = jnp.sin(x)
    jax.debug.print("y = {y}", y=y)
    return y + 1


def affine(
    x: Float[Array, " n"], factor: float, offset: Float[Array, " n"] | None, squared: bool
) -> Float[Array, " n"]:
    """Compute ``factor * x + offset``, perhaps without an offset, perhaps squared (static)."""
    y = factor * x
    if offset is not None:
        y = y + offset
    return y * y if squared else y


def layer(x: Float[Array, " n"], weights: Float[Array, "n n"]) -> Float[Array, " n"]:
    """Four operations that a larger function repeats."""
    return x + jnp.tanh(weights @ jnp.sin(x))


@jax.jit
def nested_layer(x: Float[Array, " n"], weights: Float[Array, "n n"]) -> Float[Array, " n"]:
    """The same, compiled on its own: inside another ``jax.jit`` it is traced once and shared."""
    return layer(x, weights)


def layers(
    x: Float[Array, " n"], weights: Float[Array, "n n"], num_layers: int
) -> Float[Array, " n"]:
    """Apply the layer ``num_layers`` times (static), tracing it each time."""
    for _ in range(num_layers):
        x = layer(x, weights)
    return x


def nested_layers(
    x: Float[Array, " n"], weights: Float[Array, "n n"], num_layers: int
) -> Float[Array, " n"]:
    """Apply the layer ``num_layers`` times (static), tracing it once."""
    for _ in range(num_layers):
        x = nested_layer(x, weights)
    return x
