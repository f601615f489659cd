"""Rules of optimizers, and what surrounds them, as functions in JAX."""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int

RATE, DECAY = 0.01, 0.1
LARGEST = 1.0
WARMUP, STEPS, END = 100, 1_000, 0.1


def nesterov_step(
    parameter: Float[Array, " n"], gradient: Float[Array, " n"], velocity: Float[Array, " n"]
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """Momentum that looks one step ahead."""
    velocity = 0.9 * velocity + gradient
    return parameter - RATE * (gradient + 0.9 * velocity), velocity


def adamw_step(
    parameter: Float[Array, " n"],
    gradient: Float[Array, " n"],
    mean: Float[Array, " n"],
    square: Float[Array, " n"],
    step: Int[Array, ""],
) -> tuple[Float[Array, " n"], Float[Array, " n"], Float[Array, " n"]]:
    """Adam with decoupled weight decay; the first step is number 1."""
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.999 * square + 0.001 * gradient**2
    count = step.astype(parameter.dtype)
    unbiased = jnp.sqrt(square / (1 - 0.999**count))
    change = mean / (1 - 0.9**count) / (unbiased + 1e-8)
    return parameter - RATE * (change + DECAY * parameter), mean, square


def rmsprop_step(
    parameter: Float[Array, " n"], gradient: Float[Array, " n"], square: Float[Array, " n"]
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """The gradient over the root of a running mean of its squares."""
    square = 0.99 * square + 0.01 * gradient**2
    return parameter - RATE * gradient / (jnp.sqrt(square) + 1e-8), square


def lion_step(
    parameter: Float[Array, " n"], gradient: Float[Array, " n"], mean: Float[Array, " n"]
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """The sign of a mean, and decoupled weight decay."""
    change = jnp.sign(0.9 * mean + 0.1 * gradient)
    return parameter - RATE * (change + DECAY * parameter), 0.99 * mean + 0.01 * gradient


def clip_by_global_norm(
    gradients: dict[str, Float[Array, "..."]],
) -> dict[str, Float[Array, "..."]]:
    """Scale all gradients by one factor, so that their joint norm is at most the limit."""
    norm = jnp.sqrt(sum(jnp.vdot(gradient, gradient) for gradient in jax.tree.leaves(gradients)))
    factor = jnp.minimum(1, LARGEST / norm)
    return jax.tree.map(lambda gradient: gradient * factor, gradients)


def warmup_cosine(step: Int[Array, ""], peak: Float[Array, ""]) -> Float[Array, ""]:
    """The learning rate of a step; the first step is number 0, and its rate is 0."""
    count = step.astype(peak.dtype)
    progress = jnp.clip((count - WARMUP) / (STEPS - WARMUP), 0, 1)
    cosine = END + (1 - END) * (1 + jnp.cos(jnp.pi * progress)) / 2
    return peak * jnp.where(count < WARMUP, count / WARMUP, cosine)


def grouped_step(
    parameters: dict[str, Float[Array, "..."]], gradients: dict[str, Float[Array, "..."]]
) -> dict[str, Float[Array, "..."]]:
    """Gradient descent that decays matrices but not biases."""

    def step(parameter: Array, gradient: Array) -> Array:
        decay = DECAY if parameter.ndim > 1 else 0.0
        return parameter - RATE * (gradient + decay * parameter)

    return jax.tree.map(step, parameters, gradients)
