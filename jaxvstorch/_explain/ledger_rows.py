"""What a ledger holds: a row for each call, shown as text or HTML, or as plain data."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from itertools import accumulate, zip_longest
from typing import TYPE_CHECKING, Any

from jaxvstorch import _frameworks
from jaxvstorch._explain.ledger_cures import AS_IT_IS, Why, unzip
from jaxvstorch._frameworks import proven
from jaxvstorch._measure.durations import seconds
from jaxvstorch._messages import CONTROLS, tidy

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

SCHEMA = "jaxvstorch-ledger"
VERSION = 1
_HEADINGS = ("arguments", "traces", "programs", "total", "breaks", "time", "why")
_GAP = "  "
_NARROWEST = 12  # columns for the arguments and for the reason, however narrow the terminal
_WIDTH = 100  # characters of a ledger as text


@dataclass(frozen=True)
class Compilations:
    """What one call made the compiler do.

    Attributes:
        traces: how often the function was traced, by JAX or by Dynamo, which also counts the rest
            of the function after each graph break.
        programs: the programs compiled: XLA executables, or graphs passed to PyTorch's backend.
        breaks: graph breaks; JAX has none.
        reasons: why it was traced, or was not traced although no program fitted; empty if the
            framework does not say.
        uncompiled: how often a function ran uncompiled, because PyTorch's recompile limit is
            reached, a stance says so, or PyTorch gave up on it in this call or an earlier one. In
            JAX only ``jax.disable_jit`` does that.
        cures: what to do about the reasons, and about an error; fewer than the reasons where
            several share one, or there is nothing to do.
    """

    traces: int
    programs: int
    breaks: int
    reasons: tuple[str, ...]
    uncompiled: int = 0
    cures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Call:
    """One row of a ledger: a call, and what it made the compiler do.

    Attributes:
        arguments: a short description, such as ``"f32[3], 2"``.
        compilations: what was traced and compiled for it, and why.
        seconds: from the call until its result was ready. This includes compiling, so it is not a
            benchmark.
        error: the error that it raised, if any.
    """

    arguments: str
    compilations: Compilations
    seconds: float
    error: str | None = None

    @property
    def retraced(self) -> bool:
        """Whether the call made the compiler work, or would without the ledger's wrapper."""
        made = self.compilations
        as_it_is = any(reason.startswith(AS_IT_IS) for reason in made.reasons)
        return bool(made.traces or made.uncompiled or as_it_is)

    @property
    def why(self) -> str:
        """The error, if there was one, and why the call was traced or not compiled; in one line."""
        reasons = [r for r in self.compilations.reasons if not (self.error and r == "first call")]
        text = tidy("; ".join([self.error, *reasons] if self.error else reasons))
        return text.translate(CONTROLS)

    def with_reasons(self, whys: Sequence[Why]) -> "Call":
        """The same call with more reasons and cures."""
        texts, cures = unzip([*map(Why, self.compilations.reasons), *whys])
        cures = tuple(dict.fromkeys((*self.compilations.cures, *cures)))
        return replace(self, compilations=replace(self.compilations, reasons=texts, cures=cures))


@dataclass(frozen=True)
class Ledger:
    """What each of several calls made the compiler do.

    Attributes:
        function: the name of the function.
        framework: ``"jax"`` or ``"torch"``.
        calls: one record for each call, with its arguments, counts, time and reason.
        around: what the ledger wrapped a plain function in, such as ``"jax.jit"``.
    """

    function: str
    framework: str
    calls: tuple[Call, ...]
    around: str = ""

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
        put = f"The ledger wrapped it in {self.around}"
        return [self.title, *[put] * bool(self.around), *proven.notes(self.framework)]

    def cures(self) -> list[str]:
        """What to do about the reasons, in a sentence each, after the numbers of the calls."""
        calls: dict[str, list[int]] = {}
        for number, call in enumerate(self.calls, 1):
            for cure in call.compilations.cures:
                calls.setdefault(cure, []).append(number)
        return [f"{_numbered(numbers)}: {cure}" for cure, numbers in calls.items()]

    def __str__(self) -> str:
        return "\n".join(_text_lines(self._heads, self.rows(), self.cures(), _WIDTH))

    def __repr__(self) -> str:
        return str(self)

    def __rich__(self) -> "_Rendering":
        return _Rendering(self._heads, self.rows(), self.cures())

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(heading)}</th>" for heading in _HEADINGS)
        body = "".join(f"<tr>{_cells(row)}</tr>" for row in self.rows())
        cures = "".join(f"<li>{escape(cure)}</li>" for cure in self.cures())
        return (
            f'<table class="ledger"><caption>{escape(". ".join(self._heads))}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        ) + (f'<ul class="cures">{cures}</ul>' if cures else "")


def _cells(row: Sequence[str]) -> str:
    """The cells of a row, each with its column's name, which a narrow page shows before it."""
    return "".join(
        f'<td data-column="{escape(heading)}">{escape(text)}</td>'
        for heading, text in zip(_HEADINGS, row, strict=True)
    )


class _Rendering:
    """What ``rich`` prints of a ledger."""

    def __init__(
        self, heads: Sequence[str], rows: Sequence[Sequence[str]], cures: Sequence[str]
    ) -> None:
        self.heads, self.rows, self.cures = heads, rows, cures

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        # Imported here for the reason that ``text_rows.Printed`` gives.
        from rich.segment import Segment

        for line in _text_lines(self.heads, self.rows, self.cures, options.max_width):
            yield Segment(line)
            yield Segment.line()


def _numbered(numbers: list[int]) -> str:
    """The numbers of calls, as in ``"calls 2, 4-6"``."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    texts = [str(s[0]) if len(s) == 1 else f"{s[0]}-{s[-1]}" for s in spans]
    return f"call{'s' * (len(numbers) > 1)} {', '.join(texts)}"


def _text_lines(
    heads: Sequence[str], rows: Sequence[Sequence[str]], cures: Sequence[str], width: int
) -> Iterator[str]:
    """The title, the headings, the rows and the cures; long texts take several lines.

    Args:
        heads: the title, and what else is printed above.
        rows: a text for each of ``_HEADINGS``.
        cures: what is printed below.
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
    for cure in cures:
        yield from textwrap.wrap(cure, width, subsequent_indent="  ", break_on_hyphens=False)


def _wrapped(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    arguments, *counts, why = row
    columns = [_fold(arguments, widths[0]), *([text] for text in counts), _fold(why, widths[-1])]
    for texts in zip_longest(*columns, fillvalue=""):
        yield _GAP.join(t.ljust(w) for t, w in zip(texts, widths, strict=True)).rstrip()


def _fold(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]
