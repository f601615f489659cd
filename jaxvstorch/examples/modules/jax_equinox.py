"""The network in equinox, with PyTorch's settings, and its weights in and out."""

from collections.abc import Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxvstorch.examples.modules import weights as carried
from jaxvstorch.examples.modules.weights import CHANNELS, CLASSES, FILTERS, HIDDEN, RATE, SIDE

# Enough steps that equinox no longer divides the running statistics by 1 - 0.9**steps.
MANY = 10_000


class Network(eqx.Module):
    """One image with its channels first, to scores; ``apply`` takes a batch of them."""

    conv: eqx.nn.Conv2d
    norm: eqx.nn.BatchNorm
    dense: eqx.nn.Linear
    layer_norm: eqx.nn.LayerNorm
    dropout: eqx.nn.Dropout
    head: eqx.nn.Linear

    def __init__(self, rate: float = RATE, *, key: Array) -> None:
        conv, dense, head = jax.random.split(key, 3)
        self.conv = eqx.nn.Conv2d(CHANNELS, FILTERS, 3, padding="SAME", key=conv)
        self.norm = eqx.nn.BatchNorm(FILTERS, axis_name="batch", momentum=0.9, mode="batch")
        self.dense = eqx.nn.Linear(FILTERS * SIDE * SIDE, HIDDEN, key=dense)
        self.layer_norm = eqx.nn.LayerNorm(HIDDEN)
        self.dropout = eqx.nn.Dropout(rate)
        self.head = eqx.nn.Linear(HIDDEN, CLASSES, key=head)

    def __call__(
        self, x: Array, state: eqx.nn.State, key: Array | None = None
    ) -> tuple[Array, eqx.nn.State]:
        """Score one image, inside a ``vmap`` whose axis is called ``"batch"``."""
        h, state = self.norm(self.conv(x), state)
        h = jax.nn.gelu(self.layer_norm(self.dense(h.ravel())), approximate=False)
        return self.head(self.dropout(h, key=key)), state


def apply(
    model: Network, state: eqx.nn.State, x: Array, key: Array | None = None
) -> tuple[Array, eqx.nn.State]:
    """Score a batch of images; each gets its own key for dropout."""
    keys = None if key is None else jax.random.split(key, len(x))
    batched = jax.vmap(model, in_axes=(0, None, 0), out_axes=(0, None), axis_name="batch")
    return batched(x, state, keys)


def load(
    model: Network, state: eqx.nn.State, weights: Mapping[str, Any]
) -> tuple[Network, eqx.nn.State]:
    """Return a network, and its state, with other weights and running statistics.

    Raises:
        WeightsError: names or shapes differ.
    """
    carried.check(weights)
    new = [jnp.asarray(weights[name]) for name in carried.PARAMETERS]
    shaped = [array.reshape(old.shape) for array, old in zip(new, _parameters(model), strict=True)]
    statistics = tuple(jnp.asarray(weights[name]) for name in carried.STATISTICS)
    state = state.set(model.norm.batch_state_index, statistics)
    state = state.set(model.norm.batch_counter, jnp.asarray(MANY))
    return eqx.tree_at(_parameters, model, shaped), state


def weights_of(model: Network, state: eqx.nn.State | None = None) -> carried.Weights:
    """Copy weights out of a network, or gradients out of theirs; and statistics out of a state."""
    names = dict(zip(carried.PARAMETERS, _parameters(model), strict=True))
    if state is not None:
        statistics = state.get(model.norm.batch_state_index)
        names |= zip(carried.STATISTICS, statistics, strict=True)
    return {name: np.array(array).reshape(carried.SHAPES[name]) for name, array in names.items()}


def _parameters(model: Network) -> list[Array]:
    """In the order of ``PARAMETERS``; a convolution's bias has two axes more than PyTorch's."""
    layers = (model.conv, model.norm, model.dense, model.layer_norm, model.head)
    return [array for layer in layers for array in (layer.weight, layer.bias)]
