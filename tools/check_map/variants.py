"""More calls made of a call that PyTorch's samples give: other dtypes, numbers, shapes and axes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from typing import Any

import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.compare import Difference
from tools.check_map.arguments import argument_calls
from tools.check_map.axes import accepts, axes_variants, takes, with_argument, without_tuples

Variant = tuple[str, Call]

FLOATS = frozenset({torch.float32, torch.float64})
_INTS = frozenset({torch.int64, torch.int32})
QUADRANTS = (2 + 1j, -2 + 1j, 0.5 - 1j, -0.5 - 1j, 1.5j)  # complex numbers of all signs
_PARTNERS = (torch.bool, torch.int64, torch.float16, torch.float64, torch.complex64)
_WIDE = 200  # more than int8 holds
# Numbers that are compared, or joined with, the array's own.
_OPERANDS = frozenset({"end", "fill_value", "max", "max_val", "min", "min_val", "other", "value"})
_POSITIONS = frozenset({"dim", "index", "k", "length", "start"})  # of arrays
# PyTorch ends the process on NaN, or never returns from an infinity.
ENDLESS = frozenset({"torch.linalg.eigvals", "torch.linalg.pinv", "torch.pinverse"})
# LAPACK writes wherever such an index says.
_UNCHECKED = ("lu_", "geqrf", "ormqr", "orgqr", "householder")

# PyTorch refuses a dtype in these trials, and not what is done.
_OF_DTYPES = frozenset({"float16", "bfloat16", "int8", "uint8", "bool", "complex64", "int32"})


def variants(row: Row, call: Call, few: bool = False) -> Iterator[Variant]:
    """Each kind of trial, and the call of it; PyTorch may refuse it.

    Args:
        row: of the called name.
        call: a sample.
        few: leave out the kinds that take JAX long, as each dtype and shape is compiled.
    """
    if not _tensors(call):
        yield from _listed(call)
        return
    if row.name not in ENDLESS:
        yield from _of_numbers(call)
    yield from _of_partners(call)
    yield from _of_indices(row, call)
    yield from _listed(call)
    if not few:
        yield from _of_dtypes(call)
        yield from _of_constants(row, call)
        yield from _of_operands(call)
        yield from _of_arguments(row, call)
        yield from _empty(row, call)
        yield from axes_variants(row, call)


def of_trial(trial: str, seen: Sequence[Difference]) -> list[Difference]:
    """The differences of a trial, by the kind that it is about."""
    by_kind = {difference.kind: difference for difference in seen}
    if trial == "0-d" and "dtype" in by_kind:  # values differ because the dtypes do
        return [by_kind["dtype"]._replace(kind="promotion")]
    if trial == "numbers beyond int8":
        return [difference._replace(kind="overflow") for difference in seen[:1]]
    if trial in _OF_DTYPES and (refused := by_kind.get("only PyTorch raises")):
        return [refused._replace(kind="dtypes")]
    return list(seen)


def module_variants(row: Row, call: Call) -> Iterator[Variant]:
    """The same for the call of a module, whose weights have dtypes of their own."""
    yield from (v for v in _of_dtypes(call) if v[0] in ("float16", "bfloat16"))
    yield from _of_numbers(call)
    yield from _of_indices(row, call)
    yield from _empty(row, call)


def _of_dtypes(call: Call) -> Iterator[Variant]:
    floats = any(x.dtype in FLOATS for x in _tensors(call))
    if floats:
        for dtype in (torch.float16, torch.bfloat16):
            yield _name(dtype), changed(call, partial(_float, dtype=dtype))
            yield _name(dtype), changed(changed(call, around_300), partial(_float, dtype=dtype))
    for dtype in (torch.int8, torch.uint8, torch.bool, torch.complex64):
        if floats or dtype is not torch.complex64:
            yield _name(dtype), changed(call, partial(_cast, dtype=dtype, floats=floats))
    if floats:
        complexes = changed(call, partial(_cast, dtype=torch.complex64, floats=True))
        yield "complex64", with_different(complexes, QUADRANTS)


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


def _cast(x: torch.Tensor, dtype: torch.dtype, floats: bool) -> torch.Tensor:
    if x.dtype not in (FLOATS if floats else _INTS):
        return x
    return x.clamp(0, 100).to(dtype) if dtype is torch.uint8 else x.to(dtype)


def _of_partners(call: Call) -> Iterator[Variant]:
    """The second array without dimensions, of a wider dtype than the first one's."""
    tensors = _tensors(call)
    if len(tensors) < 2 or tensors[0].dtype != tensors[1].dtype or not tensors[0].ndim:
        return
    wide = tensors[1].dtype
    narrow = torch.float16 if wide in FLOATS else torch.int8 if wide in _INTS else None
    yield "other shapes", _nth_changed(call, 1, lambda x: x[:1] if x.ndim else x)
    if narrow is None:
        return
    partner = (torch.tensor(2.5) if wide in FLOATS else torch.tensor(3)).to(wide)
    count = iter(range(len(tensors)))

    def change(x: torch.Tensor) -> torch.Tensor:
        return partner if next(count) == 1 else x.to(narrow) if x.dtype == wide else x

    yield "0-d", changed(call, change)


