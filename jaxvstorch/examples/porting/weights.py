"""Weights of a PyTorch module for a flax NNX module of the same structure, and back.

Each layer of NNX says under which name PyTorch has its arrays, and in which layout. Attributes have
the same names in both modules; where they do not, ``rename`` translates.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
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
_THREE = ("in_proj.query", "in_proj.key", "in_proj.value")  # PyTorch has them in one array
_OF_ATTENTION = {"out": "out_proj"} | {part.removeprefix("in_proj."): part for part in _THREE}


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
    """Put PyTorch's weights into a model; each array keeps the model's dtype and sharding.

    Args:
        model: also one without arrays, from ``nnx.eval_shape``.
        state_dict: tensors or arrays by their names in PyTorch.
        flattened: of each linear layer after a flatten, the channels, height and width before it.
        rename: returns PyTorch's name for a name made of the model's attributes.

    Raises:
        WeightsError: names or shapes do not fit, or NumPy cannot read an array, and nothing was
            loaded. It lists all of them.
    """
    given = _apart({name: _read(name, value) for name, value in state_dict.items()})
    entries = _entries(model, flattened or {}, rename)
    wanted = {e.name: e.to_torch(np.empty(e.variable.shape, bool)).shape for e in entries}
    _require_fit(given, wanted)
    arrays = [jnp.array(e.to_flax(given[e.name]), e.variable.dtype) for e in entries]  # copies
    for entry, array in zip(entries, arrays, strict=True):
        sharding = getattr(entry.variable.get_value(), "sharding", None)  # shapes have none
        entry.variable.set_value(jax.device_put(array, sharding))


def state_dict(
    model: nnx.Module, flattened: Mapping[str, Shape] | None = None, rename: Rename = str
) -> dict[str, Array]:
    """A model's weights for ``load_state_dict``; ``load`` accepts them too.

    PyTorch's count of batches in batch norm is not among them.
    """
    entries = _entries(model, flattened or {}, rename)
    arrays = _together({e.name: e.to_torch(np.asarray(e.variable[...])) for e in entries})
    # safetensors writes the memory of a transposed array as it lies, without an error.
    return {name: np.array(array, order="C") for name, array in arrays.items()}


def _read(name: str, value: Any) -> Array:
    try:
        return np.asarray(value)
    except (TypeError, RuntimeError) as error:  # bfloat16, a GPU, a tensor that requires grad
        raise WeightsError(f"{name}: {error}; `.detach().float().cpu()` converts it") from error


def _entries(model: nnx.Module, flattened: Mapping[str, Shape], rename: Rename) -> list[Entry]:
    if not isinstance(model, nnx.Module):
        raise WeightsError(f"{type(model).__name__} has no layers: merge it into a module first")
    nodes = dict(nnx.iter_graph(model))
    entries, unused = [], set(flattened)
    for path, variable in nodes.items():
        if not isinstance(variable, nnx.Param | nnx.BatchStat):
            continue
        name, attribute, shape = _name(path[:-1], nodes), str(path[-1]), variable.shape
        last, before = _NAMES.get(attribute, attribute), flattened.get(name)
        if attribute == "kernel" and before and (math.prod(before),) == shape[:-1]:
            unused.remove(name)
        layouts = _layouts(nodes[path[:-1]], attribute, shape, before)
        entries.append(Entry(rename(f"{name}.{last}" if name else last), variable, *layouts))
    names = [entry.name for entry in entries]
    problems = [f"two arrays of the model: {name}" for name in set(names) if names.count(name) > 1]
    problems += [
        f"an Einsum, which may have any layout: {'.'.join(map(str, path))}"
        for path, node in nodes.items()
        if isinstance(node, nnx.Einsum)
    ]
    problems += [f"flattened, but no linear layer with that many inputs: {n}" for n in unused]
    if problems:
        raise WeightsError("the names do not fit:\n" + "\n".join(sorted(problems)))
    return entries


def _name(path: tuple[Any, ...], kinds: Mapping[tuple[Any, ...], Any]) -> str:
    """A layer's name in PyTorch: its attributes, without those that only NNX has."""
    parts = []
    for end, part in enumerate(path):
        owner = kinds.get(path[:end])
        if isinstance(owner, nnx.Sequential) and part == "layers":
            continue
        of_attention = isinstance(owner, nnx.MultiHeadAttention)
        parts.append(_OF_ATTENTION.get(part, part) if of_attention else str(part))
    return ".".join(parts)


def _layouts(
    layer: nnx.Module, attribute: str, shape: Shape, before: Shape | None
) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    """Functions from PyTorch's layout to flax's and back."""
    spatial = tuple(range(len(shape) - 2))
    if isinstance(layer, nnx.LinearGeneral) and not before:  # of attention: heads are an axis
        if attribute == "bias":
            return lambda a: a.reshape(shape), np.ravel
        inputs = math.prod(shape[: len(layer.in_features)])
        return lambda a: a.T.reshape(shape), lambda a: a.reshape(inputs, -1).T
    if attribute != "kernel" or len(shape) < 2:
        return lambda a: a, lambda a: a
    if isinstance(layer, nnx.ConvTranspose) and not layer.transpose_kernel:
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
        layer, _, rest = name.rpartition("in_proj.")
        last = rest.rpartition(".")[2]
        three = [f"{layer}{part}.{last}" for part in _THREE]
        inputs = {arrays[part].shape[1:] if part in arrays else None for part in three}
        if name in three and len(inputs) == 1:
            found[f"{layer}in_proj_{last}"] = np.concatenate([arrays[part] for part in three])
        else:
            found[name] = array
    return found


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
