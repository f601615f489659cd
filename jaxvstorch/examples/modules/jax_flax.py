"""The network in flax NNX, with PyTorch's settings, and its weights in and out."""

from collections.abc import Callable, Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax import Array

from jaxvstorch.examples.modules import weights as carried
from jaxvstorch.examples.modules.weights import CHANNELS, CLASSES, FILTERS, HIDDEN, RATE, SIDE


class Network(nnx.Module):
    """Images with their channels last, to scores. What is set explicitly is another default."""

    def __init__(self, rate: float = RATE, *, rngs: nnx.Rngs) -> None:
        self.conv = nnx.Conv(CHANNELS, FILTERS, (3, 3), rngs=rngs)
        self.norm = nnx.BatchNorm(FILTERS, momentum=0.9, use_fast_variance=False, rngs=rngs)
        self.dense = nnx.Linear(FILTERS * SIDE * SIDE, HIDDEN, rngs=rngs)
        self.layer_norm = nnx.LayerNorm(HIDDEN, epsilon=1e-5, use_fast_variance=False, rngs=rngs)
        self.dropout = nnx.Dropout(rate, rngs=rngs)
        self.head = nnx.Linear(HIDDEN, CLASSES, rngs=rngs)

    def __call__(self, x: Array) -> Array:
        """Score a batch of images."""
        h = self.norm(self.conv(x))
        h = self.layer_norm(self.dense(h.reshape(len(h), -1)))
        return self.head(self.dropout(nnx.gelu(h, approximate=False)))


def load(model: Network, weights: Mapping[str, Any]) -> None:
    """Copy weights and running statistics into a network.

    Raises:
        WeightsError: names or shapes differ; nothing is copied then.
    """
    carried.check(weights)
    for name, variable in _variables(model).items():
        variable[...] = jnp.asarray(_LAYOUT.get(name, _same)(np.asarray(weights[name])))


def weights_of(model: Network) -> carried.Weights:
    """Copy weights and running statistics out of a network, or gradients out of their state."""
    found = {name: np.array(variable[...]) for name, variable in _variables(model).items()}
    return {name: _BACK.get(name, _same)(array) for name, array in found.items()}


def _variables(model: Any) -> dict[str, Any]:
    """The variables by the names that PyTorch gives them; those of the norms are there or not."""
    found = {}
    for layer in ("conv", "norm", "dense", "layer_norm", "head"):
        part = model[layer] if isinstance(model, nnx.State) else vars(getattr(model, layer))
        for theirs in ("kernel", "scale", "bias", "mean", "var"):
            if theirs in part:
                found[f"{layer}.{_NAMES.get(theirs, theirs)}"] = part[theirs]
    return found


def _same(array: Any) -> Any:
    return array


def _dense_to_flax(weight: Any) -> Any:
    """Columns in the order of (channel, row, column) become rows of (row, column, channel)."""
    return weight.reshape(HIDDEN, FILTERS, SIDE, SIDE).transpose(2, 3, 1, 0).reshape(-1, HIDDEN)


def _dense_from_flax(kernel: Any) -> Any:
    return kernel.reshape(SIDE, SIDE, FILTERS, HIDDEN).transpose(3, 2, 0, 1).reshape(HIDDEN, -1)


_NAMES = {"kernel": "weight", "scale": "weight", "mean": "running_mean", "var": "running_var"}
_LAYOUT: dict[str, Callable[[Any], Any]] = {
    "conv.weight": lambda w: w.transpose(2, 3, 1, 0),
    "dense.weight": _dense_to_flax,
    "head.weight": np.transpose,
}
_BACK: dict[str, Callable[[Any], Any]] = {
    "conv.weight": lambda k: k.transpose(3, 2, 0, 1),
    "dense.weight": _dense_from_flax,
    "head.weight": np.transpose,
}
