"""What a results file holds. The JSON Schema for other tools is made of it.

``python -m benchmarks.report.schema`` writes ``benchmarks/results.schema.json`` anew.
"""

import functools
import inspect
import json
from collections.abc import Mapping
from pathlib import Path

import msgspec

from benchmarks.report.entries import (
    HEADER,
    Count,
    Date,
    Device,
    Entry,
    Header,
    Machine,
    MoreThanZero,
    Record,
    Seconds,
    Session,
)  # fmt: skip
from benchmarks.report.timings import Timing, timings

FILE = Path(__file__).parents[1] / "results.schema.json"
QUIET = 0.2  # cores that other programs may keep busy: a system that rests takes some hundredths


class Results(Entry, frozen=True, kw_only=True, dict=True):
    """One or more sessions of the benchmarks on one machine.

    Attributes:
        schema: what this file is.
        date: when the last session ended, in ISO 8601.
        quick: whether it was a quick session.
        sessions: what is known of each.
        select: the expression that chose its cases; empty for all.
        partial: whether it was stopped, or a process crashed.
        left_out: what was not timed, where it is partial.
        seconds: how long it took.
        commit: of the code that was timed last, with ``-dirty`` where it was changed since; empty
            where not known.
        image: the container image it ran in; empty outside of one.
        machine: processor, cores, memory, system; the GPUs and their driver.
        versions: of Python and the packages.
        settings: the dtype, the memory of the GPU that sizes were chosen for (0 without one), and
            the environment variables that were set.
        problems: what could not be measured.
        threads: by framework.
        set_up: by framework: seconds for what is done once, before the first calls.
        devices: by framework: what computed, and the CUDA version that it was built for.
        precision: by framework: the settings that change how exactly it computes.
        peak_memory: by framework: the most bytes that arrays took on a GPU at one time, ``None`` on
            a CPU.
        share: of that time, what went into compiling and timing.
        records: what was timed, one for each call and session.
    """

    schema: Header
    date: Date
    quick: bool
    sessions: tuple[Session, ...]
    select: str
    partial: bool
    left_out: tuple[str, ...]
    seconds: MoreThanZero
    commit: str
    image: str
    machine: Machine
    versions: Mapping[str, str]
    settings: Mapping[str, str | int]
    problems: tuple[str, ...]
    threads: Mapping[str, Count]
    set_up: Mapping[str, Seconds]
    devices: Mapping[str, Device]
    precision: Mapping[str, Mapping[str, str | bool | None]]
    peak_memory: Mapping[str, Count | None]
    share: Seconds
    records: tuple[Record, ...]

    def __post_init__(self) -> None:
        """Refuse what the types allow, above all two records of one call in one session."""
        if not isinstance(self.settings.get("gpu_memory", 0), int):
            raise ValueError("settings.gpu_memory must be a number of bytes")
        first: dict[object, int] = {}
        for number, record in enumerate(self.records):
            if record.session >= len(self.sessions):
                count = len(self.sessions)
                raise ValueError(f"records[{number}].session is {record.session} of only {count}")
            if first.setdefault((record.session, record.call), number) != number:
                same = f"records[{first[record.session, record.call]}] and records[{number}]"
                raise ValueError(f"{same} are of the same call and session")

    @functools.cached_property
    def timings(self) -> tuple[Timing, ...]:
        """One for each call, of the records of all sessions."""
        return timings(self.records, len(self.sessions))

    @property
    def warnings(self) -> tuple[str, ...]:
        """The problems, and the sessions in which other programs took part of the machine."""
        busy = [
            f"other programs kept {session.others:.1f} of {self.machine.cores} cores busy in the "
            f"session that ended {session.date}: its times may be too long"
            for session in self.sessions
            if session.others is not None and session.others > QUIET
        ]
        return (*self.problems, *busy)

    def platform(self, framework: str) -> str:
        """What a framework computed on: ``"cpu"``, ``"gpu"``, ``"tpu"``; empty where not known."""
        return self.devices[framework].platform if framework in self.devices else ""

    def topics(self) -> list[str]:
        """The topics that have timings, in the order of the file."""
        return list(dict.fromkeys(timing.topic for timing in self.timings))

    def gap(self) -> str:
        """What is missing of a whole run, as in ``"partial, without three cases"``; or empty."""
        names, more = self.left_out[:3], len(self.left_out) - 3
        without = ", ".join(names) + (f" and {more} more" if more > 0 else "")
        gaps = [f"partial, without {without}"] if self.partial else []
        gaps += [f"only what -k {self.select!r} matches"] if self.select else []
        return "; ".join(gaps)

    def outdated(self, pins: Mapping[str, str]) -> list[str]:
        """How the versions measured differ from the pinned ones, such as ``"jax 0.1, now 0.2"``."""
        return [
            f"{name} {version}, now {pins[name]}"
            for name, version in self.versions.items()
            if name in pins and version.split("+")[0] != pins[name]
        ]


def json_schema() -> str:
    """The JSON Schema of a results file, as the text of ``FILE``."""
    (generated,), parts = msgspec.json.schema_components([Results])
    for part in parts.values():  # Python 3.13 leaves out a docstring's indentation, 3.11 does not
        part["description"] = inspect.cleandoc(part["description"])
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Results of jaxvstorch's benchmarks, version {HEADER.version}",
        **generated,
        "$defs": parts,
    }
    return json.dumps(document, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(json_schema(), encoding="utf-8")
