"""Finds the Python function inside a callable, or behind a code object."""

import types
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from jaxvstorch._explain.python import harmless
from jaxvstorch._frameworks.private import torch as private  # which does not import PyTorch


def original(function: Any) -> Any:
    """The Python function that does the work, under partials, decorators, methods and modules.

    Returns:
        A function with a ``__code__``, or the innermost object that was found.
    """
    seen: set[int] = set()
    while id(function) not in seen and len(seen) < _DEEPEST:  # some objects invent attributes
        seen.add(id(function))
        function = _under(function)
    return function


_DEEPEST = 100
_HOLD_ANOTHER = (
    "__marked_compile_region_fn__",
    "__wrapped__",
    *private.ORIGINALS,
    "__func__",
)


def bound_object(function: Any) -> Any:
    """The object whose method does the work, under partials, decorators and transformations.

    ``None`` for a plain function.
    """
    seen: set[int] = set()
    while id(function) not in seen and len(seen) < _DEEPEST:
        if isinstance(function, types.MethodType):
            return function.__self__
        seen.add(id(function))
        inner = _under(function)
        if inner is not function and any(
            inner is attribute(type(function), name) for name in ("forward", "__call__")
        ):
            return function
        function = inner
    return None


def partial_arguments(function: Any) -> list[Any]:
    """What the partials around a function hold."""
    held: list[Any] = []
    for _ in range(_DEEPEST):
        if type(attribute(function, "args")) is tuple and callable(attribute(function, "func")):
            held += [*function.args, *(attribute(function, "keywords") or {}).values()]
        function, before = _under(function), function
        if function is before:
            break
    return held


def wrappers(function: Any) -> list[Any]:
    """The decorators around a function, the outermost first."""
    decorators: list[Any] = []
    while len(decorators) < _DEEPEST and not answers_all(function):
        inner = attribute(function, "__wrapped__")
        if not callable(inner):
            break
        decorators.append(function)
        function = inner
    return decorators


def uncompiled(function: Any) -> Any:
    """The function that ``torch.compile`` was given, bound like ``function``; else the same."""
    candidates = (attribute(function, name) for name in private.ORIGINALS)
    originals = [inner for inner in candidates if inner is not None]
    inner = originals[0] if originals else function
    is_bound = isinstance(function, types.MethodType) and inner is not function
    return types.MethodType(inner, function.__self__) if is_bound else inner


def attribute(value: Any, name: str) -> Any:
    """An attribute; ``None`` if there is none or reading it raises."""
    try:
        return getattr(value, name, None)
    except Exception:
        return None


def answers_all(value: Any) -> bool:
    """Whether an object has an attribute of any name, like a mock: then attributes show nothing."""
    return attribute(value, "jaxvstorch_asks_for_no_such_name") is not None


def _under(function: Any) -> Any:
    if answers_all(function):
        return type(function).__call__
    if callable(attribute(function, "func")) and type(attribute(function, "args")) is tuple:
        return function.func  # functools.partial, and those of other libraries
    for name in _HOLD_ANOTHER:
        inner = attribute(function, name)
        if callable(inner):
            return inner
    if isinstance(function, types.FunctionType):
        return _transformed(function)
    kind = type(function)
    forward = getattr(kind, "forward", None)  # of a torch.nn.Module
    return forward or (kind.__call__ if isinstance(kind.__call__, types.FunctionType) else function)


def _transformed(function: types.FunctionType) -> Any:
    """The function inside a transformation of JAX, such as ``jax.vmap``; else the function itself.

    Transformations have ``__wrapped__``, but not if they transform something else than a function.
    """
    if not str(function.__module__).startswith("jax."):
        return function
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    inner = [cells[name].cell_contents for name in ("fun", "f") if name in cells]
    return next(filter(callable, inner), function)


def defaults(code: CodeType, module: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """A function's parameters and their default values, if its module has it by its name."""
    function = _function(code, module)
    if function is None:
        return
    values = function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    yield from zip(names[len(names) - len(values) :], values, strict=True)
    yield from (function.__kwdefaults__ or {}).items()


def _function(code: CodeType, module: dict[str, Any]) -> FunctionType | None:
    first, *rest = code.co_qualname.split(".")
    value: Any = module.get(first)
    for name in rest:  # a method of a class
        value = harmless.attribute(value, name)
    while value is not None and not harmless.is_a(value, FunctionType):
        value = harmless.attribute(value, "__wrapped__")  # replaced by a decorator
    is_it = value is not None and value.__code__ == code  # explain gives PyTorch a copy of it
    return value if is_it else None
