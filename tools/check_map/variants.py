"""More calls made of a call that PyTorch's samples give: other dtypes, numbers, shapes and axes."""

import re
from collections.abc import Iterator, Sequence
from functools import partial

import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.compare import Difference
from tools.check_map.arguments import MORE, OUT_OF_RANGE, argument_calls
from tools.check_map.axes import accepts, axes_variants, with_argument, without_tuples
from tools.check_map.changing import (
    FLOATS,
    INTS,
    arrays_of,
    changed,
    with_different,
    with_number,
)
from tools.check_map.dtype_variants import (
    Variant,
    cast,
    of_constants,
    of_dtypes,
    of_operands,
    of_pairs,
    of_partners,
    of_poles,
)

_POSITIONS = frozenset({"dim", "index", "k", "length", "start"})  # of arrays
# PyTorch ends the process on NaN, or never returns from an infinity.
ENDLESS = frozenset({"torch.linalg.eigvals", "torch.linalg.pinv", "torch.pinverse"})
# Matrices that LAPACK factors: with complex infinities it may never return.
FACTORS = re.compile(
    r"linalg|svd|\beig|pinv|\bqr|\blu|chol|solve|inverse|det\b|lstsq|pca|lobpcg|matrix_"
)
# Zero below, what a sum loses beside it, squares that are too large or too small for float32.
EXTREMES = (-0.0, 1e6, -1e10, 1e30, -1e-30)
_NOT_FIRST = (1.0, float("nan"), 2.0, float("inf"), -1.0, float("nan"), 3.0)
# LAPACK writes wherever such an index says.
_UNCHECKED = ("lu_", "geqrf", "ormqr", "orgqr", "householder")

# PyTorch refuses a dtype in these trials, and not what is done.
_OF_DTYPES = frozenset({
    "float16", "bfloat16", "int8", "uint8", "bool", "complex64", "int32", "complex infinity",
})  # fmt: skip
# PyTorch takes no number in the place of an array.
_NO_NUMBER = re.compile(
    r"\bTensor\b.* (?:not|got) (?:int|float|bool)\b|'(?:int|float|bool)' object has no attribute"
)
_OF_TWO_DTYPES = frozenset({"two dtypes", "16-bit inputs"})
_TWO = {"only PyTorch raises": "two dtypes", "dtype": "promotion of two"}


def variants(row: Row, call: Call, few: bool = False) -> Iterator[Variant]:
    """Each kind of trial, and the call of it; PyTorch may refuse it.

    Args:
        row: of the called name.
        call: a sample.
        few: leave out the kinds that take JAX long, as each dtype and shape is compiled.
    """
    if not arrays_of(call):
        yield from _listed(call)
        yield from (("arguments", variant) for _, variant in argument_calls(row, call))
        return
    if row.name not in ENDLESS:
        yield from _of_numbers(row, call)
    yield from of_partners(call)
    yield from _of_indices(row, call)
    yield from _listed(call)
    if not few:
        yield from of_dtypes(call)
        if not FACTORS.search(row.name):
            yield from of_poles(call)
        yield from of_pairs(call)
        yield from of_constants(row, call)
        yield from of_operands(call)
        yield from _of_arguments(row, call)
        yield from _empty(row, call)
        yield from axes_variants(row, call)


def of_trial(trial: str, seen: Sequence[Difference]) -> list[Difference]:
    """The differences of a trial, by the kind that it is about."""
    by_kind = {difference.kind: difference for difference in seen}
    if trial == "0-d" and "dtype" in by_kind:  # values differ because the dtypes do
        return [by_kind["dtype"]._replace(kind="promotion")]
    refused = by_kind.get("only PyTorch raises")
    beyond = trial == "numbers beyond int8" and (not refused or "overflow" in refused.torch)
    if beyond or trial == OUT_OF_RANGE:
        kinds = dict.fromkeys(by_kind.keys() - {"dtype", "width"}, "overflow" if beyond else trial)
        return [d._replace(kind=kinds.get(d.kind, d.kind)) for d in seen[:1]]
    if trial in _OF_DTYPES and refused and not _NO_NUMBER.search(refused.torch):
        return [refused._replace(kind="dtypes")]
    if trial in _OF_TWO_DTYPES:
        by_zero = any("ZeroDivisionError" in difference.torch for difference in seen)
        kinds = {} if by_zero else _TWO
        # Of a narrow and a wide dtype, the result is as exact as the narrow one.
        exact = [d for d in seen if d.kind != "rounding"]
        return [d._replace(kind=kinds.get(d.kind, d.kind)) for d in exact]
    return list(seen)


