"""Calls with other axes: negative, none, several, repeated, and in lists."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call

AXES = ("dim", "dims", "axis")


def axes_variants(row: Row, call: Call) -> Iterator[tuple[str, Call]]:
    """Each kind of trial and its call; none where a call has no axes to name.

    What PyTorch refuses by a TypeError, as a list where it takes one axis, is no trial.
    """
    name = next((name for name in AXES if name in row.parameters), None)
    first = call.args[0] if call.args else None
    if name is None or not isinstance(first, torch.Tensor) or not first.ndim:
        return
    n = first.ndim
    candidates: list[tuple[str, Any]] = [("axes", -1), ("axes", ()), ("lists", [0])]
    if n > 1:
        candidates += [("lists", [0, 1]), ("lists", []), ("axes", (0, 0)), ("axes", (0, -n))]
    for kind, value in candidates:
        variant = with_argument(row, call, name, value)
        if variant is not None and takes(variant):
            yield kind, variant


def with_argument(row: Row, call: Call, name: str, value: Any) -> Call | None:
    """The call with another value for a parameter; None where that has no place."""
    taken = row.taken()
    if any(f"*{each}" in (row.made or "") for each in taken):
        return None
    position = taken.index(name) if name in taken else len(call.args)
    if position < len(call.args):
        args = (*call.args[:position], value, *call.args[position + 1 :])
        return replace(call, args=args)
    aliases = {"axis"} if name == "dim" else set()
    kwargs = {k: v for k, v in call.kwargs.items() if k not in aliases} | {name: value}
    return replace(call, kwargs=kwargs)


def takes(call: Call) -> bool:
    """Whether PyTorch takes arguments of these types, whatever it says of their values."""
    try:
        call()
    except TypeError:
        return False
    except Exception:  # it is another refusal, which JAX should share
        return True
    return True


def accepts(call: Call) -> bool:
    """Whether PyTorch gives a result."""
    try:
        call()
    except Exception:  # whatever the reason
        return False
    return True


def without_tuples(call: Call) -> Call | None:
    """The call with lists for tuples of numbers or arrays; None where there are none."""
    args = tuple(map(_listed, call.args))
    kwargs = {name: _listed(value) for name, value in call.kwargs.items()}
    changed = [type(a) is not type(b) for a, b in zip(args, call.args, strict=True)]
    changed += [type(kwargs[name]) is not type(call.kwargs[name]) for name in kwargs]
    return replace(call, args=args, kwargs=kwargs) if any(changed) else None


def _listed(value: Any) -> Any:
    if type(value) in (tuple, torch.Size) and value and all(map(_int_or_array, value)):
        return list(value)
    return value


def _int_or_array(value: Any) -> bool:
    return type(value) is int or isinstance(value, torch.Tensor)
