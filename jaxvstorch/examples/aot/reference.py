"""The answers of the examples that are compiled ahead, in NumPy and float64."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def predict(params: dict[str, Array], x: Array) -> Array:
    """Two layers with a hyperbolic tangent between them."""
    return np.tanh(x @ params["hidden"] + params["bias"]) @ params["output"]


def normalize(x: Array) -> Array:
    """Each row without its mean, divided by its standard deviation."""
    centered = x - np.mean(x, axis=1, keepdims=True)
    return centered / np.sqrt(np.mean(centered**2, axis=1, keepdims=True) + 1e-5)


def classify(scores: Array) -> tuple[Array, Array]:
    """The likeliest class of each row, and its probability under a softmax."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores.argmax(axis=1), powers.max(axis=1) / powers.sum(axis=1)


def embed(table: Array, tokens: Array) -> Array:
    """The table's row for each token."""
    return table[tokens]


def filter_fir(signal: Array, taps: Array) -> Array:
    """The signal convolved with the taps, where they overlap fully."""
    return np.convolve(signal, taps, mode="valid")


def kalman_step(mean: Array, covariance: Array, observed: Array) -> tuple[Array, Array]:
    """Move each place by its speed, then correct it by what was observed."""
    move = np.array([[1.0, 1.0], [0.0, 1.0]])
    mean = mean @ move.T
    covariance = move @ covariance @ move.T + 0.1 * np.eye(2)
    gain = covariance[:, :, 0] / (covariance[:, 0, 0] + 1)[:, None]
    corrected = mean + gain * (observed - mean[:, 0])[:, None]
    return corrected, covariance - gain[:, :, None] * covariance[:, None, 0, :]


def pool_pairs(x: Array) -> Array:
    """The larger number of each pair of neighboring rows."""
    return np.maximum(x[0::2], x[1::2])


def similarity(queries: Array, keys: Array) -> Array:
    """The cosine of the angle between each query and each key."""
    lengths = np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(keys, axis=1)
    return queries @ keys.T / lengths


def recent_mean(x: Array, count: int) -> Array:
    """The mean of the last numbers."""
    return np.asarray(np.mean(x[len(x) - count :]))


def amplify(x: Array, gain: float) -> Array:
    """The numbers, louder, and limited softly to one."""
    return np.tanh(gain * x)
