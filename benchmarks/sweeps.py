"""Sweeps over the set of cases, minutes apart: what else a machine does can last for a while.

In each, every framework is timed in a process of its own. A case's rounds are pooled. First calls
are timed in the first sweep only.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks import one_framework
from benchmarks.merge import Document

SWEEPS = 3  # of a full session; a quick one, and one with a limit of time, has one
PARTS = 3  # that the rounds are cut into where there is one sweep

# What part of the time each takes, about. With these all get through the same part of the cases.
WEIGHTS = {"numpy": 1, "jax": 2, "torch": 5}

_Process = tuple[int, str]  # its sweep and its framework


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
            (sweep, framework): Path(folder, f"{sweep}-{framework}.json")
            for sweep, framework in product(range(count), frameworks)
        }
        try:
            for (sweep, framework), path in paths.items():
                own = ["--again"] if sweep else _limit(end, framework, frameworks)
                codes[sweep, framework] = one_framework.run(framework, path, choice + own)
        except KeyboardInterrupt:
            print("stopped: what was measured is kept", file=sys.stderr)
        found = {process: one_framework.read(path) for process, path in paths.items()}
    problems = [
        line
        for process, code in codes.items()
        for line in one_framework.problem(process[1], code, found[process])
    ]
    return Timed(
        {
            framework: pool(first, [found[sweep, framework] for sweep in range(1, count)])
            for framework in frameworks
            if (first := found[0, framework])
        },
        {framework: codes[0, framework] for framework in frameworks if (0, framework) in codes},
        list(dict.fromkeys(problems)),
        sum(all((sweep, name) in codes for name in frameworks) for sweep in range(count)),
    )


def _limit(end: float | None, name: str, frameworks: Sequence[str]) -> list[str]:
    """The seconds for the cases of one framework, of what is left for it and those after it."""
    if end is None:
        return []
    left = frameworks[frameworks.index(name) :]
    share = WEIGHTS[name] / sum(WEIGHTS[other] for other in left)
    return ["--seconds", str(max(0.0, (end - time.perf_counter()) * share))]


def pool(first: Document, later: Iterable[Document]) -> Document:
    """The first document of one framework, with what its later processes found."""
    later = [part for part in later if part]
    again: dict[str, list[Document]] = {}
    for entry in (entry for part in later for entry in part["benchmarks"]):
        again.setdefault(entry["name"], []).append(entry)
    benchmarks = [_pooled([entry, *again.get(entry["name"], [])]) for entry in first["benchmarks"]]
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
