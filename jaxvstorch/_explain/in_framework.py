"""Explains a function in one of the two frameworks."""

import importlib
from collections.abc import Callable
from types import CodeType
from typing import Any

from jaxvstorch import _frameworks
from jaxvstorch._explain import proven
from jaxvstorch._explain.explainable import explainable, name_of
from jaxvstorch._explain.explanation import Explanation
from jaxvstorch._explain.framework_of import framework_of
from jaxvstorch._explain.shorthand import describe_all
from jaxvstorch._explain.subject import Subject, as_called, by_name
from jaxvstorch._explain.taking_turns import LOCK


def explain_in(
    framework: str | None, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Any
) -> Explanation:
    """What ``explain`` does for one framework; a keyword argument may have any name.

    Args:
        framework: ``"jax"`` or ``"torch"``; ``None`` if the function or its arguments show it.
        function: what ``explain`` takes.
        args: to call it with.
        kwargs: more of them, by name.
    """
    function = as_called(function)
    inner = explainable(function)
    framework = framework or framework_of(function, args, kwargs)
    _frameworks.require(framework, wanted_by="explain")
    _frameworks.adapter(framework)
    named = by_name(function, args, kwargs)
    texts = tuple(describe_all(args, kwargs))
    code = getattr(inner, "__code__", None)
    subject = Subject(function, args, kwargs, named, code if isinstance(code, CodeType) else None)
    with LOCK, proven.on(framework):
        module = importlib.import_module(f"jaxvstorch._explain.{framework}.explain")
        found = module.explain(subject)
    return Explanation(**{"function": name_of(function, inner), "arguments": texts, **found})
