"""Makes one results file of files that were measured at different times on one machine."""

import argparse
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace
from rich.console import Console

from benchmarks import selection
from benchmarks.report.entries import Timing
from benchmarks.report.files import ResultsError, read, write
from benchmarks.report.schema import Results

# A session may be of some cases, chosen by `-k`: new functions are timed without all the others.
_SAME = ("image", "quick", "settings")
# Of these, what both files have.
_SAME_BY_NAME = ("versions", "threads", "devices", "precision")
_MEMORY = 0.01  # machines of one kind report sizes that differ by a few pages


def command(arguments: list[str], console: Console) -> int:
    """Make one file of several sessions."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks sessions",
        description="Make one results file of files measured at different times on one machine.",
    )
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--output", type=Path, required=True, help="the file to write")
    options = parser.parse_args(arguments)
    output = options.output
    joined = join(options.files)
    if any(output.exists() and output.samefile(path) for path in options.files):
        raise ResultsError(f"--output {output} is one of the files to join: give another name")
    write(joined, output)
    gap = f" ({joined.gap()})" if joined.gap() else ""
    console.print(f"Results: {output}{gap}", soft_wrap=True)
    return 0


def join(paths: Sequence[Path]) -> Results:
    """All sessions of some files in one, in the order of their dates.

    What a file did not time, such as first calls, others have. Their commits may differ, for pages
    change while sessions are collected: each session names its own.

    Raises:
        ResultsError: the files are not of one machine with the same versions and settings; the
            message says which.
    """
    parts = [read(path) for path in paths]
    for path, part in zip(paths, parts, strict=True):
        if difference := _difference(parts[0], part):
            raise ResultsError(f"{paths[0]} and {path} cannot be joined: {difference}")
    parts.sort(key=lambda part: part.date)
    sessions = tuple(session for part in parts for session in part.sessions)
    if len({session.date for session in sessions}) < len(sessions):
        raise ResultsError("a session is there twice: give each file once")
    timings = [_over_all(parts, key) for key in dict.fromkeys(_keys(parts))]
    never = [name for name in parts[0].left_out if all(name in part.left_out for part in parts)]
    return replace(
        _about(parts),
        timings=tuple(_in_order(timings, parts[0])),
        sessions=sessions,
        select=_selected(parts),
        partial=bool(never),
        left_out=tuple(never),
    )


def _difference(one: Results, other: Results) -> str:
    """The first thing that keeps two files from being one machine's; empty if nothing does."""
    pairs = [(key, getattr(one, key), getattr(other, key)) for key in _SAME]
    for key in _SAME_BY_NAME:
        a, b = getattr(one, key), getattr(other, key)
        pairs += [(f"{key}, {name}", a[name], b[name]) for name in a.keys() & b.keys()]
    a, b = asdict(one.machine), asdict(other.machine)
    sizes = [a.pop("memory_bytes"), b.pop("memory_bytes")]
    if max(sizes) - min(sizes) > _MEMORY * max(sizes):
        pairs.append(("machine, memory_bytes", *sizes))
    pairs += [(f"machine, {name}", a.get(name), b.get(name)) for name in {**a, **b}]
    return next((f"{key} is {x!r} and {y!r}" for key, x, y in pairs if x != y), "")


def _selected(parts: Sequence[Results]) -> str:
    """What chose the cases of all files together; empty where one has all cases."""
    chosen = dict.fromkeys(part.select for part in parts)
    return "" if "" in chosen else " or ".join(chosen)


def _keys(parts: Iterable[Results]) -> Iterable[tuple[str, str, int, str, str]]:
    return (timing.key for part in parts for timing in part.timings)


def _over_all(parts: Sequence[Results], key: tuple[str, str, int, str, str]) -> Timing:
    """One call's timing in the sessions of all files."""
    by_part = [{timing.key: timing for timing in part.timings}.get(key) for part in parts]
    known = [timing for timing in by_part if timing]
    times = [
        time
        for timing, part in zip(by_part, parts, strict=True)
        for time in (timing.sessions if timing else (None,) * len(part.sessions))
    ]
    return replace(
        known[0],
        sessions=tuple(times),
        rounds=sum(timing.rounds for timing in known),
        first_call=_median(timing.first_call for timing in known),
        new_shape=_median(timing.new_shape for timing in known),
        queued=_median(timing.queued for timing in known),
    )


def _median(times: Iterable[float | None]) -> float | None:
    known = [time for time in times if time is not None]
    return statistics.median(known) if known else None


def _about(parts: Sequence[Results]) -> Results:
    """The last of some files, with what all of them say but for timings and sessions."""
    seconds = sum(part.seconds for part in parts)
    set_up = {name: [p.set_up[name] for p in parts if name in p.set_up]
              for name in selection.FRAMEWORKS}  # fmt: skip
    return replace(
        max(parts, key=lambda part: part.date),
        versions=_together(parts, "versions"),
        threads=_together(parts, "threads"),
        devices=_together(parts, "devices"),
        precision=_together(parts, "precision"),
        peak_memory=_most(parts),
        set_up={name: statistics.median(times) for name, times in set_up.items() if times},
        share=sum(part.share * part.seconds for part in parts) / seconds,
        seconds=seconds,
        problems=tuple(dict.fromkeys(line for part in parts for line in part.problems)),
    )


def _most(parts: Sequence[Results]) -> dict[str, int | None]:
    """The most that any file's processes took."""
    most: dict[str, int | None] = {}
    for name, size in ((n, s) for part in parts for n, s in part.peak_memory.items()):
        most[name] = max(size or 0, most.get(name) or 0) or None
    return most


def _together(parts: Sequence[Results], key: str) -> dict[str, Any]:
    """A file may have no case of a framework, and so know nothing of it."""
    return {name: value for part in parts for name, value in getattr(part, key).items()}


def _in_order(timings: Iterable[Timing], results: Results) -> list[Timing]:
    """Timings in the order of a run such as that of ``results``."""
    quick, memory = results.quick, int(results.settings.get("gpu_memory", 0))
    names = (
        str(case)
        for name in selection.FRAMEWORKS
        for synchronous in (False, name == "jax")
        for case in selection.cases(name, quick, memory, synchronous)
    )
    order = {name: place for place, name in enumerate(names)}
    return sorted(timings, key=lambda timing: order.get(_name(timing), len(order)))


def _name(timing: Timing) -> str:
    """Its case's."""
    return f"{timing.topic}.{timing.name}-{timing.size}-{timing.framework}-{timing.mode}"