def module_variants(row: Row, call: Call) -> Iterator[Variant]:
    """The same for the call of a module, whose weights have dtypes of their own."""
    yield from (v for v in of_dtypes(call) if v[0] in ("float16", "bfloat16"))
    if any(x.dtype in FLOATS for x in arrays_of(call)):
        for dtype in (torch.int32, torch.bool):
            yield str(dtype)[6:], changed(call, partial(cast, dtype=dtype, floats=True))
        if "dtype" in row.parameters:
            for dtype in (torch.float16, torch.bfloat16):
                yield "16-bit inputs", changed(call, partial(cast, dtype=dtype, floats=True))
    yield from _of_numbers(row, call)
    yield from _of_indices(row, call)
    yield from _empty(row, call)


def _of_arguments(row: Row, call: Call) -> Iterator[Variant]:
    """Arguments at their special values, beside NaN, an infinity, other dtypes and no numbers."""
    for value, variant in argument_calls(row, call):
        yield "arguments", variant
        if (type(value) is int and value == MORE) or not accepts(variant):
            continue
        floats = [i for i, x in enumerate(arrays_of(variant)) if x.dtype in FLOATS and x.numel()]
        if not isinstance(value, torch.dtype):
            for position in floats[:2] if row.name not in ENDLESS else ():
                yield "NaN", with_number(variant, position, 0, float("nan"))
                yield "infinity", with_number(variant, position, -1, float("inf"))
        elif value in INTS and floats:
            yield "NaN and inf", with_different(variant, _NOT_FIRST)
        if isinstance(value, torch.Tensor) or (type(value) is not bool and value in (0, 1)):
            continue  # each shape and dtype is compiled: -1, None, words and booleans have to do
        named = isinstance(value, bool | str)
        for dtype in (torch.bool, *[torch.int32, torch.complex64] * (named and bool(floats))):
            as_dtype = partial(cast, dtype=dtype, floats=bool(floats))
            yield str(dtype)[6:], changed(variant, as_dtype)
        yield "empty", changed(variant, lambda x: x[:0] if x.ndim else x)


def _of_numbers(row: Row, call: Call) -> Iterator[Variant]:
    """NaN and infinities in one array or all, and numbers of extreme sizes."""
    floats = [i for i, x in enumerate(arrays_of(call)) if x.dtype in FLOATS and x.numel()]
    for position in floats[:2]:
        yield "NaN", with_number(call, position, 0, float("nan"))
        yield "infinity", with_number(call, position, -1, float("-inf"))
    for position in floats[:1]:
        yield "infinity", with_number(call, position, 0, float("inf"))
    if floats:
        if not FACTORS.search(row.name):
            yield "NaN and inf", with_different(call, _NOT_FIRST)
        yield "large and small", with_different(call, EXTREMES)


def _of_indices(row: Row, call: Call) -> Iterator[Variant]:
    """Positions outside the array, and of a dtype that PyTorch may not take."""
    named = dict(zip(row.taken(), call.args, strict=False)) | call.kwargs
    for name in sorted(_POSITIONS & {k for k, value in named.items() if type(value) is int}):
        if (outside := with_argument(row, call, name, 1000)) is not None:
            yield "bounds", outside
    tensors = arrays_of(call)
    whole = [i for i, x in enumerate(tensors) if x.dtype in INTS and x.numel()]
    if not whole or not any(x.dtype in FLOATS for x in tensors):
        return
    if any(word in row.name for word in _UNCHECKED):
        return
    for number in (1000, -1):
        yield "bounds", with_number(call, whole[0], -1, number)
    yield "int32", changed(call, lambda x: x.int() if x.dtype is torch.int64 else x)


def _empty(row: Row, call: Call) -> Iterator[Variant]:
    """Arrays of no numbers along each axis, and those without axes."""
    without = changed(call, lambda x: x.reshape(-1)[0] if x.numel() else x)
    named = dict(zip(row.taken(), call.args, strict=False)) | call.kwargs
    has_axis = type(named.get("dim")) is int
    last = with_argument(row, without, "dim", -1) if has_axis else None
    yield "0-d", last or without
    for axis in range(max(x.ndim for x in arrays_of(call))):
        empty = changed(call, partial(_emptied, axis=axis))
        yield "empty", empty
        if has_axis and axis != named["dim"] and (other := with_argument(row, empty, "dim", axis)):
            yield "empty", other
    if any(x.ndim > 1 for x in arrays_of(call)):
        yield "empty", changed(call, lambda x: x[..., :0] if x.ndim > 1 else x)


def _emptied(x: torch.Tensor, axis: int) -> torch.Tensor:
    return x.narrow(axis, 0, 0) if x.ndim > axis else x


def _listed(call: Call) -> Iterator[Variant]:
    listed = without_tuples(call)
    if listed is not None:
        yield "lists", listed
