"""Calls with arrays of other dtypes: of one, of two beside each other, and beside numbers."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call
from tools.check_map.axes import accepts, takes
from tools.check_map.changing import (
    FLOATS,
    INTS,
    arrays_of,
    changed,
    nth_changed,
    with_different,
)

Variant = tuple[str, Call]

QUADRANTS = (2 + 1j, -2 + 1j, 0.5 - 1j, -0.5 - 1j, 1.5j)  # complex numbers of all signs
_INFINITY = float("inf")
# Complex numbers where a part of a result may be infinite.
POLES = (0j, complex(_INFINITY, 1), complex(1, _INFINITY), complex(-_INFINITY, -1),
         complex(float("nan"), 1))  # fmt: skip
_PARTNERS = (torch.bool, torch.int64, torch.float16, torch.float64, torch.complex64)
# Dtypes of two arrays beside each other: JAX's and PyTorch's rules are the same for them.
_PAIRS = (
    (torch.int32, torch.float32), (torch.float32, torch.int64), (torch.bool, torch.float32),
    (torch.float16, torch.float32), (torch.float32, torch.bfloat16), (torch.int64, torch.int32),
    (torch.uint8, torch.int8), (torch.int32, torch.bool), (torch.float32, torch.complex64),
)  # fmt: skip
_WIDE = 200  # more than int8 holds
# Numbers that are compared, or joined with, the array's own.
_OPERANDS = frozenset({"end", "fill_value", "max", "max_val", "min", "min_val", "other", "value"})


def of_dtypes(call: Call) -> Iterator[Variant]:
    """All arrays in another dtype, also with numbers beyond what float16 holds squared."""
    floats = any(x.dtype in FLOATS for x in arrays_of(call))
    if floats:
        for dtype in (torch.float16, torch.bfloat16):
            yield _name(dtype), changed(call, partial(_float, dtype=dtype))
            yield _name(dtype), changed(changed(call, around_300), partial(_float, dtype=dtype))
    for dtype in (torch.int8, torch.uint8, torch.bool, torch.int32, torch.complex64):
        if floats or not (dtype.is_complex or dtype is torch.int32):
            yield _name(dtype), changed(call, partial(cast, dtype=dtype, floats=floats))
    if floats:
        complexes = changed(call, partial(cast, dtype=torch.complex64, floats=True))
        yield "complex64", with_different(complexes, QUADRANTS)


def of_poles(call: Call) -> Iterator[Variant]:
    """Complex zeros, infinities and NaN."""
    if any(x.dtype in FLOATS for x in arrays_of(call)):
        complexes = changed(call, partial(cast, dtype=torch.complex64, floats=True))
        yield "complex infinity", with_different(complexes, POLES)


def of_pairs(call: Call) -> Iterator[Variant]:
    """Two arrays of one dtype in two, then the third one in another."""
    arrays = arrays_of(call)
    own = next((x.dtype for x in arrays if x.dtype in FLOATS | INTS), None)
    places = [i for i, x in enumerate(arrays) if x.dtype is own]
    if own is None or len(places) < 2:
        return
    for pair in _PAIRS:
        both = torch.promote_types(*pair)
        if own in INTS and (both.is_floating_point or both.is_complex):
            continue
        mixed = _typed(call, dict(zip(places, pair, strict=False)))
        # What PyTorch refuses in the wider dtype too is not about two.
        if accepts(changed(mixed, partial(_widened, dtypes=pair, dtype=both))):
            yield "two dtypes", mixed
    for place in places[2:3]:
        for dtype in (torch.float16, torch.int32) if own in FLOATS else (torch.int8,):
            yield "two dtypes", _typed(call, {place: dtype})


def _typed(call: Call, dtypes: dict[int, torch.dtype]) -> Call:
    """The call with the arrays at some positions in other dtypes."""
    for place, dtype in dtypes.items():
        call = nth_changed(call, place, partial(_to, dtype=dtype))
    return call


def _widened(
    x: torch.Tensor, dtypes: tuple[torch.dtype, torch.dtype], dtype: torch.dtype
) -> torch.Tensor:
    return x.to(dtype) if x.dtype in dtypes else x


def _to(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return x.clamp(0, 100).to(dtype) if dtype is torch.uint8 else x.to(dtype)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _float(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return x.to(dtype) if x.dtype in FLOATS else x


def around_300(x: torch.Tensor) -> torch.Tensor:
    """Numbers of both signs whose squares float16 does not hold."""
    if x.dtype not in FLOATS:
        return x
    signs = torch.ones(x.numel(), dtype=x.dtype)
    signs[1::2] = -1
    return 300 * signs.reshape(x.shape) + x.round()


def cast(x: torch.Tensor, dtype: torch.dtype, floats: bool) -> torch.Tensor:
    """An array of floats, or else of integers, in another dtype."""
    if x.dtype not in (FLOATS if floats else INTS):
        return x
    return _to(x, dtype)


def of_partners(call: Call) -> Iterator[Variant]:
    """The second array without dimensions, of a wider dtype than the first one's."""
    tensors = arrays_of(call)
    if len(tensors) < 2 or tensors[0].dtype != tensors[1].dtype or not tensors[0].ndim:
        return
    wide = tensors[1].dtype
    narrow = torch.float16 if wide in FLOATS else torch.int8 if wide in INTS else None
    yield "other shapes", nth_changed(call, 1, lambda x: x[:1] if x.ndim else x)
    if narrow is None:
        return
    partner = (torch.tensor(2.5) if wide in FLOATS else torch.tensor(3)).to(wide)
    count = iter(range(len(tensors)))

    def change(x: torch.Tensor) -> torch.Tensor:
        return partner if next(count) == 1 else x.to(narrow) if x.dtype == wide else x

    yield "0-d", changed(call, change)


