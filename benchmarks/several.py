"""What several results files have in common, and their timings in the order of one run."""

import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import asdict, replace

from benchmarks import shards
from benchmarks.report.entries import Timing
from benchmarks.report.schema import Results
from benchmarks.selection import FRAMEWORKS

SAME = ("image", "quick", "select", "settings")
# Of these, what both files have.
_SAME_BY_NAME = ("versions", "threads", "devices", "precision")
_MEMORY = 0.01  # machines of one kind report sizes that differ by a few pages


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


def _most(parts: Sequence[Results]) -> dict[str, int | None]:
    """The most that any shard took."""
    found: dict[str, int | None] = {}
    for name, size in ((n, s) for part in parts for n, s in part.peak_memory.items()):
        found[name] = max(size or 0, found.get(name) or 0) or None
    return found


def _together(parts: Sequence[Results], key: str) -> dict[str, Any]:
    """A shard may have no case of a framework, and so know nothing of it."""
    return {name: value for part in parts for name, value in getattr(part, key).items()}


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
    return sorted(timings, key=lambda timing: order.get(name_of(timing), len(order)))


def name_of(timing: Timing) -> str:
    """Its case's."""
    return f"{timing.topic}.{timing.name}-{timing.size}-{timing.framework}-{timing.mode}"
