"""Makes one results file of the files of a set's shards."""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace

from benchmarks import shards
from benchmarks.report.entries import Timing
from benchmarks.report.files import ResultsError, read
from benchmarks.report.schema import Results
from benchmarks.selection import FRAMEWORKS
from benchmarks.shards import Shard, ShardError

_SAME = ("commit", "image", "quick", "select", "settings")
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
        if difference := _difference(one, other):
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


def _difference(one: Results, other: Results) -> str:
    """The first thing that keeps two shards from being one run's; empty if nothing does."""
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


def _joined(parts: Sequence[Results], left_out: list[str]) -> Results:
    first = parts[0]
    timings = _in_order(parts)
    seconds = sum(part.seconds for part in parts)
    set_up = {name: [p.set_up[name] for p in parts if name in p.set_up]
              for name in FRAMEWORKS}  # fmt: skip
    return replace(
        first,
        versions=_together(parts, "versions"),
        threads=_together(parts, "threads"),
        devices=_together(parts, "devices"),
        precision=_together(parts, "precision"),
        peak_memory=_most(parts),
        date=max(part.date for part in parts),
        timings=tuple(timings),
        set_up={name: statistics.median(times) for name, times in set_up.items() if times},
        clock=tuple(check for part in parts for check in part.clock),
        share=sum(part.share * part.seconds for part in parts) / seconds,
        seconds=seconds,
        problems=tuple(dict.fromkeys(line for part in parts for line in part.problems)),
        sweeps=min(part.sweeps for part in parts),
        shard="",
        partial=bool(left_out),
        left_out=tuple(left_out),
    )


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
    """All their timings, in the order of a single run."""
    timings = [timing for part in parts for timing in part.timings]
    quick, memory = parts[0].quick, int(parts[0].settings.get("gpu_memory", 0))
    names = (str(c) for f in FRAMEWORKS for c in shards.cases(f, quick, gpu_memory=memory))
    order = {name: place for place, name in enumerate(names)}
    keys = [f"{t.topic}.{t.name}-{t.size}-{t.framework}-{t.mode}" for t in timings]
    twice = [key for key, count in Counter(keys).items() if count > 1]
    if twice:
        raise ResultsError(f"{twice[0]} is in two shards: they divided different sets of cases")
    places = (order.get(key, len(order)) for key in keys)
    return [timing for _, timing in sorted(zip(places, timings, strict=True), key=lambda x: x[0])]