def of_operands(call: Call) -> Iterator[Variant]:
    """Each array as one without dimensions of every other dtype, as a number, and shorter."""
    tensors = arrays_of(call)
    if len(tensors) < 2:
        return
    for position, tensor in enumerate(tensors[:3]):
        numeric = tensor.dtype in FLOATS | INTS
        for dtype in _PARTNERS[:: 1 if position == 1 else 3] if numeric and tensor.ndim else ():
            if dtype is not tensor.dtype:
                yield "0-d", _with_operand(call, position, torch.tensor(2).to(dtype))
        for number in (True, 2, 2.5) if numeric and position else ():
            if takes(variant := _with_operand(call, position, number)):
                yield "a number", variant
        if position and tensor.ndim:
            yield "other shapes", nth_changed(call, position, lambda x: x[:-1])
            yield "empty", nth_changed(call, position, lambda x: x[:0])


def _with_operand(call: Call, position: int, operand: Any) -> Call:
    return nth_changed(call, position, lambda _: operand)


def of_constants(row: Row, call: Call) -> Iterator[Variant]:
    """Numbers that int8 does not hold, beside an array of int8."""
    named = dict(zip(row.taken(), call.args, strict=False)) | call.kwargs
    numbers = {
        name for name, value in named.items()
        if name in _OPERANDS and isinstance(value, int | float | torch.Tensor)
    }  # fmt: skip
    narrow = changed(call, lambda x: x.to(torch.int8) if x.dtype in FLOATS | INTS else x)
    for sign in (1, -1):
        wide = {name: sign * _WIDE if name != "min" else -_WIDE for name in numbers}
        args = [wide.get(name, x) for name, x in zip(row.taken(), narrow.args, strict=False)]
        args += narrow.args[len(args) :]
        kwargs = {name: wide.get(name, value) for name, value in narrow.kwargs.items()}
        beyond = replace(narrow, args=tuple(args), kwargs=kwargs)
        if wide and args and isinstance(args[0], torch.Tensor) and takes(beyond):
            yield "numbers beyond int8", beyond