def _of_operands(call: Call) -> Iterator[Variant]:
    """Each array as one without dimensions of every other dtype, as a number, and shorter."""
    tensors = _tensors(call)
    if len(tensors) < 2:
        return
    for position, tensor in enumerate(tensors[:3]):
        numeric = tensor.dtype in FLOATS | _INTS
        for dtype in _PARTNERS[:: 1 if position == 1 else 3] if numeric and tensor.ndim else ():
            if dtype is not tensor.dtype:
                yield "0-d", _with_operand(call, position, torch.tensor(2).to(dtype))
        for number in (True, 2, 2.5) if numeric and position else ():
            if takes(variant := _with_operand(call, position, number)):
                yield "a number", variant
        if position and tensor.ndim:
            yield "other shapes", _nth_changed(call, position, lambda x: x[:-1])
            yield "empty", _nth_changed(call, position, lambda x: x[:0])


def _of_arguments(row: Row, call: Call) -> Iterator[Variant]:
    """Arguments at their special values, beside NaN, an infinity, booleans and no numbers."""
    for value, variant in argument_calls(row, call):
        yield "arguments", variant
        if not accepts(variant):
            continue
        tensors = _tensors(variant)
        floats = [i for i, x in enumerate(tensors) if x.dtype in FLOATS and x.numel()]
        for position in floats[:2] if row.name not in ENDLESS else ():
            yield "NaN", with_number(variant, position, 0, float("nan"))
            yield "infinity", with_number(variant, position, -1, float("inf"))
        if isinstance(value, torch.Tensor) or value in (0, 1):
            continue  # other shapes and dtypes are compiled: -1 and None have to do
        yield "bool", changed(variant, partial(_cast, dtype=torch.bool, floats=bool(floats)))
        yield "empty", changed(variant, lambda x: x[:0] if x.ndim else x)


def _of_numbers(call: Call) -> Iterator[Variant]:
    floats = [i for i, x in enumerate(_tensors(call)) if x.dtype in FLOATS and x.numel()]
    for position in floats[:2]:
        yield "NaN", with_number(call, position, 0, float("nan"))
        yield "infinity", with_number(call, position, -1, float("-inf"))
    for position in floats[:1]:
        yield "infinity", with_number(call, position, 0, float("inf"))


def _with_operand(call: Call, position: int, operand: Any) -> Call:
    return _nth_changed(call, position, lambda _: operand)


def _nth_changed(call: Call, position: int, change: Callable[[torch.Tensor], torch.Tensor]) -> Call:
    count = iter(range(1000))
    return changed(call, lambda x: change(x) if next(count) == position else x)


def _of_indices(row: Row, call: Call) -> Iterator[Variant]:
    """Positions outside the array, and of a dtype that PyTorch may not take."""
    named = dict(zip(row.taken(), call.args, strict=False)) | call.kwargs
    for name in sorted(_POSITIONS & {k for k, value in named.items() if type(value) is int}):
        if (outside := with_argument(row, call, name, 1000)) is not None:
            yield "bounds", outside
    tensors = _tensors(call)
    whole = [i for i, x in enumerate(tensors) if x.dtype in _INTS and x.numel()]
    if not whole or not any(x.dtype in FLOATS for x in tensors):
        return
    if any(word in row.name for word in _UNCHECKED):
        return
    for number in (1000, -1):
        yield "bounds", with_number(call, whole[0], -1, number)
    yield "int32", changed(call, lambda x: x.int() if x.dtype is torch.int64 else x)


