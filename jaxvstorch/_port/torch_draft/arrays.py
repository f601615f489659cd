"""How far arrays of a draft are from the program's, and which of them are compared."""

from typing import Any

import numpy as np
import torch

from jaxvstorch._port.map.running.compare import TOLERANCE
from jaxvstorch._port.torch_draft import kinds
from jaxvstorch._port.torch_draft.recording import OwnCall
from jaxvstorch._port.torch_draft.values import Frozen

_MANY = 32.0  # times the tolerance of one operation: a part has many
_OF_A_MODEL = (kinds.MODULE, kinds.VARIABLES, kinds.OPTIMIZER, kinds.TRAIN_STATE)


def is_floating(frozen: Frozen) -> bool:
    return all(
        part.kind == kinds.ARRAY and np.issubdtype(part.value.dtype, np.floating)
        for part in parts(frozen)
    )


def parts(frozen: Frozen | None) -> list[Frozen]:
    """The leaves of a tree, or the parts of a tuple of results."""
    if frozen is None:
        return []
    if not frozen.kind.startswith("tree"):
        return [frozen]
    if frozen.kind == "tree tuple" and any(
        p.kind.startswith("tree") for p in frozen.value.values()
    ):
        return [*frozen.value.values()]
    return [leaf for part in frozen.value.values() for leaf in parts(part)]


def leaves(frozen: Frozen | None) -> list[Any]:
    if frozen is None:
        return []
    if frozen.kind.startswith("tree"):
        items = frozen.value.items()
        ordered = sorted(items, key=lambda i: str(i[0])) if frozen.kind == "tree dict" else items
        return [leaf for _, part in ordered for leaf in leaves(part)]
    return [frozen.value] if frozen.kind in (kinds.ARRAY, kinds.NUMPY) else []


def in_order(value: Any) -> list[torch.Tensor]:
    """The tensors of a tree, in JAX's order."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value, key=str) for leaf in in_order(value[key])]
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in in_order(part)]
    return [value] if isinstance(value, torch.Tensor) else []


def tensors(value: Any) -> list[Any]:
    return [leaf.detach().numpy() for leaf in in_order(value)]


def has_arrays(frozen: Frozen) -> bool:
    return bool(leaves(frozen)) or frozen.kind in _OF_A_MODEL


def gap(got: Any, expected: Any) -> tuple[float, float]:
    """The largest difference of two arrays, and the largest number."""
    if got.shape != expected.shape:
        return np.inf, 1.0
    got, expected = (np.asarray(x, np.float64) for x in (got, expected))
    size = float(np.max(np.abs(expected), initial=0.0))
    return float(np.max(np.abs(got - expected), initial=0.0)), max(size, 1e-3)


def gaps(got: Any, expected: Frozen | None) -> list[tuple[float, float]]:
    ours, theirs = tensors(got), leaves(expected)
    if len(ours) < len(theirs):  # the draft returns no tree that it has changed in place
        theirs = [v for p in parts(expected) if not p.kind.startswith("tree") for v in leaves(p)]
    if len(ours) != len(theirs):
        raise LookupError("it returns other things than the program's")
    return [gap(a, b) for a, b in zip(ours, theirs, strict=True)]


def weights_after(call: OwnCall) -> Any:
    """The weights after a step: in a result of it, or in a module that it changed."""
    in_tree = call.result is not None and call.result.kind.startswith("tree")
    results = call.result.value.values() if call.result and in_tree else [call.result]
    for frozen in [*results, *call.after.values()]:
        if frozen is not None and frozen.kind in (kinds.MODULE, kinds.VARIABLES, kinds.TRAIN_STATE):
            return frozen.value
    return None


def words(gaps: list[tuple[float, float]], what: str) -> str:
    if not gaps:
        raise LookupError("it returns no array")
    worst = max(gap / size for gap, size in gaps)
    limit = _MANY * TOLERANCE["float32"] if isinstance(TOLERANCE, dict) else _MANY * 2e-5
    if worst <= limit:
        return f"at parity: {what}"
    return f"not at parity: {what} differ by {worst:.1e} of the largest number"


def has_weights(value: Any) -> bool:
    """Whether there is an array among the weights of a module."""
    if isinstance(value, dict):
        return any(map(has_weights, value.values()))
    return value is not None
