"""The answers of the examples on memory, in NumPy and float64."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

RATE, DECAY = 0.1, 0.9


def kernel_means(x: Array) -> Array:
    """For each point the mean of a Gaussian of its distance to each point."""
    return np.asarray(np.exp(-((x[:, None] - x) ** 2)).mean(axis=1))


def attention(q: Array, k: Array, v: Array) -> Array:
    """Values, weighted by the softmax of the scores."""
    scores = q @ k.T / q.shape[1] ** 0.5
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(weights @ v / weights.sum(axis=1, keepdims=True))


def cross_entropy(hidden: Array, table: Array, labels: Array) -> Array:
    """The mean over the tokens of minus the log-probability of the label."""
    logits = hidden @ table
    largest = logits.max(axis=1)
    log_sum = largest + np.log(np.exp(logits - largest[:, None]).sum(axis=1))
    return np.asarray((log_sum - logits[np.arange(len(labels)), labels]).mean())


def layers(x: Array, weights: Array) -> Array:
    """Residual layers with SiLU, one after another."""
    for weight in weights:
        hidden = x @ weight
        x = x + hidden / (1 + np.exp(-hidden))
    return x


def momentum_step(parameters: Array, velocity: Array, gradient: Array) -> tuple[Array, Array]:
    """The parameters and the velocity after one step."""
    velocity = DECAY * velocity + gradient
    return parameters - RATE * velocity, velocity


def mean_gradient(weights: Array, x: Array, y: Array) -> Array:
    """The gradient of the mean squared error of ``tanh(x @ weights)`` in the weights."""
    out = np.tanh(x @ weights)
    return np.asarray(x.T @ (2 * (out - y) * (1 - out**2)) / out.size)
