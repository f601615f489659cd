"""Calls with other arguments: at 0, 1, -1 and 5, booleans flipped, optional ones left out."""

import ast
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from jaxvstorch._port.map.row import PLACEMENT, PLACEMENT_IN_JAX, Row
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.values import RefusedError, jax_arguments
from tools.check_map.axes import AXES, takes, with_argument

NUMBERS = (0, 1, -1)
MORE = 5  # than there is along most axes of a sample
COUNTS = (0, -1, MORE)
OUT_OF_RANGE = "out of range"
# Values of a parameter, by its name, that its default does not tell.
_FURTHER = {"copy": (True, False), "momentum": (None,)}
_HALF = (0.5, 0)
# Values of a parameter that is None by default.
_OPTIONAL: dict[str, tuple[Any, ...]] = {
    "correction": (0, 5), "ddof": (0, 5), "density": (True,), "eps": (0.25,), "keepdims": (True,),
    "left": _HALF, "neginf": _HALF, "param_dtype": (np.float16,), "posinf": _HALF,
    "range": ((-1.0, 2.0), (1.0, 1.0)), "recompute_scale_factor": (True,), "right": _HALF,
    "rtol": (0.1,), "scale": _HALF,
}  # fmt: skip
# Dtypes of a result, by the framework whose name is called.
_RESULTS: dict[str, tuple[Any, ...]] = {
    "torch": (torch.float16, torch.int32, torch.complex64),
    "jax": (np.float16, np.int32, np.complex64),
}
# Words of which a parameter takes any, by its name.
WORDS: dict[str, tuple[str, ...]] = {
    "reduction": ("none", "mean", "sum"),
    "norm": ("forward", "backward", "ortho"),
    "interpolation": ("linear", "lower", "higher", "nearest", "midpoint"),
    "method": ("linear", "lower", "higher", "nearest", "midpoint"),
    "side": ("left", "right"),
    "indexing": ("ij", "xy"),
    "UPLO": ("L", "U"),
    "approximate": ("none", "tanh"),
    "nonlinearity": ("tanh", "relu"),
    "padding_mode": ("zeros", "border", "reflection"),
    "padding": ("SAME", "VALID"),
}
# Words that a mode is one of.
_MODES = (
    ("nearest", "linear", "bilinear", "bicubic", "area", "nearest-exact"),
    ("constant", "reflect", "replicate", "circular", "edge", "wrap"),
    ("reduced", "complete", "r"), ("sum", "mean", "max"), ("full", "economic"),
    ("fan_in", "fan_out"),
)  # fmt: skip


def argument_calls(row: Row, call: Call, with_required: bool = True) -> Iterator[tuple[Any, Call]]:
    """Another value for each argument in turn and the call with it, and without the optional ones.

    What PyTorch refuses by a TypeError is no trial.

    Args:
        row: of the called name.
        call: with the usual arguments.
        with_required: whether arguments get other values that have no default.
    """
    given = dict(zip(row.taken(), call.args, strict=False)) | call.kwargs
    optional = [name for name, value in given.items() if _optional(row, name) and value is not None]
    settings = [(name, value) for name in _translated(row) for value in _others(row, given, name)]
    settings += [(name, None) for name in optional]
    without: Call | None = call
    for name, value in settings:
        required = not with_required and row.parameters.get(name) is None
        if required or name in AXES or name not in _translated(row):
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
    yield from other_values(row, given, name)
    if type(given.get(name)) is float:  # a number without dimensions has a dtype
        for dtype in (torch.float64, torch.float16):
            yield torch.tensor(given[name], dtype=dtype)


def other_values(row: Row, given: dict[str, Any], name: str) -> list[Any]:
    """Other values of a parameter: of an argument's kind, or of its default's."""
    value = given[name] if name in given else default(row, name)
    if isinstance(value, torch.Tensor | np.ndarray):
        return []
    further: Sequence[Any] = _FURTHER.get(name, ())
    if name == "dtype":
        further = _RESULTS[row.framework]
    elif value is None:
        further = further or _OPTIONAL.get(name, _words(name, None))
    elif isinstance(value, str):
        further = _words(name, value)
    return others(value) + [v for v in further if v != value]


def _words(name: str, value: str | None) -> tuple[str, ...]:
    """The words of which one is given, or any, where none is."""
    if name == "mode":
        return next((words for words in _MODES if value in words), ())
    words = WORDS.get(name, ())
    return words if value is None or value in words else ()


def others(value: Any) -> list[Any]:
    """0, 1 and -1; of integers 0, -1 and 5, of several the first; not a boolean."""
    if isinstance(value, bool):
        return [not value]
    if type(value) is float:
        return [float(number) for number in NUMBERS if number != value]
    if type(value) is int:
        return [number for number in COUNTS if number != value]
    if type(value) in (tuple, list) and value and all(type(item) is int for item in value):
        rest = [*value[1:]]
        return [type(value)([number, *rest]) for number in COUNTS[:2] if number != value[0]]
    if type(value) is tuple and value and all(type(item) is float for item in value):
        return [(0.0, *value[1:]), (*value[:-1], 0.0)]
    return []


def trial_of(value: Any) -> str:
    """What a value of a count, a rate or a scale tries, or the first one of several."""
    if type(value) in (tuple, list) and value:
        return trial_of(value[0])
    return OUT_OF_RANGE if type(value) in (int, float) and value <= 0 else "arguments"


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
