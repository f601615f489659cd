"""A report as text: plain, or styled in a terminal."""

from collections.abc import Iterator
from itertools import groupby

from rich.text import Text

from jaxvstorch._frameworks import TITLES
from jaxvstorch._messages import printable
from jaxvstorch._port.report_data import PortCall, PortLine, PortStatus, ReportData, short

_COLOURS = ("green", "red", "magenta", "cyan", "yellow", "yellow", "yellow", "dim")
STYLES = dict(zip(PortStatus, _COLOURS, strict=True))


def plain(report: ReportData) -> str:
    """The whole report as plain text."""
    return printable("\n".join(line.plain for line in lines(report)))


def lines(report: ReportData) -> Iterator[Text]:
    """The report line by line: each source line, and below it its calls."""
    for file, source_lines in report.files():
        yield Text(short(file), "bold")
        for line in source_lines:
            yield from _line(line)
    if report.unreached:
        yield Text("Not seen to run", "bold")
        for file, numbered in groupby(sorted(report.unreached), key=lambda key: key[0]):
            numbers = ", ".join(str(number) for _, number in numbered)
            yield Text(f"  {short(file)}: lines {numbers}")
    for name, result in report.parity.items():
        yield Text(f"{name}: {result}")
    for note in [*report.remarks(), report.ended]:
        if note:
            yield Text(note, "yellow")
    yield Text(summary(report), "bold")


def summary(report: ReportData) -> str:
    """The whole report in one sentence."""
    counts = report.counts()
    total = sum(counts.values())
    if not total:
        return f"No {TITLES[report.framework]} call was seen."
    parts = [f"{counts[status]} {status}" for status in counts]
    left = f"; {report.beyond} more on the same lines not replayed" if report.beyond else ""
    calls = "call" if total == 1 else "calls"
    line = "line" if len(report.lines) == 1 else "lines"
    return f"{total} {calls} on {len(report.lines)} {line}: {', '.join(parts)}{left}."


def _line(line: PortLine) -> Iterator[Text]:
    yield Text.assemble((f"{line.number:5}  ", "dim"), line.text)
    for call, times in line.calls.items():
        yield Text(f"       {call_text(call, times)}", STYLES[call.status])


def call_text(call: PortCall, times: int) -> str:
    """One call: its mark, its name, what it becomes, and its outcome."""
    often = f" ({times} times)" if times > 1 else ""
    becomes = f" → {call.becomes}" if call.becomes else ""
    status = "" if call.status == PortStatus.VERIFIED else f"  {call.status}"
    gap = f"  {text}" if (text := gap_text(call)) else ""
    note = f": {call.note}" if call.note and status else f"  {call.note}" if call.note else ""
    return f"{call.status.sign} {call.name}{becomes}{often}{status}{gap}{note}"


def gap_text(call: PortCall) -> str:
    """How far apart the results were, if they were compared."""
    if call.gap:
        return f"off by {call.gap:.1e}"
    # Results that differ may have no two numbers that do, but a NaN or another dtype.
    return "" if call.gap is None or call.status == PortStatus.DIFFERS else "equal"
