"""Call by call: which calls traced and compiled again, and why."""

import importlib
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from html import escape
from itertools import accumulate
from typing import Any

from jaxvstorch import frameworks
from jaxvstorch.errors import tidy
from jaxvstorch.explainer.compilations import Compilations
from jaxvstorch.explainer.framework_of import compiled_by, framework_of
from jaxvstorch.results_tables import seconds


@dataclass(frozen=True)
class Call:
    """One row of a ledger: a call, and what it made the compiler do.

    Attributes:
        arguments: in short, such as ``"f32[3], 2"``.
        compilations: what was traced and compiled for it, and why.
        seconds: from the call to its result, which was waited for. A call that compiles takes as
            long as that does; this is no benchmark.
        error: the error that it ended in, if it did.
    """

    arguments: str
    compilations: Compilations
    seconds: float
    error: str | None = None


@dataclass(frozen=True)
class Ledger:
    """What each of a list of calls made the compiler do."""

    function: str
    framework: str
    calls: tuple[Call, ...]

    @property
    def traces(self) -> list[int]:
        """Traces, call by call."""
        return [call.compilations.traces for call in self.calls]

    @property
    def programs(self) -> list[int]:
        """Programs compiled, call by call."""
        return [call.compilations.programs for call in self.calls]

    @property
    def breaks(self) -> list[int]:
        """Graph breaks, call by call."""
        return [call.compilations.breaks for call in self.calls]

    @property
    def in_all(self) -> list[int]:
        """Programs compiled so far, call by call."""
        return list(accumulate(self.programs))

    def rows(self) -> list[tuple[str, ...]]:
        """One tuple of texts per call: arguments, counts, time, reason."""
        rows = []
        for call, in_all in zip(self.calls, self.in_all, strict=True):
            counts = call.compilations
            numbers = (counts.traces, counts.programs, in_all, counts.breaks)
            why = tidy(call.error or "; ".join(counts.reasons))
            rows.append((call.arguments, *map(str, numbers), seconds(call.seconds), why))
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Plain data: dictionaries, lists, texts and numbers."""
        return {"schema": {"name": SCHEMA, "version": VERSION}, **asdict(self)}

    def __str__(self) -> str:
        table = [_HEADINGS, *self.rows()]
        widths = [max(len(row[i]) for row in table) for i in range(len(_HEADINGS))]
        lines = ["  ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)) for row in table]
        title = f"{self.function} in {frameworks.TITLES[self.framework]}"
        return "\n".join([title, *(line.rstrip() for line in lines)])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(heading)}</th>" for heading in _HEADINGS)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>"
            for row in self.rows()
        )
        title = f"{escape(self.function)} in {frameworks.TITLES[self.framework]}"
        return (
            f'<table class="ledger"><caption>{title}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


_HEADINGS = ("arguments", "traces", "programs", "in all", "breaks", "time", "why")
SCHEMA = "jaxvstorch-ledger"
VERSION = 1


def ledger(function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Ledger:
    """Call a compiled function once for each tuple of arguments, and note what was compiled.

    A call that raises is noted with its error, and the ledger goes on.

    Args:
        function: what ``jax.jit`` or ``torch.compile`` returned; a plain function is compiled by
            them, without options.
        calls: one tuple of positional arguments per call.

    Raises:
        TypeError: a call is not a tuple, or a plain function and its first call do not tell the
            framework.
    """
    calls = list(calls)
    for arguments in calls:
        _require_tuple(arguments)
    framework = compiled_by(function)
    if framework is None:
        framework = framework_of(function, calls[0] if calls else (), {})
    return record(function, [(arguments, {}) for arguments in calls], framework)


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
    adapter = frameworks.adapter(framework)
    if compiled_by(function) is None:
        function = adapter.compile(function)
    watcher = importlib.import_module(f"jaxvstorch.explainer.{framework}.watch")
    name = getattr(function, "__name__", type(function).__name__)
    rows = []
    for args, kwargs in calls:
        error = None
        texts = ", ".join(describe_all(args, kwargs))  # before the call, which may change them
        with watcher.watch(name) as seen:
            start = time.perf_counter()
            try:
                adapter.wait(function(*args, **kwargs))
            except Exception as caught:  # whatever the function raises is what the ledger shows
                error = _first_line(caught)
            took = time.perf_counter() - start
        rows.append(Call(texts, seen(), took, error))
    return Ledger(name, framework, tuple(rows))


def _first_line(error: Exception) -> str:
    """An error's class, and the first line of what it says, if it says anything."""
    message = str(error).strip().splitlines()
    return f"{type(error).__name__}: {message[0]}" if message else type(error).__name__


def describe_all(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """The arguments of a call in short, those given by name with it.

    >>> describe_all((1.5,), {"axis": 0})
    ['1.5', 'axis=0']
    """
    named = [f"{name}={describe(value)}" for name, value in kwargs.items()]
    return [*map(describe, args), *named]


def describe(value: Any) -> str:
    """An argument in short: ``f32[3]`` for an array, otherwise its ``repr``.

    >>> import numpy as np
    >>> describe(np.ones((2, 3), np.float32)), describe(1.5), describe("relu")
    ('f32[2,3]', '1.5', "'relu'")
    >>> describe({"w": np.ones(2), "b": [1, 2]})
    "{'w': f64[2], 'b': [1, 2]}"
    """
    try:
        return _described(value)
    except Exception:  # of the object itself, which is asked for its attributes and its repr
        return type(value).__name__


def _described(value: Any) -> str:
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        dtype = str(value.dtype).removeprefix("torch.")
        short = re.sub(r"^(bfloat|float|complex|uint|int)(?=\d)", _short_kind, dtype)
        return f"{short}[{','.join(map(str, value.shape))}]"
    if type(value) is dict:
        return f"{{{', '.join(f'{key!r}: {describe(item)}' for key, item in value.items())}}}"
    if type(value) in (list, tuple):
        inside = ", ".join(map(describe, value))
        return f"[{inside}]" if type(value) is list else f"({inside}{',' * (len(value) == 1)})"
    name = getattr(value, "__name__", None)
    text = name if name and callable(value) else tidy(repr(value))
    return text if len(text) <= _LONGEST and "\n" not in text else type(value).__name__


_LONGEST = 60  # characters; of an object that says more of itself only its class is told


def _short_kind(match: re.Match[str]) -> str:
    return {"bfloat": "bf", "float": "f", "complex": "c", "uint": "u", "int": "i"}[match[1]]


def _require_tuple(arguments: Any) -> None:
    if not isinstance(arguments, tuple):
        raise TypeError(
            f"each call must be a tuple of arguments, not {type(arguments).__name__}; "
            "for a single argument write (x,)"
        )
