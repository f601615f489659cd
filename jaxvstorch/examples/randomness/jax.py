"""Random numbers in JAX: a function of a key."""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, Key


def dropout_with_mask(
    x: Float[Array, " n"], keep: Bool[Array, " n"], rate: float
) -> Float[Array, " n"]:
    """Keep what the mask says, scaled so that the mean stays; zero elsewhere."""
    return jnp.where(keep, x / (1 - rate), 0.0)


def dropout(x: Float[Array, " n"], seed: int, rate: float) -> Float[Array, " n"]:
    """Drop each element with probability ``rate``."""
    key = jax.random.key(seed)
    keep = jax.random.bernoulli(key, 1 - rate, x.shape)
    return dropout_with_mask(x, keep, rate)


def estimate_pi(seed: int, points: int) -> Float[Array, ""]:
    """Four times the share of random points of the unit square that lie in the unit circle."""
    xy = jax.random.uniform(jax.random.key(seed), (points, 2))
    inside = jnp.square(xy).sum(axis=1) < 1
    return 4 * inside.mean()


def _with_noise(x: Float[Array, " n"], key: Key[Array, ""]) -> Float[Array, " n"]:
    return x + jax.random.normal(key, x.shape, x.dtype)


def noisy_batch(x: Float[Array, "batch n"], seed: int) -> Float[Array, "batch n"]:
    """Add standard normal noise, different for each example."""
    keys = jax.random.split(jax.random.key(seed), x.shape[0])
    return jax.vmap(_with_noise)(x, keys)


def exponential_from_uniform(
    uniform: Float[Array, " n"], rate: Float[Array, ""]
) -> Float[Array, " n"]:
    """Turn uniform numbers into exponential ones, by the inverse of the distribution function."""
    return -jnp.log1p(-uniform) / rate


def box_muller(
    u: Float[Array, " n"], v: Float[Array, " n"]
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """Turn two uniform numbers into two standard normal ones (Box and Muller 1958)."""
    radius = jnp.sqrt(-2 * jnp.log(u))
    angle = 2 * jnp.pi * v
    return radius * jnp.cos(angle), radius * jnp.sin(angle)


def gumbel_max(
    logits: Float[Array, "batch classes"], uniform: Float[Array, "batch classes"]
) -> Int[Array, " batch"]:
    """Draw a class of each row with the probabilities ``softmax(logits)``."""
    gumbel = -jnp.log(-jnp.log(uniform))
    return jnp.argmax(logits + gumbel, axis=-1)


def shuffle_by_noise(x: Float[Array, " n"], noise: Float[Array, " n"]) -> Float[Array, " n"]:
    """Put numbers into the order of their noise."""
    return x[jnp.argsort(noise)]


def reparameterized_normal(
    mean: Float[Array, " n"], log_std: Float[Array, " n"], noise: Float[Array, " n"]
) -> Float[Array, " n"]:
    """Turn standard normal noise into normal numbers, differentiable in mean and deviation."""
    return mean + jnp.exp(log_std) * noise


def metropolis_step(
    position: Float[Array, " n"],
    noise: Float[Array, " n"],
    uniform: Float[Array, " n"],
    step_size: float,
) -> Float[Array, " n"]:
    """Make one step of n Markov chains whose numbers become standard normal (Metropolis 1953)."""
    proposal = position + step_size * noise
    log_ratio = (position**2 - proposal**2) / 2
    return jnp.where(jnp.log(uniform) < log_ratio, proposal, position)
