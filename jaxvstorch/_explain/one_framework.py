"""Explains a function in one of the two frameworks."""

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from jaxvstorch import _frameworks
from jaxvstorch._explain import LOCK
from jaxvstorch._explain.explanation import Explanation
from jaxvstorch._explain.framework_of import framework_of
from jaxvstorch._explain.shorthand import describe_all
from jaxvstorch._explain.subject import Subject, as_called, by_name, explainable, name_of
from jaxvstorch._frameworks.private import REFUSED
from jaxvstorch._frameworks.proven import PROVEN

_CHOICES = "'jax', 'torch' or 'both'"


def explain_in(
    framework: str | None, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Any
) -> Explanation:
    """What ``explain`` does for one framework; a keyword argument may have any name.

    Args:
        framework: ``"jax"`` or ``"torch"``; ``None`` if the function or its arguments show it.
        function: what ``explain`` takes.
        args: its positional arguments.
        kwargs: its keyword arguments.
    """
    function = as_called(function)
    inner = explainable(function)
    if framework not in (None, *_frameworks.FRAMEWORKS):
        raise ValueError(f"framework must be {_CHOICES}, not {framework!r}")
    framework = framework or framework_of(function, args, kwargs, _CHOICES)
    _frameworks.require(framework, wanted_by="explain")
    _frameworks.adapter(framework)
    named = by_name(function, args, kwargs)
    texts = tuple(describe_all(args, kwargs))
    code = getattr(inner, "__code__", None)
    subject = Subject(function, args, kwargs, named, code if isinstance(code, CodeType) else None)
    with LOCK, _clear_errors(framework):
        module = importlib.import_module(f"jaxvstorch._explain.{framework}.explain")
        result = module.explain(subject)
    return Explanation(**{"function": name_of(function, inner), "arguments": texts, **result})


@contextmanager
def _clear_errors(framework: str) -> Iterator[None]:
    """Raise one clear error if the framework's version lacks a private part or has moved it.

    Raises:
        RuntimeError: the framework lacks a part that is used in this block.
    """
    try:
        yield
    except (AttributeError, ImportError) as error:
        private = importlib.import_module(f"jaxvstorch._frameworks.private.{framework}")
        needed = [name for name, without in private.gone().items() if without == REFUSED]
        version = importlib.import_module(framework).__version__
        what = ", ".join(needed) or error
        raise RuntimeError(
            f"explain uses parts of {_frameworks.TITLES[framework]} that version {version} lacks "
            f"or has moved ({what}); it was tested with {' and '.join(PROVEN[framework])}"
        ) from error
