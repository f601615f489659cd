"""A call with its arrays changed: all of them, one of them, or one number in one."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import cycle, islice
from typing import Any

import torch

from jaxvstorch._port.map.running.call import Call

FLOATS = frozenset({torch.float32, torch.float64})
INTS = frozenset({torch.int64, torch.int32})


def nth_changed(call: Call, position: int, change: Callable[[torch.Tensor], torch.Tensor]) -> Call:
    """The call with the array at a position among the arrays changed."""
    count = iter(range(1000))
    return changed(call, lambda x: change(x) if next(count) == position else x)


def with_number(call: Call, position: int, element: int, number: float) -> Call:
    """The call with another number as an element of the array at a position among the arrays."""

    def change(x: torch.Tensor) -> torch.Tensor:
        x = x.detach().clone().contiguous()
        x.view(-1)[element] = number
        return x

    return nth_changed(call, position, change)


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


def arrays_of(call: Call) -> list[torch.Tensor]:
    """The arrays among the arguments, in order."""
    kept: list[torch.Tensor] = []

    def keep(x: torch.Tensor) -> torch.Tensor:
        kept.append(x)
        return x

    changed(call, keep)
    return kept
