"""Makes one results file of the files of a set's shards."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

from msgspec.structs import replace

from benchmarks.report.entries import Session, Timing
from benchmarks.report.files import ResultsError, read
from benchmarks.report.schema import Results
from benchmarks.several import about, differ, in_order, name_of
from benchmarks.shards import Shard, ShardError


def join(paths: Sequence[Path], partial: bool = False) -> Results:
    """One run's results, equal to a single run's but for times.

    Args:
        paths: the shards' files.
        partial: accept that shards are missing, or were stopped; the results are marked so.

    Raises:
        ResultsError: the files are not the shards of one set, or not all; the message says which.
    """
    parts = [read(path) for path in paths]
    left_out = _missing(_numbers(paths, parts), partial)
    if (select := parts[0].select) and not any(part.timings or part.left_out for part in parts):
        raise ResultsError(f"-k {select!r} matched no case in any of the shards")
    for (a, one), (b, other) in combinations(zip(paths, parts, strict=True), 2):
        if difference := differ(one, other):
            raise ResultsError(f"{a} and {b} are not of one run: {difference}")
    for path, part in zip(paths, parts, strict=True):
        if part.partial and not partial:
            raise ResultsError(f"{path} is partial: measure it again, or say --partial")
        left_out += part.left_out
    return _joined(parts, left_out)


def _numbers(paths: Sequence[Path], parts: Sequence[Results]) -> dict[Shard, Path]:
    """Which file is which shard; they must be of one count, and each there once."""
    found: dict[Shard, Path] = {}
    for path, part in zip(paths, parts, strict=True):
        try:
            shard = Shard.parse(part.shard)
        except ShardError as error:
            why = f": {error}" if part.shard else ": there is nothing to merge"
            raise ResultsError(f"{path} is no shard of a set{why}") from None
        if shard in found:
            raise ResultsError(f"{found[shard]} and {path} are both shard {shard}")
        first = next(iter(found), shard)
        if shard.count != first.count:
            raise ResultsError(f"{found[first]} is shard {first}, and {path} is shard {shard}")
        found[shard] = path
    return found


def _missing(found: Mapping[Shard, Path], partial: bool) -> list[str]:
    count = next(iter(found)).count
    missing = [shard for n in range(count) if (shard := Shard(n + 1, count)) not in found]
    if missing and not partial:
        names, more = ", ".join(map(str, missing[:5])), len(missing) - 5
        names += f" and {more} more" if more > 0 else ""
        raise ResultsError(f"missing: shard {names}; --partial merges without")
    return [f"shard {shard}" for shard in missing]


def _joined(parts: Sequence[Results], left_out: list[str]) -> Results:
    count = max(len(part.sessions) for part in parts)
    return replace(
        about(parts),
        timings=tuple(_same_length(timing, count) for timing in _in_order(parts)),
        sessions=tuple(_at_once(parts, number) for number in range(count)),
        shard="",
        partial=bool(left_out),
        left_out=tuple(left_out),
    )


def _at_once(parts: Sequence[Results], number: int) -> Session:
    """A session whose shards were timed at about one time; one may have been stopped before."""
    found = [part.sessions[number] for part in parts if number < len(part.sessions)]
    seconds = sum(session.seconds for session in found)
    return replace(max(found, key=lambda session: session.date), seconds=seconds)


def _same_length(timing: Timing, count: int) -> Timing:
    return replace(timing, sessions=timing.sessions + (None,) * (count - len(timing.sessions)))


def _in_order(parts: Sequence[Results]) -> list[Timing]:
    timings = [timing for part in parts for timing in part.timings]
    keys = map(name_of, timings)
    twice = [key for key, count in Counter(keys).items() if count > 1]
    if twice:
        raise ResultsError(f"{twice[0]} is in two shards: they divided different sets of cases")
    return in_order(timings, parts[0])
