"""Makes one results file of the files of a set's shards."""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace

from benchmarks import shards
from benchmarks.report.entries import Session, Timing
from benchmarks.report.files import ResultsError, read
from benchmarks.report.schema import Results
from benchmarks.selection import FRAMEWORKS
from benchmarks.shards import Shard, ShardError

SAME = ("image", "quick", "select", "settings")
# Of these, what both files have.
_SAME_BY_NAME = ("versions", "threads", "devices", "precision")
_MEMORY = 0.01  # machines of one kind report sizes that differ by a few pages


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


def differ(one: Results, other: Results, same: Sequence[str] = ("commit", *SAME)) -> str:
    """The first thing that keeps two files from being one run's; empty if nothing does."""
    pairs = [(key, getattr(one, key), getattr(other, key)) for key in same]
    for key in _SAME_BY_NAME:
        a, b = getattr(one, key), getattr(other, key)
        pairs += [(f"{key}, {name}", a[name], b[name]) for name in a.keys() & b.keys()]
    a, b = asdict(one.machine), asdict(other.machine)
    sizes = [a.pop("memory_bytes"), b.pop("memory_bytes")]
    if max(sizes) - min(sizes) > _MEMORY * max(sizes):
        pairs.append(("machine, memory_bytes", *sizes))
    pairs += [(f"machine, {name}", a.get(name), b.get(name)) for name in {**a, **b}]
    return next((f"{key} is {x!r} and {y!r}" for key, x, y in pairs if x != y), "")


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


def about(parts: Sequence[Results]) -> Results:
    """The last of some files, with what all of them say but for timings and sessions."""
    seconds = sum(part.seconds for part in parts)
    set_up = {name: [p.set_up[name] for p in parts if name in p.set_up]
              for name in FRAMEWORKS}  # fmt: skip
    return replace(
        max(parts, key=lambda part: part.date),
        versions=_together(parts, "versions"),
        threads=_together(parts, "threads"),
        devices=_together(parts, "devices"),
        precision=_together(parts, "precision"),
        peak_memory=_most(parts),
        set_up={name: statistics.median(times) for name, times in set_up.items() if times},
        clock=tuple(check for part in parts for check in part.clock),
        share=sum(part.share * part.seconds for part in parts) / seconds,
        seconds=seconds,
        problems=tuple(dict.fromkeys(line for part in parts for line in part.problems)),
    )


def _at_once(parts: Sequence[Results], number: int) -> Session:
    """A session whose shards were timed at about one time; one may have been stopped before."""
    found = [part.sessions[number] for part in parts if number < len(part.sessions)]
    seconds = sum(session.seconds for session in found)
    return replace(max(found, key=lambda session: session.date), seconds=seconds)


def _same_length(timing: Timing, count: int) -> Timing:
    return replace(timing, sessions=timing.sessions + (None,) * (count - len(timing.sessions)))


def _most(parts: Sequence[Results]) -> dict[str, int | None]:
    """The most that any shard took."""
    found: dict[str, int | None] = {}
    for name, size in ((n, s) for part in parts for n, s in part.peak_memory.items()):
        found[name] = max(size or 0, found.get(name) or 0) or None
    return found


def _together(parts: Sequence[Results], key: str) -> dict[str, Any]:
    """A shard may have no case of a framework, and so know nothing of it."""
    return {name: value for part in parts for name, value in getattr(part, key).items()}


def _in_order(parts: Sequence[Results]) -> list[Timing]:
    timings = [timing for part in parts for timing in part.timings]
    keys = map(_name, timings)
    twice = [key for key, count in Counter(keys).items() if count > 1]
    if twice:
        raise ResultsError(f"{twice[0]} is in two shards: they divided different sets of cases")
    return in_order(timings, parts[0])


def in_order(timings: Iterable[Timing], results: Results) -> list[Timing]:
    """Timings in the order of a run such as that of ``results``."""
    quick, memory = results.quick, int(results.settings.get("gpu_memory", 0))
    names = (
        str(case)
        for name in FRAMEWORKS
        for way in (False, name == "jax")
        for case in shards.cases(name, quick, gpu_memory=memory, synchronous=way)
    )
    order = {name: place for place, name in enumerate(names)}
    return sorted(timings, key=lambda timing: order.get(_name(timing), len(order)))


def _name(timing: Timing) -> str:
    """Its case's."""
    return f"{timing.topic}.{timing.name}-{timing.size}-{timing.framework}-{timing.mode}"
