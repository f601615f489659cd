"""Casts of numbers that no integer is near, such as -inf and NaN.

PyTorch leaves open what integer such a number becomes, and JAX has another one. Programs compute it
beside others, and drop it by ``torch.where``. So it is no difference, nor is what is made of it
until it is dropped.
"""

import weakref
from typing import Any

import torch

from jaxvstorch._port.judging import judge, mapped
from jaxvstorch._port.map.running.call import Call, flat
from jaxvstorch._port.outcome import Outcome

_NOTE = "what {} becomes as an integer is left open, and not compared"
_CASTS = frozenset({
    "Tensor.to", "Tensor.type", "Tensor.type_as", "Tensor.long", "Tensor.int", "Tensor.short",
    "Tensor.char", "Tensor.byte",
})  # fmt: skip
_LEAST, _MOST = -(2**31), 2**31 - 1  # of the integers that JAX has by default


class Undefined:
    """Judges calls, and remembers which results hold integers that are left open."""

    def __init__(self) -> None:
        self._known: dict[int, weakref.ref[torch.Tensor]] = {}

    def judge(self, name: str, call: Call, given: Any, result: Any) -> Outcome:
        """Do a call again in JAX, and compare the results, but not integers that are left open.

        Args:
            name: of the function.
            call: its arguments, as copies from before it.
            given: its arguments themselves.
            result: PyTorch's result.
        """
        first: Any = call.args[0] if call.args else None
        note, casts = "", name in _CASTS and _is_float(first) and _is_integer(result)
        if casts and not (fitting := _fits(first, result.dtype)).all():
            note = _NOTE.format(first[~fitting].flatten()[0].item())
            call = Call(call.function, (first.where(fitting, 0), *call.args[1:]), call.kwargs)
        elif any(self._is_known(x) for x in flat(given)):
            args, kwargs = mapped(_fitted, (call.args, call.kwargs))
            call = Call(call.function, args, kwargs)
        else:
            return judge(name, call, result)
        for x in flat(result):
            if isinstance(x, torch.Tensor) and (note or not torch.equal(x, _fitted(x))):
                self._known[id(x)] = weakref.ref(x)
        with torch.random.fork_rng():
            return judge(name, call, call()).with_notes(note)

    def _is_known(self, value: Any) -> bool:
        known = self._known.get(id(value))
        return known is not None and known() is value


def _is_float(value: Any) -> bool:
    plain = isinstance(value, torch.Tensor) and value.layout is torch.strided
    return plain and value.is_floating_point()


def _is_integer(value: torch.Tensor) -> bool:
    others = value.is_floating_point() or value.is_complex() or value.dtype is torch.bool
    return not others


def _fits(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Where numbers are in the range of an integer's dtype."""
    info = torch.iinfo(dtype)
    return (x > info.min - 1.0) & (x < info.max + 1.0)


def _fitted(value: Any) -> Any:
    """Integers that JAX has by default, in place of larger ones."""
    wide = isinstance(value, torch.Tensor) and value.dtype is torch.int64
    return value.clamp(_LEAST, _MOST) if wide else value
