"""What a ledger holds: a row for each call, shown as text or HTML, or as plain data."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from itertools import accumulate, zip_longest
from typing import TYPE_CHECKING, Any

from jaxvstorch import _frameworks
from jaxvstorch._errors import tidy
from jaxvstorch._frameworks import proven
from jaxvstorch._measure.durations import seconds

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

SCHEMA = "jaxvstorch-ledger"
VERSION = 1
_HEADINGS = ("arguments", "traces", "programs", "in all", "breaks", "time", "why")
_GAP = "  "
_NARROWEST = 12  # columns for the arguments and for the reason, however narrow the terminal
_WIDTH = 100  # characters of a ledger as text


@dataclass(frozen=True)
class Compilations:
    """What one call made the compiler do.

    Attributes:
        traces: how often the function was traced, by JAX or by Dynamo, which also counts the rest
            of the function after each graph break.
        programs: the programs compiled: XLA executables, or graphs handed to PyTorch's backend.
        breaks: graph breaks; JAX has none.
        reasons: why it was traced, or was not traced although no program fitted; empty if the
            framework does not say.
        uncompiled: how often a function ran uncompiled, because PyTorch's recompile limit is
            reached, a stance says so, or PyTorch gave it up in this call or an earlier one. JAX
            has none.
    """

    traces: int
    programs: int
    breaks: int
    reasons: tuple[str, ...]
    uncompiled: int = 0


@dataclass(frozen=True)
class Call:
    """One row of a ledger: a call, and what it made the compiler do.

    Attributes:
        arguments: a short description, such as ``"f32[3], 2"``.
        compilations: what was traced and compiled for it, and why.
        seconds: from the call until its result was ready. A call that compiles takes as long as
            compiling; this is no benchmark.
        error: the error that it raised, if any.
    """

    arguments: str
    compilations: Compilations
    seconds: float
    error: str | None = None

    @property
    def retraced(self) -> bool:
        """Whether the compiler was at work for it, or gave up."""
        return bool(self.compilations.traces or self.compilations.uncompiled)

    @property
    def why(self) -> str:
        """The error, if there was one, and why the call was traced or not compiled; in one line."""
        reasons = [r for r in self.compilations.reasons if not (self.error and r == "first call")]
        return tidy("; ".join([self.error, *reasons] if self.error else reasons))


@dataclass(frozen=True)
class Ledger:
    """What each of several calls made the compiler do.

    Attributes:
        function: the name of the function.
        framework: ``"jax"`` or ``"torch"``.
        calls: one record for each call, with its arguments, counts, time and reason.
    """

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
            rows.append((call.arguments, *map(str, numbers), seconds(call.seconds), call.why))
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Plain data: dictionaries, lists, strings and numbers."""
        return {"schema": {"name": SCHEMA, "version": VERSION}, **asdict(self)}

    @property
    def title(self) -> str:
        """The function, and its framework."""
        return f"{self.function} in {_frameworks.TITLES[self.framework]}"

    @property
    def _heads(self) -> list[str]:
        return [self.title, *proven.notes(self.framework)]

    def __str__(self) -> str:
        return "\n".join(_text_lines(self._heads, self.rows(), _WIDTH))

    def __repr__(self) -> str:
        return str(self)

    def __rich__(self) -> "_Rendering":
        return _Rendering(self._heads, self.rows())

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(heading)}</th>" for heading in _HEADINGS)
        body = "".join(f"<tr>{_cells(row)}</tr>" for row in self.rows())
        return (
            f'<table class="ledger"><caption>{escape(". ".join(self._heads))}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def _cells(row: Sequence[str]) -> str:
    """The cells of a row, each with its column's name, which a narrow page shows before it."""
    return "".join(
        f'<td data-column="{escape(heading)}">{escape(text)}</td>'
        for heading, text in zip(_HEADINGS, row, strict=True)
    )


class _Rendering:
    """What ``rich`` prints of a ledger."""

    def __init__(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        self.heads, self.rows = heads, rows

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        # Imported here for the reason that ``text_rows.Printed`` gives.
        from rich.segment import Segment

        for line in _text_lines(self.heads, self.rows, options.max_width):
            yield Segment(line)
            yield Segment.line()


def _text_lines(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """The title, the headings and the rows; long arguments and reasons take several lines.

    Args:
        heads: the title, and what else is printed above.
        rows: a text for each of ``_HEADINGS``.
        width: of the terminal, in characters.
    """
    table = [_HEADINGS, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(_HEADINGS))]
    rest = width - sum(widths[1:-1]) - len(_GAP) * (len(widths) - 1)
    first, last = widths[0], widths[-1]
    if first + last > rest:  # one may use the columns that the other does not need
        first = min(first, max(rest // 2, rest - last, _NARROWEST))
        last = min(last, max(rest - first, _NARROWEST))
    widths[0], widths[-1] = first, last
    for head in heads:
        yield from textwrap.wrap(head, width)
    for row in table:
        yield from _wrapped(row, widths)


def _wrapped(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    arguments, *counts, why = row
    columns = [_fold(arguments, widths[0]), *([text] for text in counts), _fold(why, widths[-1])]
    for texts in zip_longest(*columns, fillvalue=""):
        yield _GAP.join(t.ljust(w) for t, w in zip(texts, widths, strict=True)).rstrip()


def _fold(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]