def _of_constants(row: Row, call: Call) -> Iterator[Variant]:
    """Numbers that int8 does not hold, beside an array of int8."""
    named = dict(zip(row.taken(), call.args, strict=False)) | call.kwargs
    numbers = {
        name for name, value in named.items()
        if name in _OPERANDS and isinstance(value, int | float | torch.Tensor)
    }  # fmt: skip
    narrow = changed(call, lambda x: x.to(torch.int8) if x.dtype in FLOATS | _INTS else x)
    for sign in (1, -1):
        wide = {name: sign * _WIDE if name != "min" else -_WIDE for name in numbers}
        args = [wide.get(name, x) for name, x in zip(row.taken(), narrow.args, strict=False)]
        args += narrow.args[len(args) :]
        kwargs = {name: wide.get(name, value) for name, value in narrow.kwargs.items()}
        beyond = replace(narrow, args=tuple(args), kwargs=kwargs)
        if wide and args and isinstance(args[0], torch.Tensor) and takes(beyond):
            yield "numbers beyond int8", beyond


def _empty(row: Row, call: Call) -> Iterator[Variant]:
    """Arrays of no numbers along each axis, and those without axes."""
    without = changed(call, lambda x: x.reshape(-1)[0] if x.numel() else x)
    named = dict(zip(row.taken(), call.args, strict=False)) | call.kwargs
    has_axis = type(named.get("dim")) is int
    last = with_argument(row, without, "dim", -1) if has_axis else None
    yield "0-d", last or without
    for axis in range(max(x.ndim for x in _tensors(call))):
        empty = changed(call, partial(_emptied, axis=axis))
        yield "empty", empty
        if has_axis and axis != named["dim"] and (other := with_argument(row, empty, "dim", axis)):
            yield "empty", other
    if any(x.ndim > 1 for x in _tensors(call)):
        yield "empty", changed(call, lambda x: x[..., :0] if x.ndim > 1 else x)


def _emptied(x: torch.Tensor, axis: int) -> torch.Tensor:
    return x.narrow(axis, 0, 0) if x.ndim > axis else x


def _listed(call: Call) -> Iterator[Variant]:
    listed = without_tuples(call)
    if listed is not None:
        yield "lists", listed


def with_number(call: Call, position: int, element: int, number: float) -> Call:
    """The call with another number as an element of the array at a position among the arrays."""

    def change(x: torch.Tensor) -> torch.Tensor:
        x = x.detach().clone().contiguous()
        x.view(-1)[element] = number
        return x

    return _nth_changed(call, position, change)


def with_different(call: Call, numbers: Sequence[complex]) -> Call:
    """The call with some numbers one after the other; each array begins with another one."""
    offsets = iter(range(1000))

    def change(x: torch.Tensor) -> torch.Tensor:
        if x.dtype not in FLOATS and not x.is_complex():
            return x
        begin = next(offsets)
        chosen = [*islice(cycle(numbers), begin, begin + x.numel())]
        return torch.tensor(chosen, dtype=x.dtype).reshape(x.shape)

    return changed(call, change)


def changed(call: Call, change: Callable[[torch.Tensor], torch.Tensor]) -> Call:
    """The call with each array changed, in order."""
    args = tuple(_changed(x, change) for x in call.args)
    kwargs = {name: _changed(value, change) for name, value in call.kwargs.items()}
    return replace(call, args=args, kwargs=kwargs)


def _changed(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return change(value) if value.layout is torch.strided else value
    if type(value) in (list, tuple):
        return type(value)(_changed(item, change) for item in value)
    return value


def _tensors(call: Call) -> list[torch.Tensor]:
    """The arrays among the arguments, in order."""
    tensors: list[torch.Tensor] = []

    def keep(x: torch.Tensor) -> torch.Tensor:
        tensors.append(x)
        return x

    changed(call, keep)
    return tensors
