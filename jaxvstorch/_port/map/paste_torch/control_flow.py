"""JAX's loops, as loops of Python."""

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

__all__ = ["associative_scan", "fori_loop", "map", "scan", "while_loop"]


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """``lax.scan``: carry a state along the first axis, and stack what each step returns."""
    carry, ys = init, []
    steps = range(len(tree_leaves(xs)[0]) if length is None else length)
    for step in reversed(steps) if reverse else steps:
        x = None if xs is None else tree_map(lambda leaf, step=step: leaf[step], xs)
        carry, y = f(carry, x)
        ys.append(y)
    if not ys or ys[0] is None:
        return carry, None
    return carry, tree_map(lambda *leaves: torch.stack(leaves), *(ys[::-1] if reverse else ys))


def while_loop(
    cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init_val: Any
) -> Any:
    """``lax.while_loop``."""
    value = init_val
    while cond_fun(value):
        value = body_fun(value)
    return value


def fori_loop(lower: int, upper: int, body_fun: Callable[[int, Any], Any], init_val: Any) -> Any:
    """``lax.fori_loop``."""
    value = init_val
    for i in range(int(lower), int(upper)):
        value = body_fun(i, value)
    return value


def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """``lax.map``: call a function on each element of the first axis."""
    rows = [
        f(tree_map(lambda leaf, row=row: leaf[row], xs)) for row in range(len(tree_leaves(xs)[0]))
    ]
    return tree_map(lambda *leaves: torch.stack(leaves), *rows)


def associative_scan(
    fn: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """``lax.associative_scan``, one element after another."""
    parts = [*range(tree_leaves(elems)[0].shape[axis])]
    at = [tree_map(lambda leaf, part=part: leaf.select(axis, part), elems) for part in parts]
    at = at[::-1] if reverse else at
    results = at[:1]
    for element in at[1:]:
        results.append(fn(results[-1], element))
    results = results[::-1] if reverse else results
    return tree_map(lambda *leaves: torch.stack(leaves, axis), *results)
