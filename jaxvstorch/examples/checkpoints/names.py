"""Dotted names of a tree's leaves, and what is wrong with those that a checkpoint has."""

from collections.abc import Mapping
from typing import Any

import jax


class MismatchError(ValueError):
    """A checkpoint does not fit: the message names all that is missing, unexpected or different."""


def flat(tree: Any) -> dict[str, Any]:
    """``{"layer": [{"weight": w}]}`` becomes ``{"layer.0.weight": w}``, for any pytree.

    Raises:
        ValueError: two leaves get one name, as in ``{"a.b": 1, "a": {"b": 2}}``.
    """
    named: dict[str, Any] = {}
    for path, leaf in jax.tree_util.tree_leaves_with_path(tree):
        if _dotted(path) in named:
            raise ValueError(f"two leaves have the name {_dotted(path)!r}: rename one of them")
        named[_dotted(path)] = leaf
    return named


def filled(like: Any, named: Mapping[str, Any]) -> Any:
    """Make a tree of ``like``'s structure, each leaf being that of its name: undoes ``flat``."""
    return jax.tree_util.tree_map_with_path(lambda path, _: named[_dotted(path)], like)


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


def _dotted(path: tuple[Any, ...]) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")


def _kind(array: Any) -> str:
    """Such as ``float32[2, 3]``."""
    return f"{str(array.dtype).removeprefix('torch.')}{list(array.shape)}"
