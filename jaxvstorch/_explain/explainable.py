"""What can be explained at all, and its name."""

import inspect
import sys
from typing import Any

from jaxvstorch._explain.python.unwrap import original


def explainable(function: Any) -> Any:
    """The Python function inside; an error if it cannot be traced."""
    if is_made_before(function):
        return function
    if not callable(function):
        raise TypeError(f"function must be callable, not {type(function).__name__}")
    if inspect.isclass(function):
        raise TypeError(f"function must not be a class: pass an instance of {function.__name__}")
    if type(function).__module__.startswith("torch.jit"):
        raise TypeError(
            f"function was compiled by torch.jit, as {type(function).__name__}, which "
            "torch.compile does not take: explain what torch.jit was given"
        )
    inner = original(function)
    kinds = {
        "a coroutine function": inspect.iscoroutinefunction(inner),
        "an asynchronous generator": inspect.isasyncgenfunction(inner),
        "a generator function": inspect.isgeneratorfunction(inner),
    }
    for kind, applies in kinds.items():
        if applies:
            raise TypeError(
                f"{name_of(function, inner)} is {kind}, which neither compiler can take as a "
                "whole: explain a function that it calls"
            )
    return inner


def is_made_before(function: Any) -> bool:
    """Whether ``jax.jit``'s ``trace``, ``lower`` or ``compile`` returned it."""
    stages = sys.modules.get("jax.stages")
    kinds = (stages.Traced, stages.Lowered, stages.Compiled) if stages else ()
    return isinstance(function, kinds)


def name_of(function: Any, inner: Any) -> str:
    """The name of a function: that of the Python function inside."""
    name = getattr(inner, "__qualname__", None) or type(function).__name__
    return str(name).replace("<locals>.", "")
