"""The default values of a function's parameters, which its calls share."""

from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from jaxvstorch._explain.python import harmless


def defaults(code: CodeType, module: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Names and defaults, where the function can be found by its name in its module."""
    function = _function(code, module)
    if function is None:
        return
    values = function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    yield from zip(names[len(names) - len(values) :], values, strict=True)
    yield from (function.__kwdefaults__ or {}).items()


def _function(code: CodeType, module: dict[str, Any]) -> FunctionType | None:
    first, *rest = code.co_qualname.split(".")
    found: Any = module.get(first)
    for name in rest:  # a method of a class
        found = harmless.attribute(found, name)
    while found is not None and not harmless.is_a(found, FunctionType):
        found = harmless.attribute(found, "__wrapped__")  # replaced by a decorator
    is_it = found is not None and found.__code__ == code  # explain gives PyTorch a copy of it
    return found if is_it else None
