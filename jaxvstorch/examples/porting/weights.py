"""Weights from PyTorch's names and layout to flax's, and back, as NumPy arrays.

It knows linear layers, convolutions, batch norm and layer norm. An embedding, whose weight has two
axes as well and stays as it is, would need a rule of its own.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
Named = Mapping[str, Array]

FLATTENED = {"hidden": (8, 4, 4)}  # layers after a flatten: channels, height, width before it
_COUNT = "num_batches_tracked"
_NAMES = {"bias": "bias", "running_mean": "mean", "running_var": "var"}


class WeightsError(ValueError):
    """Weights do not fit the model that they are for."""


def to_flax(state_dict: Mapping[str, Any], flattened: Mapping[str, Shape]) -> dict[str, Array]:
    """Rename and transpose what ``state_dict`` holds.

    Args:
        state_dict: tensors or arrays by their names in PyTorch.
        flattened: of each linear layer after a flatten, the channels, height and width before it.
    """
    named = {name: np.asarray(value) for name, value in state_dict.items()}
    return dict(
        _to_flax(name, array, flattened) for name, array in named.items() if _last(name) != _COUNT
    )


def to_torch(weights: Named, flattened: Mapping[str, Shape]) -> dict[str, Array]:
    """Rename and transpose back; what PyTorch counts in batch norm is not among it."""
    return dict(_to_torch(name, array, flattened) for name, array in weights.items())


def require_fit(given: Named, wanted: Mapping[str, Shape]) -> None:
    """Compare names and shapes.

    Raises:
        WeightsError: a name is missing, or too many, or a shape differs; it lists all of them.
    """
    problems = [f"missing: {name} {shape}" for name, shape in wanted.items() if name not in given]
    problems += [f"unexpected: {name} {given[name].shape}" for name in given if name not in wanted]
    problems += [
        f"wrong shape: {name} {given[name].shape}, expected {tuple(shape)}"
        for name, shape in wanted.items()
        if name in given and given[name].shape != tuple(shape)
    ]
    if problems:
        raise WeightsError("the weights do not fit:\n" + "\n".join(problems))


def _to_flax(name: str, array: Array, flattened: Mapping[str, Shape]) -> tuple[str, Array]:
    layer, last = name.rpartition(".")[0], _last(name)
    if last in _NAMES:
        return f"{layer}.{_NAMES[last]}", array
    if array.ndim == 1:
        return f"{layer}.scale", array
    if array.ndim == 4:
        return f"{layer}.kernel", array.transpose(2, 3, 1, 0)  # OIHW to HWIO
    if layer in flattened:
        channels_first = array.reshape(len(array), *flattened[layer])
        array = channels_first.transpose(0, 2, 3, 1).reshape(len(array), -1)
    return f"{layer}.kernel", array.T  # out, in to in, out


def _to_torch(name: str, array: Array, flattened: Mapping[str, Shape]) -> tuple[str, Array]:
    layer, last = name.rpartition(".")[0], _last(name)
    if last != "kernel":
        names = {flax: torch for torch, flax in _NAMES.items()} | {"scale": "weight"}
        return f"{layer}.{names[last]}", array
    if array.ndim == 4:
        return f"{layer}.weight", array.transpose(3, 2, 0, 1)
    array = array.T
    if layer in flattened:
        channels, height, width = flattened[layer]
        channels_last = array.reshape(len(array), height, width, channels)
        array = channels_last.transpose(0, 3, 1, 2).reshape(len(array), -1)
    return f"{layer}.weight", array


def _last(name: str) -> str:
    return name.rpartition(".")[2]
