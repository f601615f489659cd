"""``explain``: what ``jax.jit`` or ``torch.compile`` makes of a function, line by line."""

from collections.abc import Callable
from typing import Any, Literal, overload

from jaxvstorch._explain.both import BothExplanations, both
from jaxvstorch._explain.explanation import Explanation
from jaxvstorch._explain.framework_of import BOTH, asked_for
from jaxvstorch._explain.one_framework import explain_in


@overload
def explain(
    function: Callable[..., Any], /, *args: Any, framework: Literal["both"], **kwargs: Any
) -> BothExplanations: ...


@overload
def explain(
    function: Callable[..., Any],
    /,
    *args: Any,
    framework: Literal["jax", "torch"] | None = None,
    **kwargs: Any,
) -> Explanation: ...


@overload
def explain(
    function: Callable[..., Any], /, *args: Any, framework: str, **kwargs: Any
) -> Explanation | BothExplanations: ...


def explain(
    function: Callable[..., Any], /, *args: Any, framework: str | None = None, **kwargs: Any
) -> Explanation | BothExplanations:
    """Show what a compiler makes of a function, called with these arguments.

    JAX traces the function once, as ``jax.jit`` does: its Python lines run once (those of a loop's
    body perhaps twice, to settle its types), and the program does not run. PyTorch calls the
    function once under ``torch.compile``, since Dynamo compiles during a call: its graphs run once,
    uncompiled, and so does everything around them. Side effects of the function, such as printing,
    happen that one time.

    ``explain`` leaves nothing behind in the frameworks' caches and settings. It uses
    ``sys.settrace`` during the call, so a debugger or a coverage tool does not see that call, and
    puts it back afterwards. What you or another thread compile at the same time stays as it is;
    threads that explain take turns. Traced values are useless after tracing: ``explain`` empties a
    ``functools`` cache that holds one, and gives a global, an attribute or a container that holds
    one its earlier value back.

    With ``framework="both"``, a function that names no framework goes through each compiler once.
    The table shows its lines once, with what each compiler made of them; the function's output is
    captured. Pass NumPy arrays, also in containers: each framework gets them as its own arrays, and
    all other arguments unchanged.

    Args:
        function: any function, yours or a library's: plain, already compiled, a method, a module
            of ``torch.nn``, flax NNX or equinox, a lambda, a partial. What ``jax.jit``'s ``trace``,
            ``lower`` or ``compile`` returned is described as it is.
        *args: its positional arguments.
        framework: ``"jax"``, ``"torch"`` or ``"both"``; needed if neither the function nor its
            arguments show which one. If the function has a parameter ``framework``, any other value
            goes to the function; to pass it one of these three, use a positional argument or a
            ``functools.partial``.
        **kwargs: its keyword arguments.

    Returns:
        The function's lines and what the compiler made of each, as an ``Explanation``, or for both
        frameworks as ``BothExplanations``; shown as a table in a terminal or notebook.

    Raises:
        TypeError: ``function`` cannot be called, is a class, a generator or a coroutine, or comes
            from ``torch.jit``; or the arguments show no framework, or both, or do not fit. With
            ``"both"``: it belongs to one framework, or none of its lines can be shown, or no
            argument holds a NumPy array, or one is a framework's array or an iterator.
        ValueError: ``framework`` is none of the three.
        MissingFrameworkError: the framework is not installed.
    """
    asked, kwargs = asked_for(function, framework, kwargs)
    if asked == BOTH:
        return both(function, args, kwargs)
    return explain_in(asked, function, args, kwargs)
