"""Calls, results and errors as short text."""

from inspect import isfunction
from typing import Any

import torch

from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.compare import text
from jaxvstorch._port.map.running.values import array, leaves

SMALL = 4  # numbers of an array that are written out
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
BRIEF = 30  # letters of a longer array's first numbers, where they are written too


def call_text(call: Call) -> str:
    """A call's arguments: small arrays by value, others by dtype and shape."""
    parts = [_argument(x) for x in call.args]
    parts += [f"{name}={_argument(x)}" for name, x in call.kwargs.items()]
    return ", ".join(parts)


def _argument(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype)[6:]
        plain = value.layout is torch.strided and value.device.type == "cpu"
        small = plain and 0 < value.numel() <= SMALL and value.ndim <= SMALL
        small = small or (plain and value.numel() > 0 and len(text(array(value))) <= BRIEF)
        same = plain and value.numel() > SMALL and bool((value == value.ravel()[0]).all())
        shape = " by ".join(map(str, value.shape)) or "0-d"
        if same:
            return f"{dtype} all {text(array(value.ravel()[0]))} ({shape})"
        return (
            f"{dtype} {text(array(value))}" + f" ({shape})" * (value.ndim > 1)
            if small
            else f"{dtype}{_not_finite(value) if plain else ''} ({shape})"
        )
    if isinstance(value, list | tuple):
        inside = ", ".join(map(_argument, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name!r}: {_argument(item)}' for name, item in value.items())}}}"
    if isfunction(value):  # its repr has an address, which each process changes
        return value.__name__
    return str(value) if isinstance(value, torch.dtype) else repr(value)


def _not_finite(value: torch.Tensor) -> str:
    """What an array holds beside finite numbers: a call may be about it."""
    tests: dict[str, Any] = {"nan": torch.isnan, "inf": torch.isposinf, "-inf": torch.isneginf}
    if value.is_complex():  # where a part is not finite; infinities have no order
        tests = {"nan": torch.isnan, "inf": torch.isinf}
    elif value.dtype not in FLOATS:
        return ""
    words = [word for word, test in tests.items() if test(value).any()]
    return f" with {' and '.join(words)}" if words else ""


def result_text(value: Any) -> str:
    """A result as a few numbers."""
    parts = [text(array(leaf)) if hasattr(leaf, "shape") else repr(leaf) for leaf in leaves(value)]
    return ", ".join(parts[:3]) + (", …" if len(parts) > 3 else "")


def error_text(error: Exception) -> str:
    """An error as one line."""
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"[:160]
