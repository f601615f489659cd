"""Makes one results file of files that were measured at different times on one machine."""

import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from benchmarks.report.entries import Timing
from benchmarks.report.files import ResultsError, read
from benchmarks.report.schema import Results
from benchmarks.several import SAME, about, differ, in_order

# A session may be of some cases, chosen by `-k`: new functions are timed without all the others.
_SAME = tuple(key for key in SAME if key != "select")


def join(paths: Sequence[Path]) -> Results:
    """All sessions of some files in one, in the order of their dates.

    What a file did not time, such as first calls, others have. Their commits may differ, for pages
    change while sessions are collected: each session names its own.

    Raises:
        ResultsError: the files are not of one machine with the same versions and settings, or one
            is a shard; the message says which.
    """
    parts = [read(path) for path in paths]
    for path, part in zip(paths, parts, strict=True):
        if part.shard:
            raise ResultsError(f"{path} is shard {part.shard}: merge the shards first")
        if difference := differ(parts[0], part, _SAME):
            raise ResultsError(f"{paths[0]} and {path} cannot be joined: {difference}")
    parts.sort(key=lambda part: part.date)
    sessions = tuple(session for part in parts for session in part.sessions)
    if len({session.date for session in sessions}) < len(sessions):
        raise ResultsError("a session is there twice: give each file once")
    found = [_over_all(parts, key) for key in dict.fromkeys(_keys(parts))]
    never = [name for name in parts[0].left_out if all(name in part.left_out for part in parts)]
    return replace(
        about(parts),
        timings=tuple(in_order(found, parts[0])),
        sessions=sessions,
        select=_selected(parts),
        partial=bool(never),
        left_out=tuple(never),
    )


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
