"""``ledger``: records, call by call, what was traced and compiled, and why."""

import importlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from types import MethodType
from typing import Any

from jaxvstorch import _frameworks
from jaxvstorch._explain import LOCK, findings
from jaxvstorch._explain.framework_of import compiled_by, framework_of
from jaxvstorch._explain.ledger_cures import Why
from jaxvstorch._explain.ledger_rows import Call, Ledger
from jaxvstorch._explain.python.shown_files import ShownFiles
from jaxvstorch._explain.python.unwrap import attribute, original
from jaxvstorch._explain.shorthand import describe_all
from jaxvstorch._frameworks.private import jax as private
from jaxvstorch._messages import CONTROLS


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
    """The arguments of one call, written like the call itself.

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

    A function that is not compiled is first called under the compiler, which the ledger says, and
    then once more as it is: the row says what that second call compiles again each time. If a call
    raises, the ledger records the error and continues::

        ledger(compiled, [(x, 2), (x, 3)])
        ledger(compiled, [call(x, n=2), call(x, n=3)])

    Args:
        function: what ``jax.jit``, ``equinox.filter_jit``, ``flax.nnx.jit`` or ``torch.compile``
            returned; a plain function is compiled without options.
        calls: one tuple of positional arguments per call; for keyword arguments,
            ``call(...)``, written like the call itself.
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
        raise TypeError(
            f"function must be callable, not {type(function).__name__}: pass the function first, "
            "then its calls, as in ledger(f, [(x,), (y,)])"
        )
    if not isinstance(calls, Iterable):
        raise TypeError(
            f"calls must be a list with one tuple of arguments per call, such as [(x,), (y,)], "
            f"not {type(calls).__name__}"
        )
    made = [_arguments(given) for given in calls]
    if framework is not None:
        _frameworks.require(framework, wanted_by="ledger")
    compiler = _compiler(_peeled(function)[0])
    if framework and compiler and framework != compiler:
        raise TypeError(
            f"framework={framework!r} contradicts the function, which "
            f"{_frameworks.COMPILERS[compiler]} compiled: leave framework= out"
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
    calls = list(calls)
    title = _name(function)
    compiled, before, named = _peeled(function)
    plain = importlib.import_module(f"jaxvstorch._explain.{framework}.plain")
    around = ""
    if _compiler(compiled) is None:
        first = calls[0] if calls else ((), {})
        compiled, around = plain.compiled(function, (*first[0], *first[1].values()))
    watcher = importlib.import_module(f"jaxvstorch._explain.{framework}.watch")
    watch = watcher.Watch(_name(compiled), compiled)
    wait = _frameworks.adapter(framework).wait
    rows = []
    for args, kwargs in calls:
        texts = ", ".join(describe_all(args, kwargs))  # before the call, which may change them
        row = _recorded(watch, compiled, wait, (*before, *args), {**named, **kwargs})
        if around == "jax.jit" and row.error and (hint := _hint(row.error, title)):
            row = replace(row, error=f"{row.error.rstrip('.')}; {hint}")
        rows.append(replace(row, arguments=texts.translate(CONTROLS)))
    if around and len(calls) > 1:
        call_plain = plain.AsCalled(function, around)
        with LOCK:
            whys = [call_plain(args, kwargs) for args, kwargs in calls]
        rows = [row.with_reasons(why) for row, why in zip(rows, whys, strict=True)]
    return Ledger(title.translate(CONTROLS), framework, tuple(rows), around)


def _recorded(
    watch: Any,
    function: Callable[..., Any],
    wait: Callable[[Any], Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Call:
    """The row of one call, without its arguments."""
    failure = None
    # What the frameworks report is about the whole process: calls of other ledgers wait.
    with LOCK, watch(args, kwargs) as count_compilations:
        start = time.perf_counter()
        try:
            try:
                wait(function(*args, **kwargs))
            finally:
                took = time.perf_counter() - start
        except Exception as caught:  # whatever the function raises is what the ledger shows
            failure = findings.of_error(caught, findings.raised_at(caught, _shown_by(function)))
    counts = count_compilations(failure is not None)
    if failure is None:
        return Call("", counts, took)
    row = Call("", counts, took, failure.what.translate(CONTROLS))
    return row.with_reasons([Why("", failure.cure)])


def _shown_by(function: Any) -> Callable[[str], bool]:
    """What says of a file whether ``explain`` of a function would show its lines."""
    code = getattr(original(function), "__code__", None)
    return ShownFiles(getattr(code, "co_filename", None)).has


def _peeled(function: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """What is called in the end, and the arguments that partials around it hold."""
    call = attribute(type(function), "__call__")
    if not _compiler(function) and _compiler(call):  # of an object whose class compiled it
        return MethodType(call, function), (), {}
    inner, args = attribute(function, "func"), attribute(function, "args")
    if _compiler(function) or not _compiler(inner) or type(args) is not tuple:
        return function, (), {}
    return inner, args, dict(attribute(function, "keywords") or {})


def _compiler(function: Any) -> str | None:
    """The framework whose compiler returned a function, ``equinox.filter_jit`` counted."""
    kind = getattr(function, "__func__", function).__class__
    return "jax" if kind.__module__ == "equinox._jit" else compiled_by(function)


def _name(function: Any) -> str:
    """The name that the framework reports for a compiled function, or the title of another."""
    jitted = attribute(function, private.EQUINOX_JITTED) if _compiler(function) else None
    for value in (jitted, function, attribute(function, "func")):
        if name := attribute(value, "__name__"):
            return str(name)
    return type(function).__name__


def _hint(error: str, name: str) -> str:
    """What to do if ``jax.jit`` without options cannot take an argument."""
    messages = ("Error interpreting argument", "not a valid JAX type")
    if error.startswith("TypeError") and any(words in error for words in messages):
        return f"compile it yourself: jax.jit({name}, static_argnames=…)"
    return ""
