"""What a ledger holds: a row for each call, as text, as HTML and as plain data."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from itertools import accumulate
from typing import Any

from jaxvstorch import _frameworks
from jaxvstorch._errors import tidy
from jaxvstorch._explain.compilations import Compilations
from jaxvstorch._explain.rendering import ledger_text
from jaxvstorch._frameworks import proven
from jaxvstorch._measure.durations import seconds

_WIDTH = 100  # characters of a ledger as text
SCHEMA = "jaxvstorch-ledger"
VERSION = 1


@dataclass(frozen=True)
class Call:
    """One row of a ledger: a call, and what it made the compiler do.

    Attributes:
        arguments: in short, such as ``"f32[3], 2"``.
        compilations: what was traced and compiled for it, and why.
        seconds: from the call until its result was ready. A call that compiles takes as long as
            compiling; this is no benchmark.
        error: the error that it raised, if it did.
    """

    arguments: str
    compilations: Compilations
    seconds: float
    error: str | None = None

    @property
    def why(self) -> str:
        """The error, if there was one, and why the call was traced or not compiled; in one line."""
        reasons = [r for r in self.compilations.reasons if not (self.error and r == "first call")]
        return tidy("; ".join([self.error, *reasons] if self.error else reasons))


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
            rows.append((call.arguments, *map(str, numbers), seconds(call.seconds), call.why))
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Plain data: dictionaries, lists, texts and numbers."""
        return {"schema": {"name": SCHEMA, "version": VERSION}, **asdict(self)}

    @property
    def title(self) -> str:
        """The function, and its framework."""
        return f"{self.function} in {_frameworks.TITLES[self.framework]}"

    @property
    def _heads(self) -> list[str]:
        return [self.title, *proven.notes(self.framework)]

    def __str__(self) -> str:
        return "\n".join(ledger_text.lines(self._heads, self.rows(), _WIDTH))

    def __repr__(self) -> str:
        return str(self)

    def __rich__(self) -> ledger_text.Rendering:
        return ledger_text.Rendering(self._heads, self.rows())

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(heading)}</th>" for heading in ledger_text.HEADINGS)
        body = "".join(f"<tr>{_cells(row)}</tr>" for row in self.rows())
        return (
            f'<table class="ledger"><caption>{escape(". ".join(self._heads))}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def _cells(row: Sequence[str]) -> str:
    """A line's cells; each knows its column, which a narrow page writes before it."""
    return "".join(
        f'<td data-column="{escape(heading)}">{escape(text)}</td>'
        for heading, text in zip(ledger_text.HEADINGS, row, strict=True)
    )
