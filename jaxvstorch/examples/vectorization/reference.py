"""The answers of the vectorization examples, in NumPy and float64: loops, and no broadcasting."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def dot(a: Array, b: Array) -> Array:
    """The dot product of each example of ``a`` with the same example of ``b``."""
    return np.array([x @ y for x, y in zip(a, b, strict=True)])


def affine_shared(weight: Array, bias: Array, x: Array) -> Array:
    """One affine map of each example."""
    return np.array([weight @ example + bias for example in x])


def affine_each(weights: Array, biases: Array, x: Array) -> Array:
    """Each affine map of one example."""
    return np.array([w @ x + b for w, b in zip(weights, biases, strict=True)])


def attention(query: Array, key: Array, value: Array) -> Array:
    """Scaled dot-product attention of each head, without a mask."""
    results = []
    for head in range(query.shape[1]):
        scores = query[:, head] @ key[:, head].T / np.sqrt(query.shape[-1])
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        results.append(weights / weights.sum(axis=1, keepdims=True) @ value[:, head])
    return np.stack(results, axis=1)


def distances(x: Array, y: Array) -> Array:
    """The Euclidean distance of each point of ``x`` from each point of ``y``."""
    return np.array([[np.linalg.norm(a - b) for b in y] for a in x])


def kernel(x: Array, y: Array) -> Array:
    """The Gaussian kernel of each number of ``x`` with each number of ``y``."""
    return np.array([[np.exp(-((a - b) ** 2) / 2) for b in y] for a in x])


def interpolate(at: Array, knots: Array, values: Array) -> Array:
    """Each example between its own values, at its own places."""
    return np.array([np.interp(a, knots, v) for a, v in zip(at, values, strict=True)])


def solve(matrices: Array, right: Array) -> Array:
    """The solution of each system."""
    return np.array([np.linalg.solve(a, b) for a, b in zip(matrices, right, strict=True)])


def normalize_batch(x: Array) -> Array:
    """Mean 0 and variance 1 for each feature over the batch."""
    return (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + 1e-5)


def cosines(a: Array, b: Array) -> Array:
    """The cosine of the angle between each vector of ``a`` and each of ``b``."""
    return np.array([[x @ y / np.linalg.norm(x) / np.linalg.norm(y) for y in b] for x in a])


def mean_positive(x: Array) -> Array:
    """The mean of each example's positive numbers."""
    return np.array([example[example > 0].mean() for example in x])


def sqrt(x: Array) -> Array:
    """The square root of each number."""
    return np.sqrt(x)
