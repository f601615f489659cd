"""Functions to compile ahead, in JAX."""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int

Params = dict[str, Float[Array, "..."]]


def predict(params: Params, x: Float[Array, "batch in"]) -> Float[Array, "batch out"]:
    """Apply two layers with a hyperbolic tangent between them."""
    hidden = jnp.tanh(x @ params["hidden"] + params["bias"])
    return hidden @ params["output"]


def normalize(x: Float[Array, "batch features"]) -> Float[Array, "batch features"]:
    """Give each row the mean 0 and the variance 1."""
    return jax.nn.standardize(x, axis=1, epsilon=1e-5)


def classify(
    scores: Float[Array, "batch classes"],
) -> tuple[Int[Array, " batch"], Float[Array, " batch"]]:
    """Take the likeliest class of each row, and its probability."""
    probabilities = jax.nn.softmax(scores, axis=1)
    return probabilities.argmax(axis=1), probabilities.max(axis=1)


def embed(
    table: Float[Array, "vocabulary features"], tokens: Int[Array, " length"]
) -> Float[Array, "length features"]:
    """Look up the row of each token."""
    return table[tokens]


def filter_fir(signal: Float[Array, " n"], taps: Float[Array, " taps"]) -> Float[Array, " kept"]:
    """Filter a signal, where it has a number for every tap."""
    return jnp.convolve(signal, taps, mode="valid")


def kalman_step(
    mean: Float[Array, "batch 2"],
    covariance: Float[Array, "batch 2 2"],
    observed: Float[Array, " batch"],
) -> tuple[Float[Array, "batch 2"], Float[Array, "batch 2 2"]]:
    """Move positions by their speeds, and correct them by the observed positions."""
    move = jnp.array([[1, 1], [0, 1]], mean.dtype)
    mean = mean @ move.T
    noise = 0.1 * jnp.eye(2, dtype=mean.dtype)
    covariance = move @ covariance @ move.T + noise
    gain = covariance[:, :, 0] / (covariance[:, 0, 0] + 1)[:, None]
    corrected = mean + gain * (observed - mean[:, 0])[:, None]
    return corrected, covariance - gain[:, :, None] * covariance[:, None, 0]


def pool_pairs(x: Float[Array, "batch features"]) -> Float[Array, "half features"]:
    """Keep the larger number of each pair of neighboring rows; the number of rows is even."""
    return x.reshape(-1, 2, x.shape[1]).max(axis=1)


def similarity(
    queries: Float[Array, "m features"], keys: Float[Array, "n features"]
) -> Float[Array, "m n"]:
    """Compare each query with each key, by the cosine of their angle."""
    queries = queries / jnp.linalg.norm(queries, axis=1, keepdims=True)
    keys = keys / jnp.linalg.norm(keys, axis=1, keepdims=True)
    return queries @ keys.T


def recent_mean(x: Float[Array, " n"], count: int) -> Float[Array, ""]:
    """Average the last ``count`` numbers."""
    return x[-count:].mean()


def amplify(x: Float[Array, " n"], gain: float) -> Float[Array, " n"]:
    """Multiply by a Python number, and limit softly to one."""
    return jnp.tanh(gain * x)
