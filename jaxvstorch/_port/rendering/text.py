"""A report as text: plain, or styled in a terminal."""

from collections.abc import Iterator
from itertools import groupby

from rich.text import Text

from jaxvstorch._frameworks import TITLES
from jaxvstorch._port.report import (
    DIFFERS,
    FAILED,
    MARKS,
    OTHERWISE,
    RANDOM,
    READ,
    REFUSED,
    UNKNOWN,
    VERIFIED,
    Found,
    Line,
    Report,
    short,
)

STYLES = {VERIFIED: "green", DIFFERS: "red", RANDOM: "magenta", OTHERWISE: "cyan",
          REFUSED: "yellow", UNKNOWN: "yellow", FAILED: "yellow", READ: "dim"}  # fmt: skip


def plain(report: Report) -> str:
    """The whole report as plain text."""
    return "\n".join(line.plain for line in lines(report))


def lines(report: Report) -> Iterator[Text]:
    """The report line by line: each source line, and below it what became of its calls."""
    for file, found in report.files():
        yield Text(short(file), "bold")
        for line in found:
            yield from _line(line)
    if report.unreached:
        yield Text("Not seen to be reached", "bold")
        for file, numbered in groupby(sorted(report.unreached), key=lambda key: key[0]):
            numbers = ", ".join(str(number) for _, number in numbered)
            yield Text(f"  {short(file)}: lines {numbers}")
    for name, came in report.parity.items():
        yield Text(f"{name}: {came}")
    for note in [*report.remarks(), report.ended]:
        if note:
            yield Text(note, "yellow")
    yield Text(summary(report), "bold")


def summary(report: Report) -> str:
    """One sentence on the whole."""
    counts = report.counts()
    total = sum(counts.values())
    if not total:
        return f"No call of {TITLES[report.framework]} was seen."
    parts = [f"{counts[status]} {status}" for status in counts]
    left = f"; {report.beyond} more of the same lines were not replayed" if report.beyond else ""
    line = "line" if len(report.lines) == 1 else "lines"
    return f"{total} calls on {len(report.lines)} {line}: {', '.join(parts)}{left}."


def _line(line: Line) -> Iterator[Text]:
    yield Text.assemble((f"{line.number:5}  ", "dim"), line.text)
    for call, times in line.calls.items():
        yield Text(f"       {said(call, times)}", STYLES[call.status])


def said(call: Found, times: int) -> str:
    """One call: its mark, what it becomes, and what became of it."""
    often = f" ({times} times)" if times > 1 else ""
    becomes = f" → {call.becomes}" if call.becomes else ""
    status = "" if call.status == VERIFIED else f"  {call.status}"
    note = f": {call.note}" if call.note and status else f"  {call.note}" if call.note else ""
    return f"{MARKS[call.status]} {call.name}{becomes}{often}{status}{_apart(call)}{note}"


def _apart(call: Found) -> str:
    return f"  {text}" if (text := apart(call)) else ""


def apart(call: Found) -> str:
    """How far apart the results were, if they were compared."""
    if call.gap is None:
        return ""
    return f"off by {call.gap:.1e}" if call.gap else "equal"
