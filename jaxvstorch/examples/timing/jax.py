"""Functions to time, in JAX."""

import math

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float


def selu(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """The function that JAX's quickstart times; ``jax.nn.selu`` has more digits."""
    return 1.05 * jnp.where(x > 0, x, 1.67 * jnp.expm1(x))


def gelu(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Five operations in a row; ``jax.nn.gelu(x, approximate=False)`` is the library's."""
    return 0.5 * x * (1 + jax.lax.erf(x / math.sqrt(2)))


def polynomial(x: Float[Array, " n"], coefficients: Float[Array, " k"]) -> Float[Array, " n"]:
    """Horner's rule, with the coefficient of the highest power first; the loop is unrolled."""
    y = jnp.full_like(x, coefficients[0])
    for k in range(1, len(coefficients)):
        y = y * x + coefficients[k]
    return y


def moving_average(x: Float[Array, " n"]) -> Float[Array, " m"]:
    """The mean of each three neighbors."""
    return (x[:-2] + x[1:-1] + x[2:]) / 3


def sin_and_cos(x: Float[Array, " n"]) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """Two results from one argument: one loop could write both."""
    return jnp.sin(x), jnp.cos(x)


def mean_squared_error(
    predicted: Float[Array, " n"], target: Float[Array, " n"]
) -> Float[Array, ""]:
    """Element-wise operations that feed a reduction."""
    return jnp.mean((predicted - target) ** 2)


def log_sum_exp(x: Float[Array, "rows n"]) -> Float[Array, " rows"]:
    """Two reductions, the second of which needs the first; see ``jax.nn.logsumexp``."""
    largest = jnp.max(x, axis=1, keepdims=True)
    return jnp.log(jnp.sum(jnp.exp(x - largest), axis=1)) + largest[:, 0]


def normalize_rows(x: Float[Array, "rows n"]) -> Float[Array, "rows n"]:
    """Two reductions of each row, and element-wise operations that need both."""
    centred = x - jnp.mean(x, axis=1, keepdims=True)
    variance = jnp.mean(centred**2, axis=1, keepdims=True)
    return centred / jnp.sqrt(variance + 1e-5)


def dense(
    x: Float[Array, "batch n"], weights: Float[Array, "n m"], bias: Float[Array, " m"]
) -> Float[Array, "batch m"]:
    """A matrix product, then element-wise operations."""
    return jnp.tanh(x @ weights + bias)


def growth(rates: Float[Array, " n"]) -> Float[Array, " n"]:
    """A running sum between element-wise operations."""
    return jnp.exp(jnp.cumsum(jnp.log1p(rates)))


def product_left(
    a: Float[Array, "n n"], b: Float[Array, "n n"], x: Float[Array, " n"]
) -> Float[Array, " n"]:
    """Python multiplies from the left: the matrices first."""
    return a @ b @ x


def product_right(
    a: Float[Array, "n n"], b: Float[Array, "n n"], x: Float[Array, " n"]
) -> Float[Array, " n"]:
    """Two products of a matrix and a vector."""
    return a @ (b @ x)
