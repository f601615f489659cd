"""The data of a report: the calls of a program, by source line."""

import linecache
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from jaxvstorch._frameworks import FRAMEWORKS, proven

SCHEMA = "jaxvstorch-port"
VERSION = 2


class PortStatus(StrEnum):
    """The outcome of a call."""

    VERIFIED = "verified"
    DIFFERS = "differs"
    RANDOM = "random"
    ANOTHER_WAY = "done another way"
    REFUSED = "a parameter has no counterpart"
    UNKNOWN = "not in the map"
    FAILED = "not replayed"
    READ = "read, not run"

    @property
    def sign(self) -> str:
        """The mark before the call in a terminal."""
        return _SIGNS[self]


_SIGNS = dict(zip(PortStatus, "=≠~>-?!.", strict=True))
_NOT_JUDGED = (PortStatus.RANDOM, PortStatus.READ)


@dataclass(frozen=True)
class Location:
    """A call's location in the source: lines from 1, columns in bytes from 0."""

    file: str
    line: int
    end_line: int | None = None
    column: int | None = None
    end_column: int | None = None


@dataclass(frozen=True)
class PortCall:
    """One call, and its outcome.

    Attributes:
        name: in the map, or as the framework names it.
        becomes: the call in the other framework, with its arguments as in the source.
        status: how it compared.
        note: what differs, or what to do.
        gap: the largest difference of two numbers of the results, if they were compared.
    """

    name: str
    becomes: str | None
    status: PortStatus
    note: str = ""
    gap: float | None = field(default=None, compare=False)


@dataclass
class PortLine:
    """The calls of one source line, each with how often it occurred."""

    file: str
    number: int
    calls: dict[PortCall, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The source of the line."""
        return linecache.getline(self.file, self.number).strip()

    def count(self, call: PortCall, times: int = 1) -> None:
        """Count a call; among calls that differ only in their gaps, keep the largest gap."""
        before = next((known for known in self.calls if known == call), call)
        total = self.calls.get(call, 0) + times
        if before.gap is not None and (call.gap is None or before.gap >= call.gap):
            call = before
        self.calls = {call if known == call else known: n for known, n in self.calls.items()}
        self.calls[call] = total


@dataclass
class ReportData:
    """What a report holds; ``PortReport`` says what each attribute is."""

    framework: str = "torch"
    lines: dict[tuple[str, int], PortLine] = field(default_factory=dict)
    ended: str | None = None
    seconds: float | None = None
    beyond: int = 0
    unreached: dict[tuple[str, int], PortLine] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    parity: dict[str, str] = field(default_factory=dict)
    failed_draft: str | None = None

    def add(self, location: Location, call: PortCall, times: int = 1) -> None:
        """Count a call."""
        _count(self.lines, location, call, times)

    def add_unreached(self, location: Location, call: PortCall) -> None:
        """Count a call that is in the source, but that the program did not make."""
        _count(self.unreached, location, call, 1)

    def counts(self) -> dict[str, int]:
        """How many calls there were of each status, by its text."""
        counts = Counter[PortStatus]()
        for line in self.lines.values():
            for call, times in line.calls.items():
                counts[call.status] += times
        return {status.value: counts[status] for status in PortStatus if status in counts}

    @property
    def verified(self) -> float | None:
        """The share of calls that gave the same in the other framework.

        Random draws, and what was only read, do not count: nothing can be said about them. None
        where nothing counts.
        """
        counts = self.counts()
        judged = sum(n for status, n in counts.items() if status not in _NOT_JUDGED)
        return counts.get(PortStatus.VERIFIED, 0) / judged if judged else None

    def files(self) -> Iterator[tuple[str, list[PortLine]]]:
        """The lines of each file, in order."""
        for file in dict.fromkeys(file for file, _ in self.lines):
            yield file, [self.lines[key] for key in sorted(self.lines) if key[0] == file]

    def remarks(self) -> list[str]:
        """The notes, and a warning of a framework that is newer than the proven versions."""
        return [*self.notes, *proven.notes(*FRAMEWORKS)]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON report."""
        return {
            "schema": {"name": SCHEMA, "version": VERSION},
            "framework": self.framework,
            "ended": self.ended,
            "seconds": self.seconds,
            "counts": self.counts(),
            "verified": self.verified,
            "beyond": self.beyond,
            "lines": [_line(line) for _, lines in self.files() for line in lines],
            "unreached": [_line(self.unreached[key]) for key in sorted(self.unreached)],
            "notes": self.remarks(),
            "parity": self.parity,
        }


def _count(
    lines: dict[tuple[str, int], PortLine], location: Location, call: PortCall, times: int
) -> None:
    key = (location.file, location.line)
    lines.setdefault(key, PortLine(*key)).count(call, times)


def _line(line: PortLine) -> dict[str, Any]:
    return {
        "file": line.file,
        "line": line.number,
        "source": line.text,
        "calls": [_call(call) | {"times": times} for call, times in line.calls.items()],
    }


def _call(call: PortCall) -> dict[str, Any]:
    """A call as JSON has it, which knows no infinite or undefined number."""
    is_number = call.gap is not None and math.isfinite(call.gap)
    return asdict(call) | {"gap": call.gap if is_number else None}


def short(file: str) -> str:
    """A path relative to this folder; "this notebook" for the file of a cell."""
    if "ipykernel_" in file:
        return "this notebook"
    try:
        path, here = Path(file), Path.cwd()
    except FileNotFoundError:  # it was deleted
        return file
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
