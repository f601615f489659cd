"""Samples to try a name of JAX on, as NumPy arrays that both frameworks are given.

Sets of them have names that a line can use behind ``try:``, such as ``unary``; sets are lists, so
that ``unary + [(x, 2)]`` is a larger one.
"""

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import numpy as np

from tools.check_map.jax_values import Key, Structure, as_key, bfloat16

DTYPES = (np.float32, bfloat16, np.float16, np.int32, np.uint8, np.bool_, np.complex64)


@dataclass(frozen=True)
class Sample:
    """One call.

    Attributes:
        args: positional arguments.
        kwargs: named arguments.
        kind: what it tries, such as a dtype; the dtype of its first array if it is empty.
        called: the arguments of the second call, of what the first call makes.
        then: what is done to the result before it is compared, in both frameworks.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    kind: str = ""
    called: tuple[Any, ...] | None = None
    then: Callable[[Any], Any] | None = None

    def label(self) -> str:
        """What it tries, as the verdict says it."""
        if self.kind:
            return self.kind
        arrays = [a for a in jax.tree.leaves((self.args, self.called)) if isinstance(a, np.ndarray)]
        return arrays[0].dtype.name if arrays else "own"


def call(*args: Any, then: Callable[[Any], Any] | None = None, **kwargs: Any) -> Sample:
    """A sample with named arguments, or with something that is done to its result."""
    return Sample(args, kwargs, then=then)


def call_module(made: tuple[Any, ...], named: dict[str, Any], *called: Any) -> Sample:
    """A sample of a module that is made with named arguments."""
    return Sample(made, named, called=called)


def _typed(values: Any, dtype: Any) -> np.ndarray:
    array: np.ndarray = np.asarray(values)
    return (np.abs(array) if dtype is np.uint8 else array).astype(dtype)


x = np.array([[1.5, -2.0, 0.0], [3.0, 0.5, -1.0]], np.float32)
y = np.array([[0.5, 2.0, -1.0], [3.0, 0.25, 0.75]], np.float32)
n = np.array([[1, -2, 0], [3, 5, -1]], np.int32)
i = np.array([2, 0, 1], np.int32)
b = np.array([[True, False, True], [False, False, True]])
c = (x + 1j * y).astype(np.complex64)
u = np.array([0.2, 0.7, 0.5, 0.9], np.float32)
m = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]], np.float32)
_special = np.array([np.nan, np.inf, -np.inf, -0.0, 0.5], np.float32)
_scalar = np.array(0.5, np.float32)
_empty = np.ones((0, 3), np.float32)
_all = [_typed(x, dtype) for dtype in DTYPES]
_partners = [_typed(y, dtype) for dtype in DTYPES]

unary = [
    *(Sample((a,)) for a in _all),
    Sample((u,)),
    Sample((_scalar,), kind="0-d"),
    Sample((_empty,), kind="empty"),
    Sample((_special,), kind="NaN and inf"),
    Sample((0.5,), kind="a number"),
]
# Of functions with poles at zero and below, where the frameworks disagree.
positive = [
    *(Sample((_typed(3 * u, dtype),)) for dtype in DTYPES),
    Sample((x,), kind="zero and below"),
    *(s for s in unary if s.kind),
]
arrays = unary[:-1]  # those that are arrays
binary = [
    *(Sample(pair) for pair in zip(_all, _partners, strict=True)),
    Sample((u, u[::-1].copy())),
    Sample((x, y[0]), kind="broadcast"),
    Sample((x, n), kind="two dtypes"),
    Sample((_typed(x, bfloat16), y), kind="two dtypes"),
    Sample((_typed(x, bfloat16), _scalar), kind="0-d of another dtype"),
    Sample((n, _scalar), kind="0-d of another dtype"),
    Sample((_empty, _empty), kind="empty"),
    Sample((_special, _special[::-1].copy()), kind="NaN and inf"),
    Sample((x, 2), kind="a number"),
    Sample((2.5, x), kind="a number"),
    Sample((n, 0.5), kind="a number"),
]
same_dtype = [s for s in binary if s.kind in ("", "empty", "NaN and inf")]
reduction = [
    *(Sample((a,), {"axis": axis}) for a in _all for axis in (None, -1)),
    Sample((x, 0), {"keepdims": True}),
    Sample((x, (0, 1)), kind="several axes"),
    Sample((x, (0, -1)), {"keepdims": True}, kind="several axes"),
    Sample((x, ()), kind="no axes"),
    Sample((_scalar,), kind="0-d"),
    Sample((_scalar, -1), kind="0-d"),
    Sample((_empty,), kind="empty"),
    Sample((_empty, 1), kind="empty"),
    Sample((_special,), kind="NaN and inf"),
    Sample((np.full(1000, 300, np.float16),), kind="float16"),
    Sample((0.5,), kind="a number"),
]
cumulative = [
    *(Sample((a,), {"axis": axis}) for a in _all for axis in (0, -1)),
    Sample((x,), kind="no axis"),
    Sample((_empty, 0), kind="empty"),
    Sample((_special,), {"axis": 0}, kind="NaN and inf"),
]
# Places by axis: softmax, sort, flip and the like, whose axis has a default.
along = [
    *(Sample((a,)) for a in _all),
    *(Sample((x,), {"axis": axis}) for axis in (0, -1, 1)),
    Sample((_scalar,), kind="0-d"),
    Sample((_empty,), kind="empty"),
    Sample((_special,), kind="NaN and inf"),
]
products = [
    *(Sample((_typed(m, dtype), _typed(m + x[0], dtype))) for dtype in DTYPES),
    Sample((m, x[0]), kind="matrix and vector"),
    Sample((x[0], m), kind="matrix and vector"),
    Sample((x[0], y[0]), kind="two vectors"),
    Sample((np.stack([m, m]), m), kind="batch"),
    Sample((np.stack([m, m]), np.stack([m, 2 * m])), kind="batch"),
    Sample((x, m), kind="float32"),
    Sample((_scalar, x[0]), kind="0-d"),
    Sample((m, _typed(m, np.int32)), kind="two dtypes"),
    Sample((_empty, m), kind="empty"),
]
matrices = [
    Sample((m,)),
    Sample((m.astype(np.complex64),)),
    Sample((np.stack([m, 2 * m]),), kind="batch"),
    Sample((_typed(m, np.int32),)),
]
tree = {"b": x, "a": (n, [y])}
trees = [Sample((tree,)), Sample(([x, None, y],), kind="None"), Sample((x,), kind="an array")]

SETS = {
    "unary": unary, "positive": positive, "arrays": arrays, "binary": binary,
    "same_dtype": same_dtype, "reduction": reduction, "cumulative": cumulative, "along": along,
    "products": products, "matrices": matrices, "trees": trees, "tree": tree, "x": x, "y": y,
    "n": n, "i": i, "b": b, "c": c, "u": u, "m": m, "k": Key(), "call": call, "np": np,
    "call_module": call_module, "structure_of": Structure, "as_key": as_key, "bfloat16": bfloat16,
    "dataclasses": dataclasses, "special": _special, "scalar": _scalar, "empty": _empty,
}  # fmt: skip


def fitting(parameters: list[inspect.Parameter]) -> list[Sample]:
    """The set that fits a function's parameters, by their names."""
    names = [p.name for p in parameters]
    required = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    if {"axis", "keepdims"} <= {*names} and len(required) == 1:
        return reduction
    if names[1:2] == ["axis"] and len(required) == 1:
        return cumulative
    if names[:2] == ["a", "b"] and len(required) == 2:
        return products
    if len(required) == 2 and all(p.kind is p.POSITIONAL_ONLY for p in required):
        return binary
    if len(required) == 2 and names[:2] in (["x1", "x2"], ["x", "y"]):
        return binary
    if len(required) == 1 and len(parameters) == 1 and names[0] in ("x", "val", "z"):
        return unary
    return []


def widened(sample: Sample) -> Sample:
    """A sample with 64 bits for 32."""
    return replace(sample, args=_wide(sample.args), called=_wide(sample.called))


def _wide(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype == np.float32:
        return value.astype(np.float64)
    if isinstance(value, dict):
        return {name: _wide(item) for name, item in value.items()}
    return type(value)(map(_wide, value)) if type(value) in (list, tuple) else value
