"""The answers of the branching examples, in NumPy and float64."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def select(predicate: Array, x: Array) -> Array:
    """The sine of ``x`` where the predicate holds, its square elsewhere."""
    return np.where(predicate, np.sin(x), x * x)


def activate(kind: Array, x: Array) -> Array:
    """Hyperbolic tangent, logistic function or SiLU of ``x``, by number, clamped to 0 and 2."""
    logistic = 1 / (1 + np.exp(-x))
    return (np.tanh(x), logistic, x * logistic)[int(np.clip(kind, 0, 2))]


def expensive(predicate: Array, x: Array) -> Array:
    """Eight products with ``x``, each squashed, where the predicate holds; else twice ``x``.

    Predicates and matrices may come in batches.
    """
    y = x
    for _ in range(8):
        y = np.tanh(y @ x)
    return np.where(np.asarray(predicate)[..., None, None], y, 2 * x)


def sqrt(x: Array) -> Array:
    """The square root of positive numbers, zero for the rest."""
    return np.sqrt(np.maximum(x, 0))


def next_token(logits: Array, finished: Array, end_token: int) -> tuple[Array, Array]:
    """The likeliest token of each sequence, and which sequences have finished with it."""
    token = np.where(finished, end_token, logits.argmax(axis=-1))
    return token, finished | (token == end_token)


def mask_after_end(tokens: Array, end_token: int) -> Array:
    """True up to and including each sequence's first end token, False after it."""
    mask = np.ones(tokens.shape, dtype=bool)
    for row, kept in zip(tokens, mask, strict=True):
        ends = np.flatnonzero(row == end_token)
        if ends.size:
            kept[ends[0] + 1 :] = False
    return mask


def attention_mask(tokens: Array, end_token: int) -> Array:
    """Entry ``[b, i, j]``: may position ``i`` of sequence ``b`` look at position ``j``?"""
    position = np.arange(tokens.shape[-1])
    return (position[:, None] >= position) & mask_after_end(tokens, end_token)[:, None, :]
