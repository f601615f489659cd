"""The answers of the parallelism examples, in NumPy and float64: of the whole, never in shards."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def mlp(w1: Array, w2: Array, x: Array) -> Array:
    """Two matrices with a hyperbolic tangent between them."""
    return np.tanh(x @ w1) @ w2


def mlp_loss(w1: Array, w2: Array, x: Array, y: Array) -> Array:
    """The mean squared difference from ``y``."""
    return np.mean((mlp(w1, w2, x) - y) ** 2)


def train_step(w1: Array, w2: Array, x: Array, y: Array) -> tuple[Array, Array, Array]:
    """The loss, and both matrices after one step down its gradient, derived by hand."""
    hidden = np.tanh(x @ w1)
    error = 2 * (hidden @ w2 - y) / y.size
    slope2 = hidden.T @ error
    slope1 = x.T @ ((error @ w2.T) * (1 - hidden**2))
    return mlp_loss(w1, w2, x, y), w1 - 0.1 * slope1, w2 - 0.1 * slope2


def train_step_in_shards(w1: Array, w2: Array, x: Array, y: Array) -> tuple[Array, Array, Array]:
    """The step on the whole batch."""
    return train_step(w1, w2, np.concatenate(x), np.concatenate(y))


def mlp_column_row(w1: Array, w2: Array, x: Array) -> Array:
    """The network of the whole matrices."""
    return mlp(np.concatenate(w1, axis=1), np.concatenate(w2), x)


def matmul_by_blocks(a: Array, b: Array) -> Array:
    """The product of the whole matrices, cut into blocks again."""
    whole_a, whole_b = (np.block([list(row) for row in blocks]) for blocks in (a, b))
    rows = np.split(whole_a @ whole_b, len(a))
    return np.stack([np.stack(np.split(row, b.shape[1], axis=1)) for row in rows])


def softmax_in_shards(x: Array) -> Array:
    """The softmax over all shards."""
    exponentials = np.exp(x - x.max())
    return exponentials / exponentials.sum()


def mean_in_shards(x: Array, counts: Array) -> Array:
    """The mean of all numbers."""
    return np.mean(np.concatenate(_numbers(x, counts)))


def mean_of_means(x: Array, counts: Array) -> Array:
    """The mean of the shards' means."""
    return np.mean([np.mean(shard) for shard in _numbers(x, counts)])


def attention_in_shards(query: Array, keys: Array, values: Array) -> Array:
    """Attention to all keys."""
    scores = query @ np.concatenate(keys).T / query.shape[-1] ** 0.5
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ np.concatenate(values)


def embedding_in_shards(table: Array, tokens: Array) -> Array:
    """Rows of the whole table."""
    return np.concatenate(table)[tokens]


def _numbers(x: Array, counts: Array) -> list[Array]:
    return [shard[:count] for shard, count in zip(x, counts, strict=True)]
