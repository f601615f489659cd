"""Dotted names of a nested dict's leaves, and what is wrong with those that a checkpoint has."""

from collections.abc import Mapping
from typing import Any


class MismatchError(ValueError):
    """A checkpoint does not fit: the message names all that is missing, unexpected or different."""


def flat(tree: Mapping[str, Any]) -> dict[str, Any]:
    """``{"layer": {"weight": w}}`` becomes ``{"layer.weight": w}``.

    Raises:
        ValueError: a name holds a dot, which ``nested`` would take for a level of the tree.
    """
    named: dict[str, Any] = {}
    for name, value in tree.items():
        if "." in name:
            raise ValueError(f"the name {name!r} holds a dot")
        if isinstance(value, Mapping):
            named |= {f"{name}.{rest}": leaf for rest, leaf in flat(value).items()}
        else:
            named[name] = value
    return named


def nested(named: Mapping[str, Any]) -> dict[str, Any]:
    """``{"layer.weight": w}`` becomes ``{"layer": {"weight": w}}``."""
    tree: dict[str, Any] = {}
    for name, leaf in named.items():
        *levels, last = name.split(".")
        inner = tree
        for level in levels:
            inner = inner.setdefault(level, {})
        inner[last] = leaf
    return tree


def require_fit(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Compare names, shapes and dtypes of arrays of any framework.

    Raises:
        MismatchError: they differ. The message has a line for each name that does.
    """
    lines = [f"missing: {name} {_kind(wanted[name])}" for name in wanted if name not in found]
    lines += [f"unexpected: {name} {_kind(found[name])}" for name in found if name not in wanted]
    lines += [
        f"different: {name} is {_kind(found[name])}, not {_kind(wanted[name])}"
        for name in wanted
        if name in found and _kind(found[name]) != _kind(wanted[name])
    ]
    if lines:
        raise MismatchError("the checkpoint does not fit\n" + "\n".join(lines))


def _kind(array: Any) -> str:
    """Such as ``float32[2, 3]``."""
    return f"{str(array.dtype).removeprefix('torch.')}{list(array.shape)}"
