"""A function and its arguments, packed for a fresh process and unpacked there."""

import importlib
import operator
import os
import pickle
import sys
from collections.abc import Callable, Sequence
from typing import Any

Arguments = tuple[Any, ...]


def packed(function: Callable[..., Any] | str, calls: Sequence[Arguments]) -> bytes:
    """A function and its arguments as bytes for a fresh process.

    Raises:
        TypeError: the function is not importable by its name, or an argument cannot be pickled.
    """
    if getattr(function, "__module__", "") == "__main__" and not _main_is_a_file():
        raise _not_importable(function)
    address = _address(function)
    try:
        return pickle.dumps((address, calls))
    except Exception as error:  # raised by an object's own methods
        raise _unsendable(function, address, calls) from error


def _unsendable(function: Any, address: Any, calls: Sequence[Arguments]) -> TypeError:
    """Which of the arguments cannot be pickled."""
    if _pickling_error(address):
        return _not_importable(function)
    for i, call in enumerate(calls):
        for j, argument in enumerate(call):
            if error := _pickling_error(argument):
                return TypeError(
                    f"argument {j} of call {i}, of type {type(argument).__name__}, cannot be sent "
                    f"to a fresh process: {error}. Pass arrays, numbers, text and containers of "
                    "them, and create anything else inside the function"
                )
    return TypeError(
        "each argument can be sent to a fresh process alone, but not all of them together"
    )


def _pickling_error(value: Any) -> str:
    try:
        pickle.dumps(value)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _address(function: Callable[..., Any] | str) -> Any:
    """The module and name to import a function by, or the function if it is not found there.

    A function decorated with ``jax.jit`` cannot be pickled, and can be imported.
    """
    if isinstance(function, str):
        return tuple(function.split(":"))
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    value: Any = sys.modules.get(module or "")
    for part in name.split("."):
        value = getattr(value, part, None)
    return (module, name) if value is function else function


def _main_is_a_file() -> bool:
    import __main__

    return os.path.exists(getattr(__main__, "__file__", None) or "")


def _not_importable(function: Any) -> TypeError:
    return TypeError(
        f"function {getattr(function, '__name__', function)!r} cannot be sent to a fresh process: "
        "it must be importable by its name, so define it at the top level of a module, not as a "
        "lambda, inside another function or in a notebook cell, and pass it uncompiled"
    )


def unpacked(work: bytes) -> tuple[Callable[..., Any], list[Arguments]]:
    """The function and its arguments, unpacked in the fresh process.

    Raises:
        TypeError: they cannot be made here.
    """
    try:
        function, calls = pickle.loads(work)
    except Exception as error:
        raise TypeError(
            f"the function or an argument cannot be unpacked ({error}): its class "
            "must be importable by its name, so define it at the top level of a module"
        ) from error
    if isinstance(function, tuple):
        module, name = function
        function = operator.attrgetter(name)(importlib.import_module(module))
    return function, calls
