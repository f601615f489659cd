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
    while id(function) not in seen:
        seen.add(id(function))
        function = _under(function)
    return function


_HOLD_ANOTHER = (
    "__marked_compile_region_fn__",
    "__wrapped__",
    private.ORIGINAL_FUNCTION,
    private.ORIGINAL_MODULE,
    "__func__",
)


def uncompiled(function: Any) -> Any:
    """What was given to ``torch.compile``, bound as ``function`` is; else the same."""
    inner = getattr(function, private.ORIGINAL_FUNCTION, None)
    inner = inner or getattr(function, private.ORIGINAL_MODULE, function)
    is_bound = isinstance(function, types.MethodType) and inner is not function
    return types.MethodType(inner, function.__self__) if is_bound else inner


def _under(function: Any) -> Any:
    if all(hasattr(function, name) for name in ("func", "args", "keywords")):
        return function.func  # functools.partial, and those of other libraries
    for name in _HOLD_ANOTHER:
        inner = getattr(function, name, None)
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
    names = function.__code__.co_freevars
    if not str(function.__module__).startswith("jax.") or "fun" not in names:
        return function
    cells = dict(zip(names, function.__closure__ or (), strict=True))
    return cells["fun"].cell_contents
