"""Groups of parameters: which of a model's an optimizer's mask or label chooses."""

import ast
from collections.abc import Hashable, Mapping
from contextlib import suppress
from functools import wraps
from types import FunctionType
from typing import Any, NamedTuple

import jax

from jaxvstorch._port.torch_draft.files import is_of_the_run
from jaxvstorch._port.torch_draft.loading import RENAMED

_VECTORS = ("bias", "scale")


class Leaf(NamedTuple):
    """A weight by its name in PyTorch, with its axes there."""

    name: str
    axes: int


def with_labels(known: dict[Leaf, Any], args: Any, kwargs: Any) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of optax, of which functions and trees note in `known` the labels of weights."""

    def noting(value: Any) -> Any:
        is_tree = isinstance(value, Mapping) and bool(value)
        is_tree = is_tree and {*map(type, jax.tree.leaves(value))} <= {bool, str}
        if not is_tree and not (isinstance(value, FunctionType) and is_of_the_run(value)):
            return value

        @wraps(value if callable(value) else with_labels)
        def noted(*params: Any) -> Any:
            labels = value if is_tree else value(*params)
            with suppress(Exception):  # a function of something else, such as of a step
                known.update(labels_of(params[0], labels))
            return labels

        return noted

    return [*map(noting, args)], {name: noting(value) for name, value in kwargs.items()}


def labels_of(params: Any, labels: Any) -> dict[Leaf, Hashable]:
    """The label of each weight, by its name.

    Args:
        params: the weights.
        labels: a tree of labels, or one that each label of holds for all below it.
    """
    whole = jax.tree.map(lambda label, part: jax.tree.map(lambda _: label, part), labels, params)
    paths, _ = jax.tree_util.tree_flatten_with_path(params)
    return {
        _leaf(path, leaf): label
        for (path, leaf), label in zip(paths, jax.tree.leaves(whole), strict=True)
    }


def _leaf(path: Any, value: Any) -> Leaf:
    keys = [next(getattr(k, n) for n in ("key", "name", "idx") if hasattr(k, n)) for k in path]
    names = [f"{key}" for key in keys]
    names = names[1:] if names[:1] == ["params"] else names
    if isinstance(path[-1], jax.tree_util.GetAttrKey) and names[-1] == "value":  # of an nnx.Param
        names.pop()
    last = names[-1] if names else ""
    axes = getattr(value, "ndim", 2)
    axes = min(axes, 1) if last in _VECTORS else axes
    return Leaf(".".join([*names[:-1], RENAMED.get(last, last)]), axes)


def rule(labels: Mapping[Leaf, Hashable], label: Hashable) -> str:
    """An expression of ``name`` and ``p`` that holds for the weights of a label alone."""
    chosen = [leaf for leaf, own in labels.items() if own == label]
    rest = [leaf for leaf, own in labels.items() if own != label]
    if not rest:
        return "True"
    for mine, others, text in ((chosen, rest, "p.ndim > 1"), (rest, chosen, "p.ndim < 2")):
        if all(leaf.axes > 1 for leaf in mine) and all(leaf.axes < 2 for leaf in others):
            return text
    for mine, others, text in ((chosen, rest, "p.ndim > 1 or name"),
                               (rest, chosen, "p.ndim < 2 and not name")):  # fmt: skip
        ends = {_last_two(leaf) for leaf in mine if leaf.axes < 2}
        plain = all(leaf.axes < 2 and _last_two(leaf) not in ends for leaf in others)
        if plain and any(leaf.axes > 1 for leaf in mine):
            return f"{text}.endswith({_written(ends)})"
    for is_end in (True, False):
        parts, other_parts = ({_part(leaf, is_end) for leaf in leaves} for leaves in (chosen, rest))
        if parts & other_parts:
            continue
        method = "endswith" if is_end else "startswith"
        if len(parts) <= len(other_parts):
            return f"name.{method}({_written(parts)})"
        return f"not name.{method}({_written(other_parts)})"
    return f"name in {_written({leaf.name for leaf in chosen})}"


def _last_two(leaf: Leaf) -> str:
    return ".".join(leaf.name.split(".")[-2:])


def _part(leaf: Leaf, is_end: bool) -> str:
    if is_end:
        return leaf.name.rpartition(".")[2]
    return leaf.name.partition(".")[0] + "." * ("." in leaf.name)


def _written(names: set[str]) -> str:
    return repr(names.pop() if len(names) == 1 else tuple(sorted(names)))


def in_tree(labels: ast.expr, tree: str) -> str:
    """The labels of a tree of tensors, as the program makes them."""
    text = ast.unparse(labels)
    if isinstance(labels, ast.Lambda):
        text = f"({text})"
    is_function = isinstance(labels, ast.Lambda | ast.Name)
    return f"tree_leaves({text}({tree}))" if is_function else f"tree_leaves({text})"
