"""The function and arguments of one explained call, and which functions can be explained."""

import inspect
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType, MethodType
from typing import Any

from jaxvstorch._explain.framework_of import compiled_by, framework_of_wrapper
from jaxvstorch._explain.python.unwrap import attribute, bound_object, original


@dataclass(frozen=True)
class Subject:
    """One call to be explained.

    Attributes:
        function: the function as given, compiled or not.
        args: its positional arguments.
        kwargs: its keyword arguments.
        named: all arguments by the names of the function's parameters; empty without a signature.
        code: the code of the Python function that does the work; ``None`` if there is none.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    named: dict[str, Any]
    code: CodeType | None

    @property
    def file(self) -> str | None:
        """The function's file."""
        return self.code.co_filename if self.code else None


def as_called(function: Any) -> Any:
    """For an object whose class has a compiled ``__call__``, that method; else the same object."""
    call: Any = type(function).__call__ if callable(function) else None
    return MethodType(call, function) if compiled_by(call) else function


def by_name(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by the names of the function's parameters; empty without a signature.

    Raises:
        TypeError: they do not fit.
    """
    signature = _signature(function)
    if signature is None:
        return {}  # something built in; the call will show whether they fit
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        if _wrapper_takes(function, args, kwargs):
            return {}
        name = attribute(function, "__name__") or type(function).__name__
        bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
        raise TypeError(
            f"{name}{inspect.Signature(bare)} does not take these arguments: {error}"
        ) from None
    owner = bound_object(function)
    if owner is function:
        with suppress(Exception):  # a module's own names, where no hook changes its arguments
            bound = inspect.signature(function.forward).bind(*args, **kwargs)
    return {**({} if owner is None else {_first_parameter(function): owner}), **bound.arguments}


def _first_parameter(function: Any) -> str:
    """The name of a method's first parameter, usually ``self``."""
    code = attribute(original(function), "__code__")
    named = isinstance(code, CodeType) and code.co_argcount > 0
    return code.co_varnames[0] if named else "self"


def _wrapper_takes(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a decorator around the function takes other arguments than the function itself."""
    if isinstance(function, MethodType):
        function, args = function.__func__, (function.__self__, *args)
    decorated = inspect.unwrap(function, stop=lambda outer: framework_of_wrapper(outer) is None)
    signature = _signature(decorated, follow_wrapped=False)
    if signature is None or not hasattr(decorated, "__wrapped__"):
        return False
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _signature(function: Any, follow_wrapped: bool = True) -> inspect.Signature | None:
    try:
        return inspect.signature(function, follow_wrapped=follow_wrapped)
    except Exception:  # something built in, or with attributes that raise
        return None


def explainable(function: Any) -> Any:
    """The Python function inside.

    Raises:
        TypeError: it cannot be traced.
    """
    if is_ahead_of_time(function):
        return function
    if not callable(function):
        raise TypeError(f"function must be callable, not {type(function).__name__}")
    if inspect.isclass(function):
        raise TypeError(f"function must not be a class: pass an instance of {function.__name__}")
    if type(function).__module__.startswith("torch.jit"):
        raise TypeError(
            f"function was compiled by torch.jit, as {type(function).__name__}, which "
            "torch.compile does not accept: explain what was passed to torch.jit"
        )
    inner = original(function)
    if kind := kind_of_deferred(inner):
        raise TypeError(
            f"{name_of(function, inner)} is {kind}, which neither compiler can compile as "
            "a whole: explain a function that it calls"
        )
    return inner


def kind_of_deferred(inner: Any) -> str:
    """What a function is whose lines do not run when it is called; empty if they do."""
    kinds = {
        "a coroutine function": inspect.iscoroutinefunction(inner),
        "an asynchronous generator": inspect.isasyncgenfunction(inner),
        "a generator function": inspect.isgeneratorfunction(inner),
    }
    return next((kind for kind, applies in kinds.items() if applies), "")


def is_ahead_of_time(function: Any) -> bool:
    """Whether ``jax.jit``'s ``trace``, ``lower`` or ``compile`` returned it."""
    stages = sys.modules.get("jax.stages")
    kinds = (stages.Traced, stages.Lowered, stages.Compiled) if stages else ()
    return isinstance(function, kinds)


def name_of(function: Any, inner: Any) -> str:
    """A function's name: that of the Python function inside."""
    name = getattr(inner, "__qualname__", None) or type(function).__name__
    return str(name).replace("<locals>.", "")
