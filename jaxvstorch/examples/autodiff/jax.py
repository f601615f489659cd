"""Automatic differentiation in JAX."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float


def _rosenbrock(x: Float[Array, " n"]) -> Float[Array, ""]:
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def rosenbrock_gradient(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """The gradient of Rosenbrock's function, as a separate function."""
    return jax.grad(_rosenbrock)(x)


def _loss(
    weights: Float[Array, " n"],
    bias: Float[Array, ""],
    x: Float[Array, "batch n"],
    y: Float[Array, " batch"],
) -> tuple[Float[Array, ""], Float[Array, " batch"]]:
    prediction = x @ weights + bias
    return ((prediction - y) ** 2).mean(), prediction


def regression_gradients(
    weights: Float[Array, " n"],
    bias: Float[Array, ""],
    x: Float[Array, "batch n"],
    y: Float[Array, " batch"],
) -> tuple[Float[Array, ""], Float[Array, " batch"], Float[Array, " n"], Float[Array, ""]]:
    """Loss, predictions, and the gradients for two of the arguments, from one evaluation."""
    derive = jax.value_and_grad(_loss, argnums=(0, 1), has_aux=True)
    (loss, prediction), (by_weights, by_bias) = derive(weights, bias, x, y)
    return loss, prediction, by_weights, by_bias


def tanh_derivative(x: Float[Array, " n"], order: int) -> Float[Array, " n"]:
    """The derivative of tanh of any order: ``grad`` of ``grad`` of ``grad``."""
    slope = jnp.tanh
    for _ in range(order):
        slope = jax.grad(slope)
    return jax.vmap(slope)(x)


def _layer(w: Float[Array, "m n"], x: Float[Array, " n"]) -> Float[Array, " m"]:
    return jnp.tanh(w @ x)


def jacobian_forward(w: Float[Array, "m n"], x: Float[Array, " n"]) -> Float[Array, "m n"]:
    """A Jacobian by columns: one forward pass for each of the ``n`` inputs."""
    return jax.jacfwd(_layer, argnums=1)(w, x)


def jacobian_reverse(w: Float[Array, "m n"], x: Float[Array, " n"]) -> Float[Array, "m n"]:
    """A Jacobian by rows: one backward pass for each of the ``m`` outputs."""
    return jax.jacrev(_layer, argnums=1)(w, x)


def _log_sum_exp(w: Float[Array, "n c"], x: Float[Array, "batch n"]) -> Float[Array, ""]:
    return jax.nn.logsumexp(x @ w, axis=1).sum()


def log_sum_exp_hvp(
    w: Float[Array, "n c"], x: Float[Array, "batch n"], v: Float[Array, "n c"]
) -> Float[Array, "n c"]:
    """The Hessian in ``w`` times ``v``: the gradient's derivative along ``v``."""

    def gradient(w: Array) -> Array:
        return jax.grad(_log_sum_exp)(w, x)

    return jax.jvp(gradient, (w,), (v,))[1]


def log_sum_exp_hessian_times(
    w: Float[Array, "n c"], x: Float[Array, "batch n"], v: Float[Array, "n c"]
) -> Float[Array, "n c"]:
    """The same product, through the whole Hessian."""
    return jnp.tensordot(jax.hessian(_log_sum_exp)(w, x), v, 2)


def rosenbrock_hessian_diagonal(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """The Hessian has three diagonals, so three products hold all of the main one."""
    probes = jnp.arange(x.size) % 3 == jnp.arange(3)[:, None]

    def product(v: Array) -> Array:
        return jax.jvp(jax.grad(_rosenbrock), (x,), (v,))[1]

    products = jax.vmap(product)(probes.astype(x.dtype))
    return jnp.where(probes, products, 0).sum(axis=0)


def _example_loss(
    w: Float[Array, "n c"], x: Float[Array, " n"], y: Float[Array, " c"]
) -> Float[Array, ""]:
    return ((jnp.tanh(x @ w) - y) ** 2).sum()


def per_example_gradients(
    w: Float[Array, "n c"], x: Float[Array, "batch n"], y: Float[Array, "batch c"]
) -> Float[Array, "batch n c"]:
    """A gradient for each example of the batch, not their sum."""
    return jax.vmap(jax.grad(_example_loss), (None, 0, 0))(w, x, y)


def round_straight_through(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Round, with the derivative of the identity: that of ``round`` is zero."""
    return x + lax.stop_gradient(jnp.round(x) - x)


def _newton(
    eccentric: Float[Array, " n"], mean: Float[Array, " n"], eccentricity: Float[Array, " n"]
) -> Float[Array, " n"]:
    error = eccentric - eccentricity * jnp.sin(eccentric) - mean
    return eccentric - error / (1 - eccentricity * jnp.cos(eccentric))


def kepler(mean: Float[Array, " n"], eccentricity: Float[Array, " n"]) -> Float[Array, " n"]:
    """Solve Kepler's equation; only the last step of Newton's method is differentiated."""
    fixed = lax.stop_gradient((mean, eccentricity))
    first = fixed[0] + 0.85 * fixed[1]  # Danby's first guess, for mean anomalies up to pi
    root = lax.fori_loop(0, 3, lambda _, guess: _newton(guess, *fixed), first)
    return _newton(root, mean, eccentricity)


@jax.custom_jvp
def log1pexp(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """``log(1 + exp(x))`` without overflow, with a hand-written derivative."""
    return jnp.maximum(x, 0) + jnp.log1p(jnp.exp(-jnp.abs(x)))


@log1pexp.defjvp
def _log1pexp_jvp(primals: Any, tangents: Any) -> tuple[Array, Array]:
    (x,), (dx,) = primals, tangents
    return log1pexp(x), jax.nn.sigmoid(x) * dx


@jax.custom_vjp
def clip_gradient(x: Float[Array, " n"], limit: float) -> Float[Array, " n"]:
    """The identity; the backward pass clips its gradient."""
    return x


def _clip_forward(x: Array, limit: float) -> tuple[Array, float]:
    return x, limit


def _clip_backward(limit: float, gradient: Array) -> tuple[Array, None]:
    return jnp.clip(gradient, -limit, limit), None


clip_gradient.defvjp(_clip_forward, _clip_backward)


def _block(
    x: Float[Array, "batch n"], w_in: Float[Array, "n h"], w_out: Float[Array, "h n"]
) -> Float[Array, "batch n"]:
    return x + jnp.tanh(x @ w_in) @ w_out


def residual_mlp(
    x: Float[Array, "batch n"], w_in: Float[Array, "depth n h"], w_out: Float[Array, "depth h n"]
) -> Float[Array, "batch n"]:
    """Residual blocks; each saves what its derivative needs."""

    def step(x: Array, weights: tuple[Array, Array]) -> tuple[Array, None]:
        return _block(x, *weights), None

    return lax.scan(step, x, (w_in, w_out))[0]


def residual_mlp_checkpointed(
    x: Float[Array, "batch n"], w_in: Float[Array, "depth n h"], w_out: Float[Array, "depth h n"]
) -> Float[Array, "batch n"]:
    """Residual blocks; each saves its input, and recomputes the rest."""

    @jax.checkpoint
    def step(x: Array, weights: tuple[Array, Array]) -> tuple[Array, None]:
        return _block(x, *weights), None

    return lax.scan(step, x, (w_in, w_out))[0]
