"""Makes one results file of files that were measured at different times on one machine."""

import argparse
import itertools
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace
from rich.console import Console

from benchmarks.report.files import ResultsError, read, write
from benchmarks.report.schema import Results

# A session may be of some cases, chosen by `-k`: new functions are timed without all the others.
_SAME = ("image", "quick", "settings")
# Of these, what both files have: a file may have no case of a framework, and so know nothing of it.
_SAME_BY_NAME = ("versions", "threads", "devices", "precision")
_MEMORY = 0.01  # machines of one kind report sizes that differ by a few pages


def command(arguments: list[str], console: Console) -> int:
    """Make one file of several sessions."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks sessions",
        description="Join results files measured at different times on one machine into one.",
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
    """The sessions and records of all files, in the order of their dates.

    A file may lack what others have, such as first calls. Their commits may differ, for pages
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
        raise ResultsError("a session occurs twice: give each file once")
    before = itertools.accumulate((len(part.sessions) for part in parts), initial=0)
    records = tuple(
        replace(record, session=count + record.session)
        for count, part in zip(before, parts, strict=False)
        for record in part.records
    )
    return replace(_about(parts), sessions=sessions, records=records)


def _difference(first: Results, second: Results) -> str:
    """The first difference between two files that must be of one machine; empty if none."""
    pairs = [(key, getattr(first, key), getattr(second, key)) for key in _SAME]
    for key in _SAME_BY_NAME:
        a, b = getattr(first, key), getattr(second, key)
        pairs += [(f"{key}, {name}", a[name], b[name]) for name in a.keys() & b.keys()]
    a, b = asdict(first.machine), asdict(second.machine)
    sizes = [a.pop("memory_bytes"), b.pop("memory_bytes")]
    if max(sizes) - min(sizes) > _MEMORY * max(sizes):
        pairs.append(("machine, memory_bytes", *sizes))
    pairs += [(f"machine, {name}", a.get(name), b.get(name)) for name in {**a, **b}]
    return next((f"{key} is {x!r} and {y!r}" for key, x, y in pairs if x != y), "")


def _about(parts: Sequence[Results]) -> Results:
    """The last file, with what all files say of frameworks, times and gaps."""
    seconds = sum(part.seconds for part in parts)
    never = [name for name in parts[0].left_out if all(name in part.left_out for part in parts)]
    alike = {
        key: {name: values[-1] for name, values in _by_name(parts, key).items()}
        for key in _SAME_BY_NAME
    }
    set_up, memory = (_by_name(parts, key) for key in ("set_up", "peak_memory"))
    return replace(
        parts[-1],
        **alike,
        set_up={name: statistics.median(times) for name, times in set_up.items()},
        peak_memory={
            name: max(filter(None, sizes), default=None) for name, sizes in memory.items()
        },
        share=sum(part.share * part.seconds for part in parts) / seconds,
        seconds=seconds,
        problems=tuple(dict.fromkeys(line for part in parts for line in part.problems)),
        select=_selected(parts),
        partial=bool(never),
        left_out=tuple(never),
    )


def _selected(parts: Sequence[Results]) -> str:
    """What chose the cases of all files together; empty where one has all cases."""
    chosen = dict.fromkeys(part.select for part in parts)
    return "" if "" in chosen else " or ".join(chosen)


def _by_name(parts: Sequence[Results], key: str) -> dict[str, list[Any]]:
    """What the files say of each framework, of those that say something."""
    values: dict[str, list[Any]] = {}
    for part in parts:
        for name, value in getattr(part, key).items():
            values.setdefault(name, []).append(value)
    return values
