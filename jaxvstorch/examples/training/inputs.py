"""Inputs of the examples on training, as NumPy arrays. The size is the number of tokens."""

from typing import Any

import numpy as np

from jaxvstorch.examples.training.config import Config

SMALL = Config(layers=2, heads=2, width=4, context=8, vocabulary=11)  # for tests
LARGE = Config(layers=4, heads=4, width=64, context=64, vocabulary=64)
FROM = 512  # from this number of tokens on the large one is used
NEW, KEPT, TEMPERATURE, RATE = 3, 5, 0.8, 0.1

Arguments = tuple[Any, ...]


def config(size: int) -> Config:
    """The network for this number of tokens."""
    return LARGE if size >= FROM else SMALL


def shape(size: int) -> tuple[int, int]:
    """Rows of a batch, and tokens in each: half a context, so that an answer has room."""
    time = config(size).context // 2
    return max(1, size // time), time


def operations(size: int) -> int:
    """Of the logits of a batch."""
    return config(size).forward_operations(*shape(size))


def _tokens(size: int, rng: np.random.Generator) -> Any:
    return rng.integers(0, config(size).vocabulary, shape(size)).astype(np.int32)


def heads(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Queries, keys and values."""
    of = config(size)
    dims = (*shape(size), of.heads, of.width // of.heads)
    return tuple(rng.standard_normal(dims).astype(dtype) for _ in range(3))


def block(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Weights of one block, and what it gets."""
    of = config(size)
    weights = {name: stacked[0] for name, stacked in of.init(rng, dtype)["blocks"].items()}
    return weights, rng.standard_normal((*shape(size), of.width)).astype(dtype)


def text(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Weights, and tokens."""
    return config(size).init(rng, dtype), _tokens(size, rng)


def batch(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Weights, tokens, and their targets."""
    return *text(size, dtype, rng), _tokens(size, rng)


def padded(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The same, and the last two tokens of each row have no target."""
    params, tokens, targets = batch(size, dtype, rng)
    targets[:, -2:] = -100
    return params, tokens, targets


def training(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Weights, tokens, targets, and a learning rate."""
    return *batch(size, dtype, rng), RATE


def room(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Weights, and the rows of a batch."""
    return config(size).init(rng, dtype), shape(size)[0]


def continued(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Weights, a cache with two tokens in it, further tokens, and the position of their first."""
    of, (rows, time) = config(size), shape(size)
    dims = of.layers, rows, of.context, of.heads, of.width // of.heads
    cache = {name: np.zeros(dims, dtype) for name in ("k", "v")}
    for part in cache.values():
        part[:, :, :2] = rng.standard_normal((*dims[:2], 2, *dims[3:]))
    return of.init(rng, dtype), cache, _tokens(size, rng)[:, : time - 1], np.array(2, np.int32)


def scores(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Scores of the next token, noise, a temperature, and how many tokens may be chosen."""
    dims = shape(size)[0], config(size).vocabulary
    noise = rng.gumbel(size=dims).astype(dtype)
    return rng.standard_normal(dims).astype(dtype), noise, TEMPERATURE, KEPT


def prompt(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Weights, a prompt, noise for each new token, a temperature, and how many may be chosen."""
    params, tokens = text(size, dtype, rng)
    dims = NEW, len(tokens), config(size).vocabulary
    return params, tokens, rng.gumbel(size=dims).astype(dtype), TEMPERATURE, KEPT
