"""Sweeps over the set of cases, minutes apart: what else a machine does can last for a while.

In each, every framework is timed in a process of its own, and the clock is checked. A case's rounds
are pooled. First calls are timed in the first sweep only. Where there are several sweeps, further
processes after each check the clock with the shortest call alone.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import one_framework
from benchmarks.merge import Document

SWEEPS = 3  # of a full session; a quick one, and one with a limit of time, has one
PARTS = 3  # that the rounds are cut into where there is one sweep

# A process's addresses change a call of 5 µs by 2 % (standard deviation), for as long as it lives.
# The median of three pairs of processes was 5 % off; that of nine is known to about 1 %.
CLOCK_PROCESSES = 2  # per framework and sweep, beside the one of the cases
CLOCK_ALONE = ["--quick", "--again", "-k", "bench_clock and sin"]

CLOCK_SECONDS = 55.0  # what a framework's clock check takes, on two slow cores
# What of the rest each takes, about. With these all get through the same part of the cases.
WEIGHTS = {"numpy": 1, "jax": 2, "torch": 5}


@dataclass(frozen=True)
class Timed:
    """What all sweeps found.

    Attributes:
        parts: by framework, what its processes wrote; one that crashed has written nothing.
        codes: by framework, its process's exit code in the first sweep; none where it never ran.
        problems: what went wrong in a process as a whole.
        whole: in how many sweeps all processes ended.
    """

    parts: dict[str, Document]
    codes: dict[str, int]
    problems: list[str]
    whole: int


def run(frameworks: Sequence[str], choice: list[str], count: int, end: float | None) -> Timed:
    """Time the cases; Ctrl-C ends it early.

    Args:
        frameworks: which.
        choice: the options that choose the cases.
        count: how many sweeps.
        end: no case of the first sweep begins after it, by ``time.perf_counter``.
    """
    codes: dict[_Process, int] = {}
    with tempfile.TemporaryDirectory(prefix="jaxvstorch-") as folder:
        paths = {
            process: Path(folder, "-".join(map(str, process)) + ".json")
            for process in _processes(frameworks, choice, count)
        }
        try:
            for process, path in paths.items():
                codes[process] = one_framework.run(
                    process.framework, path, choice + _own(process, end, frameworks)
                )
        except KeyboardInterrupt:
            print("stopped: what was measured is kept", file=sys.stderr)
        found = {process: one_framework.read(path) for process, path in paths.items()}
    problems = [
        line
        for process, code in codes.items()
        for line in one_framework.problem(process.framework, code, found[process])
    ]
    firsts = [process for process in paths if process.sweep == process.number == 0]
    return Timed(
        {
            first.framework: pool(found[first], [
                found[process] for process in paths
                if process.framework == first.framework and process != first
            ])
            for first in firsts if found[first]
        },
        {first.framework: codes[first] for first in firsts if first in codes},
        list(dict.fromkeys(problems)),
        sum(all(p in codes for p in paths if p.sweep == sweep) for sweep in range(count)),
    )  # fmt: skip


class _Process(NamedTuple):
    sweep: int
    framework: str
    number: int  # 0 times the cases and checks the clock, the others check it alone


def _processes(frameworks: Sequence[str], choice: list[str], count: int) -> Iterator[_Process]:
    """In the order in which they run."""
    alone = CLOCK_PROCESSES if count > 1 and "-k" not in choice else 0
    for sweep, framework in product(range(count), frameworks):
        for number in range(1 + (alone if framework != "numpy" else 0)):
            yield _Process(sweep, framework, number)


def _own(process: _Process, end: float | None, frameworks: Sequence[str]) -> list[str]:
    """The options of one process alone."""
    if process.number:
        return CLOCK_ALONE
    return ["--again"] if process.sweep else _limit(end, process.framework, frameworks)


def _limit(end: float | None, name: str, frameworks: Sequence[str]) -> list[str]:
    """The seconds for the cases of one framework, of what is left for it and those after it."""
    if end is None:
        return []
    left = frameworks[frameworks.index(name) :]
    checks = CLOCK_SECONDS * sum(other != "numpy" for other in left)
    share = WEIGHTS[name] / sum(WEIGHTS[other] for other in left)
    return ["--seconds", str(max(0.0, (end - time.perf_counter() - checks) * share))]


def pool(first: Document, later: Iterable[Document]) -> Document:
    """The first document of one framework, with what its later processes found."""
    later = [part for part in later if part]
    again: dict[str, list[Document]] = {}
    for entry in (entry for part in later for entry in part["benchmarks"]):
        again.setdefault(entry["name"], []).append(entry)
    several = ([entry, *again.get(entry["name"], [])] for entry in first["benchmarks"])
    benchmarks = [
        _check(entries) if "clock" in entries[0]["extra_info"] else _pooled(entries)
        for entries in several
    ]
    sessions = [part["session"] for part in (first, *later)]
    session = sessions[0] | {
        "busy": sum(session["busy"] for session in sessions),
        "failed": list(dict.fromkeys(line for session in sessions for line in session["failed"])),
    }
    return first | {"benchmarks": benchmarks, "session": session}


def _pooled(entries: list[Document]) -> Document:
    """How far the leasts of the sweeps differ tells how well the least of all repeats.

    Six runs were made, and three of them held against the other three. This spread was as wide as
    94 % of the differences; one of thirds of each sweep's rounds covered all, at twice the width.
    In one sweep there is only the latter, which covers six in ten.

    All is per call: how many calls a run has is each sweep's own choice.
    """
    calls = [entry["extra_info"]["case"]["calls_per_run"] for entry in entries]
    rounds = [
        [seconds / count for seconds in entry["stats"]["data"]]
        for entry, count in zip(entries, calls, strict=True)
    ]
    leasts = [min(found) for found in rounds]
    best = leasts.index(min(leasts))
    parts = leasts if len(leasts) > 1 else _leasts(rounds[0])
    pooled = {
        "min": leasts[best],
        "spread": statistics.median(parts) - leasts[best],
        "rounds": sum(map(len, rounds)),
        "calls": entries[best]["stats"]["iterations"] * calls[best],
    }
    return entries[0] | {"stats": pooled, "extra_info": _with_least_queued(entries)}


def _leasts(rounds: Sequence[float]) -> list[float]:
    """The least of each third of one sweep's rounds, in the order in which they were timed."""
    size = -(-len(rounds) // PARTS)
    return [min(rounds[start : start + size]) for start in range(0, len(rounds), size)]


def _with_least_queued(entries: list[Document]) -> dict[str, Any]:
    case: dict[str, Any] = dict(entries[0]["extra_info"]["case"])
    del case["calls_per_run"]
    times = [entry["extra_info"]["case"]["queued"] for entry in entries]
    return {"case": case | {"queued": min(filter(None, times), default=None)}}


def _check(entries: list[Document]) -> Document:
    """A check of the clock: its least times, and of all ratios the median and the spread.

    The spread is how far a ratio of one process is from the median, at most.
    """
    checks: list[dict[str, Any]] = [entry["extra_info"]["clock"] for entry in entries]
    pooled = dict(checks[0])
    for key in ("harness", "timeit", "torch_timer"):
        found = [check[key] for check in checks]
        pooled[key] = None if None in found else min(found)
    for key in ("over_timeit", "over_torch_timer"):
        ratios = [check[key] for check in checks]
        if None not in ratios:
            pooled[key] = statistics.median(ratios)
            if len(ratios) > 1:
                pooled[f"{key}_spread"] = max(abs(ratio - pooled[key]) for ratio in ratios)
    return entries[0] | {"extra_info": {"clock": pooled}}
