"""``ledger``: records, call by call, what was traced and compiled, and why."""

import importlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from jaxvstorch import _frameworks
from jaxvstorch._explain import LOCK
from jaxvstorch._explain.cures import first_sentence
from jaxvstorch._explain.framework_of import compiled_by, framework_of
from jaxvstorch._explain.ledger_rows import Call, Ledger
from jaxvstorch._explain.shorthand import describe_all


@dataclass(frozen=True)
class Arguments:
    """The arguments of one call.

    Attributes:
        args: positional arguments.
        kwargs: keyword arguments.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def call(*args: Any, **kwargs: Any) -> Arguments:
    """The arguments of one call, written as the call is written.

    >>> call(1.5, axis=0)
    Arguments(args=(1.5,), kwargs={'axis': 0})
    """
    return Arguments(args, kwargs)


def ledger(
    function: Callable[..., Any],
    calls: Iterable[tuple[Any, ...] | Arguments],
    framework: str | None = None,
) -> Ledger:
    """Call a compiled function several times, and record what each call compiled.

    A call that raises is recorded with its error, and the ledger goes on::

        ledger(compiled, [(x, 2), (x, 3)])
        ledger(compiled, [call(x, n=2), call(x, n=3)])

    Args:
        function: what ``jax.jit`` or ``torch.compile`` returned; a plain function is compiled
            without options.
        calls: one tuple of positional arguments per call; with keyword arguments
            ``call(...)``, written as the call is.
        framework: ``"jax"`` or ``"torch"``; needed if neither a plain function nor its first call
            shows it.

    Raises:
        TypeError: ``function`` cannot be called; ``calls`` is not iterable, or one of them
            is neither of the two; a plain function and its first call do not show the framework;
            or ``framework`` is not the one that compiled the function.
        ValueError: ``framework`` is neither of the two.
        MissingFrameworkError: the framework is not installed.
    """
    if not callable(function):
        raise TypeError(f"function must be callable, not {type(function).__name__}")
    if not isinstance(calls, Iterable):
        raise TypeError(
            f"calls must be a list with one tuple of arguments per call, such as [(x,), (y,)], "
            f"not {type(calls).__name__}"
        )
    made = [_arguments(given) for given in calls]
    if framework is not None:
        _frameworks.require(framework, wanted_by="ledger")
    compiler = compiled_by(function)
    if framework and compiler and framework != compiler:
        raise TypeError(
            f"framework={framework!r} was given, and {_frameworks.COMPILERS[compiler]} compiled "
            "the function: leave framework= out"
        )
    framework = compiler or framework
    if framework is None:
        first = made[0] if made else Arguments((), {})
        framework = framework_of(function, first.args, first.kwargs)
    _frameworks.require(framework, wanted_by="ledger")
    return record(function, [(given.args, given.kwargs) for given in made], framework)


def _arguments(given: Any) -> Arguments:
    if isinstance(given, Arguments):
        return given
    if isinstance(given, tuple):
        return Arguments(given, {})
    raise TypeError(
        f"each call must be a tuple of arguments, not {type(given).__name__}: "
        "for a single argument write (x,), with keyword arguments call(x, n=3)"
    )


def record(
    function: Callable[..., Any],
    calls: Iterable[tuple[tuple[Any, ...], dict[str, Any]]],
    framework: str,
) -> Ledger:
    """What ``ledger`` does, for calls that have keyword arguments too.

    Args:
        function: compiled or plain.
        calls: positional and keyword arguments of each.
        framework: of the function, ``"jax"`` or ``"torch"``.
    """
    adapter = _frameworks.adapter(framework)
    is_plain = compiled_by(function) is None
    if is_plain:
        function = adapter.compile(function)
    watcher = importlib.import_module(f"jaxvstorch._explain.{framework}.watch")
    name = getattr(function, "__name__", type(function).__name__)
    rows = []
    for args, kwargs in calls:
        error = None
        texts = ", ".join(describe_all(args, kwargs))  # before the call, which may change them
        # What the frameworks report is about the whole process: calls of other ledgers wait.
        with LOCK, watcher.watch(name, function, args, kwargs) as count_compilations:
            start = time.perf_counter()
            try:
                adapter.wait(function(*args, **kwargs))
            except Exception as caught:  # whatever the function raises is what the ledger shows
                error = _in_short(caught)
                if is_plain and (hint := _hint(caught, name)):
                    error = f"{error.rstrip('.')}; {hint}"
            took = time.perf_counter() - start
        rows.append(Call(texts, count_compilations(error is not None), took, error))
    return Ledger(name, framework, tuple(rows))


def _in_short(error: Exception) -> str:
    """An error's class, and the first sentence of its message if it has one."""
    message = first_sentence(str(error))
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _hint(error: Exception, name: str) -> str:
    """What to do if ``jax.jit`` without options cannot take an argument."""
    messages = ("Error interpreting argument", "not a valid JAX type")
    if isinstance(error, TypeError) and any(words in str(error) for words in messages):
        return f"compile it yourself: jax.jit({name}, static_argnames=…)"
    return ""
