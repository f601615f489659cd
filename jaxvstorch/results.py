"""Benchmark results, read from their files and checked. No framework is needed."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jaxvstorch.command.whole_file import write_whole
from jaxvstorch.results_shape import AGAIN, SCHEMA, VERSION, ResultsError, checked
from jaxvstorch.timings import Timing

__all__ = ["SCHEMA", "VERSION", "Results", "ResultsError", "read", "read_all", "write",
           "write_document", "write_text"]  # fmt: skip


@dataclass(frozen=True)
class Results:
    """One run of the benchmarks on one machine.

    Attributes:
        date: when it ended, in ISO 8601.
        quick: whether it was a quick session.
        sweeps: how often the whole set was gone through.
        select: the expression that chose its cases; empty for all.
        shard: its part of the set, such as ``"2/5"``; empty for all.
        partial: whether it was stopped, a process crashed, or it was merged without all shards.
        left_out: what was not timed, where it is partial.
        seconds: how long it took.
        share: of that time, what went into compiling and timing.
        commit: of the code that was timed, with ``-dirty`` where it was changed since; empty where
            not known.
        image: the container image it ran in; empty outside of one.
        machine: processor, cores, memory, system; the GPUs and their driver, ``None`` where none.
        versions: of Python and the packages.
        threads: by framework.
        devices: by framework: what computed, and the CUDA version that it was built for.
        precision: by framework: the settings that change how exactly it computes.
        peak_memory: by framework: the most bytes that arrays took on a GPU at one time, ``None`` on
            a CPU.
        set_up: by framework: seconds for what is done once, before the first calls.
        settings: the dtype, the memory of the GPU that sizes were chosen for (0 without one), and
            the environment variables that were set.
        problems: what could not be measured.
        clock: the harness's clock beside others.
        timings: what was timed.
    """

    date: str
    quick: bool
    sweeps: int
    select: str
    shard: str
    partial: bool
    left_out: tuple[str, ...]
    seconds: float
    share: float
    commit: str
    image: str
    machine: Mapping[str, Any]
    versions: Mapping[str, str]
    threads: Mapping[str, int]
    devices: Mapping[str, Mapping[str, Any]]
    precision: Mapping[str, Mapping[str, Any]]
    peak_memory: Mapping[str, int | None]
    set_up: Mapping[str, float]
    settings: Mapping[str, Any]
    problems: tuple[str, ...]
    clock: tuple[Mapping[str, Any], ...]
    timings: tuple[Timing, ...]

    def topics(self) -> list[str]:
        """The topics that have timings, in the order of the file."""
        return list(dict.fromkeys(timing.topic for timing in self.timings))

    def gap(self) -> str:
        """What is missing of a whole run, as in ``"partial, without shard 2/5"``; or empty."""
        names, more = self.left_out[:3], len(self.left_out) - 3
        without = ", ".join(names) + (f" and {more} more" if more > 0 else "")
        found = [f"partial, without {without}"] if self.partial else []
        found += [f"only shard {self.shard}"] if self.shard else []
        found += [f"only what -k {self.select!r} matches"] if self.select else []
        return "; ".join(found)

    def outdated(self, pins: Mapping[str, str]) -> list[str]:
        """How the versions measured differ from the pinned ones, such as ``"jax 0.1, now 0.2"``."""
        return [
            f"{name} {version}, now {pins[name]}"
            for name, version in self.versions.items()
            if name in pins and version.split("+")[0] != pins[name]
        ]


def read(path: Path | str) -> Results:
    """Read one results file.

    Raises:
        ResultsError: there is no such file, or it is empty, cut off, or of another schema.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        document = json.loads(text, object_pairs_hook=_entries)
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: cannot be read: {error}") from error
    except json.JSONDecodeError as error:
        what = f"not JSON, or cut off: {error}" if text.strip() else "empty"
        raise ResultsError(f"{path}: {what}; {AGAIN}") from error
    except RecursionError as error:
        raise ResultsError(f"{path}: it is nested too deeply; {AGAIN}") from error
    except ResultsError as error:
        raise ResultsError(f"{path}: {error}; {AGAIN}") from error
    except ValueError as error:  # Python reads some thousand digits, and says so of more
        raise ResultsError(f"{path}: a number in it has too many digits; {AGAIN}") from error
    try:
        return Results(**checked(document))
    except ResultsError as error:
        raise ResultsError(f"{path}: {error}") from error


def _entries(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; by itself Python would take the last of two entries with one name."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ResultsError(f"{max(names, key=names.count)!r} is in one place twice")
    return found


def write(results: Results, path: Path) -> None:
    """Write a results file that ``read`` takes."""
    entries = asdict(results)
    for timing in entries["timings"]:
        del timing["platform"]  # devices say it
    write_document({"schema": {"name": SCHEMA, "version": VERSION}, **entries}, path)


def write_document(document: Mapping[str, Any], path: Path) -> None:
    """Write what is to be in a results file.

    Raises:
        ResultsError: the path cannot be written.
    """
    write_text(json.dumps(document, indent=1) + "\n", path)


def write_text(text: str, path: Path) -> None:
    """Write a file, and the folders that it needs.

    Raises:
        ResultsError: the path cannot be written; what was there is as it was.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(text, path)
    except OSError as error:
        raise ResultsError(f"{path}: cannot be written: {error.strerror}") from error


def read_all(folder: Path | str) -> tuple[dict[str, Results], list[str]]:
    """Every results file of a folder by its name without ``.json``, and what could not be read."""
    found: dict[str, Results] = {}
    problems = []
    for path in sorted(Path(folder).glob("*.json")):
        try:
            found[path.stem] = read(path)
        except ResultsError as error:
            problems.append(str(error))
    return found, problems
