"""The Python function inside of what can be called."""

import types
from typing import Any

from jaxvstorch.frameworks.private import torch as private  # which does not import PyTorch


def original(function: Any) -> Any:
    """The Python function that does the work, under partials, decorators, methods and modules.

    Returns:
        A function with a ``__code__``, or whatever else was found last.
    """
    seen: set[int] = set()
    while id(function) not in seen and len(seen) < _DEEPEST:  # some make attributes as asked
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


def uncompiled(function: Any) -> Any:
    """What was given to ``torch.compile``, bound as ``function`` is; else the same."""
    tried = (attribute(function, name) for name in private.ORIGINALS)
    found = [inner for inner in tried if inner is not None]
    inner = found[0] if found else function
    is_bound = isinstance(function, types.MethodType) and inner is not function
    return types.MethodType(inner, function.__self__) if is_bound else inner


def attribute(value: Any, name: str) -> Any:
    """An attribute; ``None`` where there is none, or where the value's own code raises."""
    try:
        return getattr(value, name, None)
    except Exception:
        return None


def answers_all(value: Any) -> bool:
    """Whether an object has an attribute of any name, as a mock has: then none says anything."""
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
    """What a transformation of JAX, such as ``jax.vmap``, was made of; the function itself else.

    They say so by ``__wrapped__``, but not where what was transformed is no plain function.
    """
    if not str(function.__module__).startswith("jax."):
        return function
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    inner = [cells[name].cell_contents for name in ("fun", "f") if name in cells]
    return next(filter(callable, inner), function)
