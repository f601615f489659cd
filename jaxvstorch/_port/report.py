"""What a replay found, by source line."""

import linecache
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from jaxvstorch._frameworks import FRAMEWORKS, proven


class PortStatus(StrEnum):
    """What became of a call."""

    VERIFIED = "verified"
    DIFFERS = "differs"
    RANDOM = "random"
    OTHERWISE = "done otherwise"
    REFUSED = "a parameter has no counterpart"
    UNKNOWN = "not in the map"
    FAILED = "not replayed"
    READ = "read, not run"

    @property
    def sign(self) -> str:
        """What stands before the call in a terminal."""
        return _SIGNS[self]


_SIGNS = dict(zip(PortStatus, "=≠~>!?!.", strict=True))


@dataclass(frozen=True)
class Place:
    """Where a call stands in the source: lines from 1, columns in bytes from 0."""

    file: str
    line: int
    end_line: int | None = None
    column: int | None = None
    end_column: int | None = None


@dataclass(frozen=True)
class PortCall:
    """What became of one call.

    Attributes:
        name: in the map, or as the framework names it.
        becomes: what it is in the other framework, with the arguments as they stand in the source.
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
    """What became of the calls of one source line, each with how often it came."""

    file: str
    number: int
    calls: dict[PortCall, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The source of the line."""
        return linecache.getline(self.file, self.number).strip()

    def count(self, found: PortCall, times: int = 1) -> None:
        """Count a call; of several that are alike but for their gaps, the largest gap is kept."""
        before = next((call for call in self.calls if call == found), found)
        number = self.calls.get(found, 0) + times
        if before.gap is not None and (found.gap is None or before.gap >= found.gap):
            found = before
        self.calls = {found if call == found else call: n for call, n in self.calls.items()}
        self.calls[found] = number


@dataclass
class PortReport:
    """Every line that called the framework, and how the program ended.

    Attributes:
        framework: whose calls were done again in the other one.
        lines: by file and number.
        ended: why the program did not reach its end, if it did not.
        seconds: what the program took with its calls done again, if it was a program and ended.
        beyond: how many calls were left out, because their line had been replayed often enough.
        unreached: lines of the program's files with calls that it did not make.
        notes: on the whole, such as that processes were forked.
        parity: of each part of the draft, what comparing it with the program's own came to.
    """

    framework: str = "torch"
    lines: dict[tuple[str, int], PortLine] = field(default_factory=dict)
    ended: str | None = None
    seconds: float | None = None
    beyond: int = 0
    unreached: dict[tuple[str, int], PortLine] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    parity: dict[str, str] = field(default_factory=dict)

    def add(self, place: Place, found: PortCall, times: int = 1) -> None:
        """Count a call."""
        _count(self.lines, place, found, times)

    def add_unreached(self, place: Place, found: PortCall) -> None:
        """Note a call that was read in the source and not made."""
        _count(self.unreached, place, found, 1)

    def counts(self) -> dict[PortStatus, int]:
        """How many calls there were of each status."""
        found: dict[PortStatus, int] = {}
        for line in self.lines.values():
            for call, times in line.calls.items():
                found[call.status] = found.get(call.status, 0) + times
        return {status: found[status] for status in PortStatus if status in found}

    @property
    def verified(self) -> float:
        """The share of calls that gave the same in the other framework.

        Random draws count as no call: nothing is known of them.
        """
        counts = self.counts()
        judged = sum(counts.values()) - counts.get(PortStatus.RANDOM, 0)
        return counts.get(PortStatus.VERIFIED, 0) / judged if judged else 0.0

    def files(self) -> Iterator[tuple[str, list[PortLine]]]:
        """The lines of each file, in order."""
        for file in dict.fromkeys(file for file, _ in self.lines):
            yield file, [self.lines[key] for key in sorted(self.lines) if key[0] == file]

    def remarks(self) -> list[str]:
        """The notes, and below them what is said of a framework newer than was proven."""
        return [*self.notes, *proven.notes(*FRAMEWORKS)]

    def to_dict(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
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

    def __str__(self) -> str:
        from jaxvstorch._port.rendering.text import plain

        return plain(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from jaxvstorch._port.rendering.html import fragment

        return fragment(self)


def _count(
    lines: dict[tuple[str, int], PortLine], place: Place, found: PortCall, times: int
) -> None:
    key = (place.file, place.line)
    lines.setdefault(key, PortLine(*key)).count(found, times)


def _line(line: PortLine) -> dict[str, Any]:
    return {
        "file": line.file,
        "line": line.number,
        "source": line.text,
        "calls": [asdict(call) | {"times": times} for call, times in line.calls.items()],
    }


def short(file: str) -> str:
    """A path as one would type it here; what a notebook calls a cell's file says nothing."""
    if "ipykernel_" in file:
        return "this notebook"
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
