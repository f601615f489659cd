"""Line by line: what ``jax.jit`` or ``torch.compile`` made of a function."""

import importlib
from collections.abc import Callable
from types import CodeType
from typing import Any

from jaxvstorch import frameworks
from jaxvstorch.explainer import proven
from jaxvstorch.explainer.both import both
from jaxvstorch.explainer.explainable import explainable, name_of
from jaxvstorch.explainer.explanation import Explanation
from jaxvstorch.explainer.framework_of import asked_for, framework_of
from jaxvstorch.explainer.ledger import call, ledger
from jaxvstorch.explainer.shorthand import describe_all
from jaxvstorch.explainer.subject import Subject, as_called, by_name
from jaxvstorch.explainer.taking_turns import LOCK


def explain(
    function: Callable[..., Any], /, *args: Any, framework: str | None = None, **kwargs: Any
) -> Explanation:
    """Show what a compiler makes of a function, called with these arguments.

    JAX traces the function once, as ``jax.jit`` does: its Python lines run once (those of a loop's
    body perhaps twice, to settle its types), and the program does not run. PyTorch calls the
    function once under ``torch.compile``, since Dynamo compiles during a call: its graphs run once,
    uncompiled, and so does everything around them. Side effects of the function, such as printing,
    happen that one time.

    Nothing is left behind in the frameworks' caches and settings, or in ``sys.settrace``, which is
    in use meanwhile: a debugger or a coverage tool does not see that call. What you or another
    thread compile meanwhile stays as it is; threads that explain take turns. A cache of
    ``functools`` that tracing filled with traced values is emptied, because they are useless later.

    Args:
        function: any function, yours or a library's: plain, already compiled, a method, a module
            of ``torch.nn``, flax NNX or equinox, a lambda, a partial. What ``jax.jit``'s ``trace``,
            ``lower`` or ``compile`` returned is described as it is.
        *args: what to call it with.
        framework: ``"jax"`` or ``"torch"``; needed if neither the function nor its arguments show
            it. If the function has a parameter of this name, any other value is passed on to it;
            pass it ``"jax"`` or ``"torch"`` by position, or in a ``functools.partial``.
        **kwargs: more arguments, by name.

    Returns:
        The function's lines and what became of each; shown as a table in a terminal or notebook.

    Raises:
        TypeError: ``function`` cannot be called, is a class, a generator or a coroutine, or comes
            from ``torch.jit``; or the arguments show no framework, or both, or do not fit.
        MissingFrameworkError: the framework is not installed.
    """
    function = as_called(function)
    inner = explainable(function)
    asked, kwargs = asked_for(function, framework, kwargs)
    framework = asked or framework_of(function, args, kwargs)
    frameworks.require(framework, wanted_by="explain")
    named = by_name(function, args, kwargs)
    texts = tuple(describe_all(args, kwargs))
    code = getattr(inner, "__code__", None)
    subject = Subject(function, args, kwargs, named, code if isinstance(code, CodeType) else None)
    with LOCK, proven.on(framework):
        module = importlib.import_module(f"jaxvstorch.explainer.{framework}.explain")
        found = module.explain(subject)
    return Explanation(**{"function": name_of(function, inner), "arguments": texts, **found})


explain.ledger = ledger  # type: ignore[attr-defined]
explain.call = call  # type: ignore[attr-defined]
explain.both = both  # type: ignore[attr-defined]
