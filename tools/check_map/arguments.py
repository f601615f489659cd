"""Calls with other arguments: numbers at 0, 1 and -1, booleans flipped, optional ones left out."""

import ast
from collections.abc import Iterator
from typing import Any

import torch

from jaxvstorch._port.map.row import PLACEMENT, PLACEMENT_IN_JAX, Row
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.values import RefusedError, jax_arguments
from tools.check_map.axes import AXES, takes, with_argument

NUMBERS = (0, 1, -1)
COUNTS = (0, -1)
# Words of which a parameter takes any.
WORDS = (
    ("none", "mean", "sum"),
    ("forward", "backward", "ortho"),
    ("linear", "lower", "higher", "nearest", "midpoint"),
)


def argument_calls(row: Row, call: Call) -> Iterator[tuple[Any, Call]]:
    """Another value for each argument in turn and the call with it, and without the optional ones.

    What PyTorch refuses by a TypeError is no trial.
    """
    given = dict(zip(row.taken(), call.args, strict=False)) | call.kwargs
    optional = [name for name, value in given.items() if _optional(row, name) and value is not None]
    settings = [(name, value) for name in _translated(row) for value in _others(row, given, name)]
    settings += [(name, None) for name in optional]
    without: Call | None = call
    for name, value in settings:
        if name in AXES or name not in _translated(row):
            continue
        variant = with_argument(row, call, name, value)
        if variant is not None and takes(variant):
            yield value, variant
    for name in optional:
        without = with_argument(row, without, name, None) if without else None
    if len(optional) > 1 and without is not None and takes(without):
        yield None, without


def _others(row: Row, given: dict[str, Any], name: str) -> Iterator[Any]:
    """Other values of an argument, given or by default."""
    yield from others(given[name] if name in given else default(row, name))
    if type(given.get(name)) is float:  # a number without dimensions has a dtype
        for dtype in (torch.float64, torch.float16):
            yield torch.tensor(given[name], dtype=dtype)


def others(value: Any) -> list[Any]:
    """0, 1 and -1, of integers 0 and -1, of several the first; other words; a boolean flipped."""
    if isinstance(value, bool):
        return [not value]
    if type(value) is float:
        return [float(number) for number in NUMBERS if number != value]
    if isinstance(value, str):
        return [word for words in WORDS if value in words for word in words if word != value]
    if type(value) is int:
        return [number for number in COUNTS if number != value]
    if type(value) in (tuple, list) and value and all(type(item) is int for item in value):
        rest = [*value[1:]]
        return [type(value)([number, *rest]) for number in COUNTS if number != value[0]]
    return []


def default(row: Row, name: str) -> Any:
    """A parameter's default, where it is a plain value."""
    try:
        return ast.literal_eval(row.parameters[name] or "None")
    except ValueError:
        return None


def _optional(row: Row, name: str) -> bool:
    node = row.parameters.get(name)
    return isinstance(node, ast.Constant) and node.value is None


def _translated(row: Row) -> list[str]:
    """The parameters that the line translates."""
    placement = PLACEMENT if row.framework == "torch" else PLACEMENT_IN_JAX
    return [name for name in row.parameters if name not in {*placement, *row.refused}]


def translated(row: Row, call: Call) -> bool:
    """Whether the line translates all arguments of a call."""
    try:
        jax_arguments(row, call)
    except RefusedError:
        return False
    return True
