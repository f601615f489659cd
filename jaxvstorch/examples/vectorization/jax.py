"""Batching with vmap in JAX."""

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float


def _dot(a: Float[Array, " n"], b: Float[Array, " n"]) -> Float[Array, ""]:
    return jnp.sum(a * b)


def dot_batch(a: Float[Array, "batch n"], b: Float[Array, "batch n"]) -> Float[Array, " batch"]:
    """The dot product of each example of ``a`` with the same example of ``b``."""
    return jax.vmap(_dot)(a, b)


def _affine(
    weight: Float[Array, "m n"], bias: Float[Array, " m"], x: Float[Array, " n"]
) -> Float[Array, " m"]:
    return weight @ x + bias


def affine_shared(
    weight: Float[Array, "m n"], bias: Float[Array, " m"], x: Float[Array, "batch n"]
) -> Float[Array, "batch m"]:
    """One model, a batch of examples."""
    for_batch = jax.vmap(_affine, in_axes=(None, None, 0))
    return for_batch(weight, bias, x)


def affine_each(
    weights: Float[Array, "models m n"], biases: Float[Array, "models m"], x: Float[Array, " n"]
) -> Float[Array, "models m"]:
    """An ensemble of models, one example."""
    for_models = jax.vmap(_affine, in_axes=(0, 0, None))
    return for_models(weights, biases, x)


def _attention(
    query: Float[Array, "length d"], key: Float[Array, "length d"], value: Float[Array, "length d"]
) -> Float[Array, "length d"]:
    scores = query @ key.T / query.shape[-1] ** 0.5
    return jax.nn.softmax(scores, axis=-1) @ value


def attention_heads(
    query: Float[Array, "length heads d"],
    key: Float[Array, "length heads d"],
    value: Float[Array, "length heads d"],
) -> Float[Array, "length heads d"]:
    """Attention of each head, from attention of one."""
    for_heads = jax.vmap(_attention, in_axes=1, out_axes=1)
    return for_heads(query, key, value)


def _distance(a: Float[Array, " d"], b: Float[Array, " d"]) -> Float[Array, ""]:
    return jnp.linalg.norm(a - b)


def pairwise_distances(x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
    """The distance of each point of ``x`` from each point of ``y``."""
    from_one = jax.vmap(_distance, in_axes=(None, 0))
    return jax.vmap(from_one, in_axes=(0, None))(x, y)


def _kernel(x: Float[Array, ""], y: Float[Array, ""]) -> Float[Array, ""]:
    return jnp.exp(-((x - y) ** 2) / 2)


def kernel_matrix(x: Float[Array, " n"], y: Float[Array, " m"]) -> Float[Array, "n m"]:
    """The Gaussian kernel of each number of ``x`` with each number of ``y``."""
    row = jax.vmap(_kernel, in_axes=(None, 0))
    return jax.vmap(row, in_axes=(0, None))(x, y)


def interpolate_batch(
    at: Float[Array, "batch q"], knots: Float[Array, " k"], values: Float[Array, "batch k"]
) -> Float[Array, "batch q"]:
    """Interpolate each example between its own values; ``jnp.interp`` takes one at a time."""
    interpolate = jax.vmap(jnp.interp, in_axes=(0, None, 0))
    return interpolate(at, knots, values)


def solve_batch(
    matrices: Float[Array, "batch n n"], right: Float[Array, "batch n"]
) -> Float[Array, "batch n"]:
    """Solve each system for its own right-hand side."""
    return jax.vmap(jnp.linalg.solve)(matrices, right)


def normalize_batch(x: Float[Array, "batch n"]) -> Float[Array, "batch n"]:
    """Give each feature mean 0 and variance 1 over the batch."""

    def normalize(x: Array) -> Array:
        centered = x - lax.pmean(x, "batch")
        variance = lax.pmean(centered**2, "batch")
        return centered / jnp.sqrt(variance + 1e-5)

    return jax.vmap(normalize, axis_name="batch")(x)


def cosines(a: Float[Array, "p n"], b: Float[Array, "q n"]) -> Float[Array, "p q"]:
    """The cosine of the angle between each vector of ``a`` and each of ``b``."""

    def cosine(a: Array, b: Array) -> Array:
        return a @ b / (jnp.linalg.norm(a) * jnp.linalg.norm(b))

    broadcast = jnp.vectorize(cosine, signature="(n),(n)->()")
    return broadcast(a[:, None], b)


def _mean_positive(x: Float[Array, " n"]) -> Float[Array, ""]:
    return jnp.mean(x, where=x > 0)


def mean_positive(x: Float[Array, "batch n"]) -> Float[Array, " batch"]:
    """The mean of each example's positive numbers, without extracting them."""
    return jax.vmap(_mean_positive)(x)


def _newton(x: Float[Array, ""]) -> Float[Array, ""]:
    # A step leaves about the square of the relative error.
    tolerance = jnp.finfo(x.dtype).eps ** 0.5

    def unfinished(state: tuple[Array, Array]) -> Array:
        before, root = state
        return jnp.abs(root - before) > tolerance * root

    def step(state: tuple[Array, Array]) -> tuple[Array, Array]:
        _, root = state
        return root, (root + x / root) / 2

    first = (jnp.full_like(x, jnp.inf), jnp.maximum(x, 1.0))
    return lax.while_loop(unfinished, step, first)[1]


def newton_batch(x: Float[Array, " batch"]) -> Float[Array, " batch"]:
    """Square roots by Newton's method; steps until the last example is done."""
    return jax.vmap(_newton)(x)
