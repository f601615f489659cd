"""The reader's own code: which files it is in, and what its functions read from outside."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import CellType, FunctionType
from typing import Any

from jaxvstorch._frameworks.installed import import_path, is_instrument, is_pythons

_LIBRARIES = (
    "_pytest", "beartype", "equinox", "flax", "haiku", "jax", "jaxlib", "jaxtyping", "numpy",
    "optax", "pluggy", "torch",
)  # fmt: skip


@cache
def is_readers(file: str) -> bool:
    """Whether a report names the lines of a file; those of a library of models too."""
    if file.startswith("<frozen") or is_instrument(file) or is_pythons(file):
        return False
    _, parts = import_path(file) or ("", ("",))
    return parts[0] not in _LIBRARIES


def call(function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Call the reader's function: on a stack, the lines that a report names are inside this."""
    return function(*args)


def read_from_outside(function: Callable[..., Any]) -> dict[str, Any]:
    """The variables of its module and of functions around it that a function itself reads."""
    if not isinstance(function, FunctionType):
        return {}
    outside = inspect.getclosurevars(function)
    return {**outside.globals, **outside.nonlocals}


def rebound(function: Callable[..., Any], outside: Mapping[str, Any]) -> Callable[..., Any]:
    """A function that reads these values from outside instead of its own."""
    if not outside or not isinstance(function, FunctionType):
        return function
    names, cells = function.__code__.co_freevars, function.__closure__ or ()
    closure = tuple(
        CellType(outside[name]) if name in outside else cell
        for name, cell in zip(names, cells, strict=True)
    )
    rebound = FunctionType(
        function.__code__,
        {**function.__globals__, **outside},
        function.__name__,
        function.__defaults__,
        closure,
    )
    rebound.__kwdefaults__ = function.__kwdefaults__
    return rebound
