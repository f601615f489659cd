"""Call by call: which calls traced and compiled again, and why."""

import importlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from jaxvstorch import frameworks
from jaxvstorch.errors import tidy
from jaxvstorch.explain.compilations import Compilations


@dataclass(frozen=True)
class Call:
    """One row of a ledger: a call, and what it made the compiler do or the error it ended in."""

    arguments: str
    compilations: Compilations
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

    def rows(self) -> list[tuple[str, ...]]:
        """One tuple of texts per call: arguments, traces, programs, breaks, reason."""
        rows = []
        for call in self.calls:
            counts = call.compilations
            numbers = (counts.traces, counts.programs, counts.breaks)
            why = tidy(call.error or "; ".join(counts.reasons))
            rows.append((call.arguments, *map(str, numbers), why))
        return rows

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


_HEADINGS = ("arguments", "traces", "programs", "breaks", "why")


def ledger(function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Ledger:
    """Call a compiled function once for each tuple of arguments, and note what was compiled.

    A call that raises is noted with its error, and the ledger goes on.

    Args:
        function: what ``jax.jit`` or ``torch.compile`` returned.
        calls: one tuple of positional arguments per call.

    Raises:
        TypeError: ``function`` is not compiled, or a call is not a tuple.
    """
    framework = _framework_of(function)
    watcher = importlib.import_module(f"jaxvstorch.explain.{framework}")
    name = getattr(function, "__name__", type(function).__name__)
    rows = []
    for arguments in calls:
        if not isinstance(arguments, tuple):
            raise TypeError(
                f"each call must be a tuple of arguments, not {type(arguments).__name__}; "
                "for a single argument write (x,)"
            )
        error = None
        with watcher.watch(name) as seen:
            try:
                function(*arguments)
            except Exception as caught:  # whatever the function raises is what the ledger shows
                error = _first_line(caught)
        rows.append(Call(", ".join(map(describe, arguments)), seen(), error))
    return Ledger(name, framework, tuple(rows))


def _first_line(error: Exception) -> str:
    """An error's class, and the first line of what it says, if it says anything."""
    message = str(error).strip().splitlines()
    return f"{type(error).__name__}: {message[0]}" if message else type(error).__name__


def describe(value: Any) -> str:
    """An argument in short: ``f32[3]`` for an array, otherwise its ``repr``.

    >>> import numpy as np
    >>> describe(np.ones((2, 3), np.float32)), describe(1.5), describe("relu")
    ('f32[2,3]', '1.5', "'relu'")
    """
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        dtype = str(value.dtype).removeprefix("torch.")
        short = re.sub(r"^(bfloat|float|complex|uint|int)(?=\d)", _short_kind, dtype)
        return f"{short}[{','.join(map(str, value.shape))}]"
    name = getattr(value, "__name__", None)
    return name if name and callable(value) else tidy(repr(value))


def _short_kind(match: re.Match[str]) -> str:
    return {"bfloat": "bf", "float": "f", "complex": "c", "uint": "u", "int": "i"}[match[1]]


def _framework_of(function: Callable[..., Any]) -> str:
    """Which compiler made ``function``, told without importing either framework."""
    if hasattr(function, "lower") and hasattr(function, "trace"):
        return "jax"
    if hasattr(function, "_torchdynamo_orig_callable") or hasattr(function, "_orig_mod"):
        return "torch"
    raise TypeError(
        f"function must be what jax.jit or torch.compile returned, not {describe(function)}"
    )
