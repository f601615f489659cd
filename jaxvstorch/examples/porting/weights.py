"""Weights of a PyTorch module for a flax NNX module of the same structure, and back.

Each layer of NNX says under which name PyTorch has its arrays, and in which layout. Attributes have
the same names in both modules; where they do not, ``rename`` translates.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from flax import nnx

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
Rename = Callable[[str], str]

FLATTENED = {"hidden": (8, 4, 4)}  # layers after a flatten: channels, height, width before it
_NAMES = {
    "kernel": "weight", "embedding": "weight", "scale": "weight", "bias": "bias",
    "mean": "running_mean", "var": "running_var",
}  # fmt: skip
_THREE = ("query", "key", "value")  # PyTorch has them in one array


class WeightsError(ValueError):
    """Weights do not fit the model that they are for."""


class Entry(NamedTuple):
    """One array of a model.

    Attributes:
        name: of the array in PyTorch.
        variable: of NNX.
        to_flax: its array from PyTorch's.
        to_torch: back.
    """

    name: str
    variable: Any
    to_flax: Callable[[Array], Array]
    to_torch: Callable[[Array], Array]


def load(
    model: nnx.Module,
    state_dict: Mapping[str, Any],
    flattened: Mapping[str, Shape] | None = None,
    rename: Rename = str,
) -> None:
    """Put PyTorch's weights into a model; each keeps the dtype that the model has.

    Args:
        model: also one without arrays, by ``nnx.eval_shape``.
        state_dict: tensors or arrays by their names in PyTorch.
        flattened: of each linear layer after a flatten, the channels, height and width before it.
        rename: gives PyTorch's name for one by the model's attributes.

    Raises:
        WeightsError: names or shapes do not fit, and nothing was loaded. It lists all of them.
    """
    given = _apart({name: np.asarray(value) for name, value in state_dict.items()})
    entries = list(_entries(model, flattened or {}, rename))
    wanted = {e.name: e.to_torch(np.empty(e.variable.shape, bool)).shape for e in entries}
    _require_fit(given, wanted)
    for entry in entries:
        array = jnp.array(entry.to_flax(given[entry.name]), entry.variable.dtype)  # a copy
        entry.variable.set_value(array)


def state_dict(
    model: nnx.Module, flattened: Mapping[str, Shape] | None = None, rename: Rename = str
) -> dict[str, Array]:
    """A model's weights for ``load_state_dict``, as ``load`` takes them.

    What PyTorch counts in batch norm is not among them.
    """
    entries = _entries(model, flattened or {}, rename)
    arrays = _together({e.name: e.to_torch(np.asarray(e.variable[...])) for e in entries})
    # safetensors writes the memory of a transposed array as it lies, without an error.
    return {name: np.ascontiguousarray(array) for name, array in arrays.items()}


def _entries(model: nnx.Module, flattened: Mapping[str, Shape], rename: Rename) -> Iterator[Entry]:
    kinds = dict(nnx.iter_modules(model))
    for path, layer in kinds.items():
        name = _name(path, kinds)
        for attribute, last in _NAMES.items():
            variable = getattr(layer, attribute, None)
            if isinstance(variable, nnx.Variable):
                layouts = _layouts(layer, attribute, variable.shape, flattened.get(name))
                yield Entry(rename(f"{name}.{last}" if name else last), variable, *layouts)


def _name(path: tuple[Any, ...], kinds: Mapping[tuple[Any, ...], Any]) -> str:
    """A layer's name in PyTorch: its attributes, without those that only NNX has."""
    parts = []
    for end, part in enumerate(path):
        owner = kinds.get(path[:end])
        if isinstance(owner, nnx.Sequential) and part == "layers":
            continue
        is_out = isinstance(owner, nnx.MultiHeadAttention) and part == "out"
        parts.append("out_proj" if is_out else str(part))
    return ".".join(parts)


def _layouts(
    layer: nnx.Module, attribute: str, shape: Shape, before: Shape | None
) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    """Functions from PyTorch's layout to flax's and back."""
    spatial = tuple(range(len(shape) - 2))
    if isinstance(layer, nnx.LinearGeneral):  # of attention: heads are an axis
        if attribute == "bias":
            return lambda a: a.reshape(shape), np.ravel
        inputs = math.prod(shape[: len(layer.in_features)])
        return lambda a: a.T.reshape(shape), lambda a: a.reshape(inputs, -1).T
    if attribute != "kernel":
        return lambda a: a, lambda a: a
    if isinstance(layer, nnx.ConvTranspose):  # in, out, height, width; and the other way round
        return (lambda a: np.flip(np.moveaxis(a, (0, 1), (-2, -1)), spatial),
                lambda a: np.moveaxis(np.flip(a, spatial), (-2, -1), (0, 1)))  # fmt: skip
    if before:
        channels, *sides = before
        return (lambda a: np.moveaxis(a.reshape(-1, *before), 1, -1).reshape(len(a), -1).T,
                lambda a: np.moveaxis(a.T.reshape(-1, *sides, channels), -1, 1)
                .reshape(a.shape[::-1]))  # fmt: skip
    return lambda a: np.moveaxis(a, (0, 1), (-1, -2)), lambda a: np.moveaxis(a, (-1, -2), (0, 1))


def _apart(arrays: dict[str, Array]) -> dict[str, Array]:
    """The arrays, with queries, keys and values of attention apart, and without counts."""
    found: dict[str, Array] = {}
    for name, array in arrays.items():
        layer, _, last = name.rpartition("in_proj_")
        if layer + last and name.endswith(("in_proj_weight", "in_proj_bias")):
            parts = zip(_THREE, np.split(array, 3), strict=True)
            found |= {f"{layer}{part}.{last}": value for part, value in parts}
        elif not name.endswith("num_batches_tracked"):
            found[name] = array
    return found


def _together(arrays: dict[str, Array]) -> dict[str, Array]:
    """Undo ``_apart``."""
    found: dict[str, Array] = {}
    for name, array in arrays.items():
        layer, part, last = _split(name)
        if part not in _THREE or not all(f"{layer}{p}.{last}" in arrays for p in _THREE):
            found[name] = array
        elif part == "query":
            three = [arrays[f"{layer}{p}.{last}"] for p in _THREE]
            found[f"{layer}in_proj_{last}"] = np.concatenate(three)
    return found


def _split(name: str) -> tuple[str, str, str]:
    *layers, part, last = ("", *name.split("."))
    return ".".join([*layers, ""]).removeprefix("."), part, last


def _require_fit(given: Mapping[str, Array], wanted: Mapping[str, Shape]) -> None:
    problems = [f"missing: {name} {shape}" for name, shape in wanted.items() if name not in given]
    problems += [f"unexpected: {name} {given[name].shape}" for name in given if name not in wanted]
    problems += [
        f"wrong shape: {name} {given[name].shape}, expected {shape}"
        for name, shape in wanted.items()
        if name in given and given[name].shape != shape
    ]
    if problems:
        raise WeightsError("the weights do not fit:\n" + "\n".join(problems))
