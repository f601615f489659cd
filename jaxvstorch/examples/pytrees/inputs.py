"""Inputs of the pytree examples: NumPy arrays in dicts, lists and a named tuple."""

from typing import Any

import numpy as np

from jaxvstorch.examples.pytrees.state import Moments

Arguments = tuple[Any, ...]
Params = dict[str, dict[str, Any]]

BATCH, IN, OUT = 3, 4, 4
MEMBERS = 3  # of an ensemble
RATE, DECAY, LIMIT = 0.1, 0.9, 1.0


def step(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Parameters of about ``size`` numbers, their gradients, and a learning rate."""
    return _params(size, dtype, rng), _params(size, dtype, rng), RATE


def tree(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A tree of about ``size`` numbers."""
    return (_params(size, dtype, rng),)


def clip(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A tree of about ``size`` numbers, and the norm that it may have."""
    return _params(size, dtype, rng), LIMIT


def named(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """About ``size`` numbers in a flat dict, under the names that ``state_dict`` gives them."""
    return (_named(_params(size, dtype, rng)),)


def decay(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The same, and how much of a weight goes."""
    return *named(size, dtype, rng), RATE


def average(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Two such dicts, and how much of the first stays."""
    return *named(size, dtype, rng), *named(size, dtype, rng), DECAY


def network(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Parameters of about ``size`` numbers, and a batch."""
    return _params(size, dtype, rng), rng.standard_normal((BATCH, IN)).astype(dtype)


def training(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The same, and the targets of the batch."""
    return *network(size, dtype, rng), rng.standard_normal((BATCH, OUT)).astype(dtype)


def trees(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """A list of trees, about ``size`` numbers in all."""
    return ([_params(size // MEMBERS, dtype, rng) for _ in range(MEMBERS)],)


def ensemble(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """The parameters of several networks, stacked, about ``size`` numbers; and a batch."""
    params = _params(size // MEMBERS, dtype, rng, MEMBERS)
    return params, rng.standard_normal((BATCH, IN)).astype(dtype)


def adam(size: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Arguments:
    """Parameters of about ``size`` numbers, their gradients, moments, and a learning rate."""
    params, grads, mean, square = (_params(size, dtype, rng) for _ in range(4))
    square = {name: {key: x * x for key, x in layer.items()} for name, layer in square.items()}
    return params, grads, Moments(mean, square, np.asarray(3, dtype)), RATE


def _params(size: int, dtype: np.dtype[Any], rng: np.random.Generator, *members: int) -> Params:
    """Two layers. The keys are in sorted order, which PyTorch keeps and JAX makes."""
    hidden = max(4, size // (IN + OUT + 1))  # of fewer, a sum may cancel to its rounding

    def draw(*shape: int) -> Any:
        return (rng.standard_normal((*members, *shape)) / shape[0] ** 0.5).astype(dtype)

    return {
        "hidden": {"bias": draw(hidden), "weight": draw(IN, hidden)},
        "output": {"bias": draw(OUT), "weight": draw(hidden, OUT)},
    }


def _named(params: Params) -> dict[str, Any]:
    return {
        f"{name}.{key}": value for name, layer in params.items() for key, value in layer.items()
    }
