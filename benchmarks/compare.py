"""What moved between two files by more than their sessions differ."""

from dataclasses import dataclass

from rich.console import Console

from benchmarks.report.printed import show_table
from benchmarks.report.rows import TRUST
from benchmarks.report.schema import Results
from benchmarks.report.tables import markdown
from benchmarks.report.timings import Timing
from jaxvstorch._measure.durations import seconds

_DESCRIBED = ("machine", "devices", "versions", "threads", "precision", "settings", "commit",
              "image")  # fmt: skip
_HEADER = ("function", "size", "framework", "mode", "before", "now", "now / before")


@dataclass(frozen=True)
class Move:
    """One timing that is no longer what it was."""

    old: Timing
    new: Timing

    @property
    def factor(self) -> float:
        """The new time over the old."""
        return self.new.median / self.old.median


def moves(old: Results, new: Results) -> list[Move]:
    """Timings in both whose sessions' ranges lie apart, and by more than the clock's own 3 %."""
    before = {timing.call: timing for timing in old.timings}
    both = [Move(before[now.call], now) for now in new.timings if now.call in before]
    return [move for move in both if _moved(move.old, move.new)]


def missing(old: Results, new: Results) -> list[str]:
    """Timings that only one of them has."""
    keys = [{timing.call for timing in results.timings} for results in (old, new)]
    gone = [f"only in the old: {_name(key)}" for key in sorted(keys[0] - keys[1])]
    return [*gone, *(f"only in the new: {_name(key)}" for key in sorted(keys[1] - keys[0]))]


def show(old: Results, new: Results, console: Console) -> None:
    """Print what moved, and what else differs."""
    for which, results in (("old", old), ("new", new)):
        if results.gap():
            console.print(
                f"the {which} file is not a complete run: {results.gap()}", soft_wrap=True
            )
    for what in _DESCRIBED:
        if getattr(old, what) != getattr(new, what):
            text = f"{what} differ: {getattr(old, what)} before, {getattr(new, what)} now"
            console.print(text, markup=False, soft_wrap=True)
    if moved := sorted(moves(old, new), key=lambda move: move.factor):
        show_table(
            "Changed by more than the sessions differ",
            markdown(_HEADER, map(_line, moved)),
            console,
        )
    else:
        console.print("Nothing changed by more than the sessions differ.")
    for line in missing(old, new):
        console.print(line, markup=False, soft_wrap=True)


def _line(move: Move) -> list[str]:
    now, times = move.new, (seconds(move.old.median), seconds(move.new.median))
    name = f"`{now.topic}.{now.name}`"
    return [name, f"{now.size:,}", now.framework, now.mode, *times, f"{move.factor:.2f}"]


def _name(key: tuple[str, str, int, str, str]) -> str:
    topic, name, size, framework, mode = key
    return f"{topic}.{name} at {size:,}, {framework} {mode}"


def _moved(old: Timing, new: Timing) -> bool:
    gap = max(min(new.times) - max(old.times), min(old.times) - max(new.times))
    return gap > TRUST * old.median
