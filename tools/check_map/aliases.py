"""Names of the map that are one object in PyTorch; each has a line, and the others name it."""

import importlib
import warnings
from functools import reduce
from typing import Any

import torch

from jaxvstorch._port.map.rows import meaning, rows

_ROOTS = {
    "torch": torch, "Tensor": torch.Tensor, "Module": torch.nn.Module,
    "Optimizer": torch.optim.Optimizer,
}  # fmt: skip


def aliases() -> list[tuple[str, ...]]:
    """The names of each object that has several, in the order of the map."""
    by_object: dict[int, list[str]] = {}
    for name in rows():
        value = _object(name)
        # A number or None has no identity of its own.
        if value is not None and not isinstance(value, bool | int | float):
            by_object.setdefault(id(value), []).append(name)
    return [tuple(names) for names in by_object.values() if len(names) > 1]


def apart() -> list[tuple[str, ...]]:
    """The aliases that have lines of their own, which may contradict each other."""
    return [names for names in aliases() if len({meaning(rows()[name]).name for name in names}) > 1]


def _object(name: str) -> Any:
    """What PyTorch has under a name, or None; a module that is not imported is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some names are deprecated, and still are objects
        return _reached(*name.split("."))


def _reached(root: str, *rest: str) -> Any:
    try:
        if root == "torch" and len(rest) > 1:
            importlib.import_module(".".join([root, *rest[:-1]]))
    except ImportError:  # what holds it is a class
        pass
    try:
        return reduce(getattr, rest, _ROOTS[root])
    except (AttributeError, KeyError):
        return None


if __name__ == "__main__":
    for names in apart():
        print(" is ".join(names))
