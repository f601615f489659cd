"""A report as text, and the words that its HTML shares."""

import math
import os
import textwrap
from collections.abc import Iterator

from jaxvstorch._diff.difference import Diff, Difference, Growth, Output, Place
from jaxvstorch._diff.recording import SourceLine
from jaxvstorch._frameworks import FRAMEWORKS, proven

_WIDTH = 100
_INDENT = 14
_SHOWN = 4


def lines(report: Diff) -> Iterator[str]:
    """The report, in lines of at most 100 columns where words allow."""
    yield verdict(report)
    for text in summary(report):
        yield from _wrapped(text, "  ", 4)
    for number, difference in enumerate(report.differences, 1):
        yield ""
        head = f"{number}."
        for place in difference.places:
            yield from _place(head, place)
            head = ""
        for name, text in findings(difference):
            yield from _wrapped(text, f"    {name:<{_INDENT - 4}}", _INDENT)


def _place(head: str, place: Place) -> Iterator[str]:
    where = _located(place.line) if place.line else "(no line)"
    yield _cut(f"{head:<3} {place.side:<{_INDENT - 5}} {where}")
    indent = " " * _INDENT
    if about := about_place(place):
        yield from _wrapped(about, indent, _INDENT)
    for what, line in other_lines(place):
        yield _cut(f"{indent}{what} {_located(line)}")
    yield from _wrapped(f"{' → '.join(place.operations)}: {place.numbers}", indent, _INDENT)


def verdict(report: Diff) -> str:
    """Whether the sides are the same."""
    steps = f"{report.steps} step{'s' * (report.steps != 1)}"
    if report.same:
        in_steps = f" in {steps}" if report.steps else ""
        what = "loss, gradient and update" if report.steps else "operation"
        return f"the same{in_steps}: each {what} agrees in {report.dtype}"
    number = len(report.differences)
    in_step = f"in step {report.step} of {report.steps}, " if report.steps else ""
    return f"different {in_step}in {number} place{'s' * (number != 1)}"


def summary(report: Diff) -> Iterator[str]:
    """The outputs, the numbers of matched values, and the notes."""
    rest = sorted(report.outputs[_SHOWN:], key=lambda output: -output.gap)
    yield from map(_output, [*report.outputs[:_SHOWN], *rest[:1]])
    if len(rest) > 1:
        yield f"and {len(rest) - 1} more outputs, which are nearer to each other"
    for count in report.counted:
        yield f"{count.side}: {count.matched} of {count.values} values have a counterpart"
    if len(report.growth) > 1:
        yield f"roundings grow: {', '.join(map(_grown, thinned(report.growth)))}"
    yield from report.notes
    yield from proven.notes(*FRAMEWORKS)


def about_place(place: Place) -> str:
    """The module, and the lines that called, the nearest first."""
    callers = [located(line) for line in reversed(place.stack[:-1])]
    more = f" and {len(callers) - _SHOWN} more" if len(callers) > _SHOWN else ""
    called = f"called from {', '.join(callers[:_SHOWN])}{more}" if callers else ""
    inside = f"in {place.module}" if place.module else ""
    return "; ".join(text for text in (inside, called) if text)


def other_lines(place: Place) -> list[tuple[str, SourceLine]]:
    """The lines that a difference is about besides the place's, each with what it does."""
    others = (("goes on at", place.then), ("with what begins at", place.begins))
    return [(what, line) for what, line in others if line is not None and line != place.line]


def findings(difference: Difference) -> Iterator[tuple[str, str]]:
    """The cause, the effect, and where the same lines part again, each with its name."""
    if difference.origin is not None:
        yield "from", f"the {difference.origin}"
    unknown = "unknown: nothing that was tried gives the second side's numbers"
    yield "cause", difference.cause or unknown
    if difference.effect == difference.effect:
        yield "effect", f"{difference.effect:.2g} of an output's largest number"
    if again := difference.again:
        names = list(dict.fromkeys(again))
        more = ", …" if len(names) > _SHOWN else ""
        yield "again", f"{len(again)} more: {', '.join(names[:_SHOWN])}{more}"


def located(line: SourceLine) -> str:
    """A line's file and number; cells of a notebook have no file that a reader knows."""
    file = "this notebook" if "ipykernel_" in line.file else os.path.basename(line.file)
    return f"{file}:{line.number}"


def _located(line: SourceLine) -> str:
    return f"{located(line)}  {line.text}"


def _output(output: Output) -> str:
    name = f"output {output.place}".strip()
    shapes = f"shape {output.shape} and {output.shape_second}"
    if output.shape == output.shape_second:
        shapes = ""
    elif output.gap == float("inf"):
        return f"{name}: {shapes}"
    apart = f"{output.gap:.2g} apart"
    if not math.isnan(output.roundings):  # as of integers
        apart += f", {output.roundings:.3g} roundings of its dtype"
    return f"{name}: {apart}{', ' * bool(shapes)}{shapes}"


def thinned(growth: tuple[Growth, ...]) -> list[Growth]:
    """The first, the last and some between them."""
    step = max(1, -(-(len(growth) - 1) // _SHOWN))
    return [*growth[:-1:step], growth[-1]]


def _grown(point: Growth) -> str:
    where = point.module or (located(point.line) if point.line else "")
    return f"{point.roundings:.2g}{' in ' * bool(where)}{where}"


def _wrapped(text: str, start: str, indent: int) -> Iterator[str]:
    lines = textwrap.wrap(
        text.replace(" …", "\N{NO-BREAK SPACE}…"),  # which does not begin a line
        _WIDTH,
        initial_indent=start,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    yield from (line.replace("\N{NO-BREAK SPACE}…", " …") for line in lines)


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
