"""Sessions: each goes once through the set of cases, with processes of its own.

In a session every framework is timed in a process of its own, and JAX in a second one too, in which
its calls on a CPU hand nothing over to another thread.
"""

import datetime
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import machine, one_framework
from benchmarks.one_framework import Document
from benchmarks.progress import Progress
from benchmarks.report.entries import Record, Session
from jaxvstorch._command import terminal


@dataclass(frozen=True)
class Process:
    """One process of a session.

    Attributes:
        framework: what it times.
        weight: what part of the time it takes, about. With these all get through the same part of
            the cases.
        options: of its command line.
        first_calls: the weight that timing first calls adds.
    """

    framework: str
    weight: int
    options: tuple[str, ...] = ()
    first_calls: int = 0

    def __str__(self) -> str:
        return f"{self.framework}, synchronous" if self.synchronous else self.framework

    @property
    def synchronous(self) -> bool:
        """Whether it times JAX with asynchronous dispatch switched off."""
        return SYNCHRONOUS in self.options


FIRST_CALLS = 3  # sessions; compiling takes much longer than what its times differ by
SYNCHRONOUS = "--synchronous"
PROCESSES = (
    Process("numpy", 4),
    Process("jax", 6, first_calls=2),
    Process("jax", 3, (SYNCHRONOUS,)),
    Process("torch", 10, first_calls=10),
)


@dataclass(frozen=True)
class Timed:
    """What all sessions measured.

    Attributes:
        records: what was timed.
        facts: by framework, what each of its processes says of itself.
        left_out: the cases that the processes of the first session did not come to.
        lost: the processes of the first session that wrote nothing: they crashed or never ran.
        codes: the exit codes of those that ran.
        problems: what went wrong in a process as a whole.
        sessions: those in which something was timed.
        whole: in how many all processes ended.
    """

    records: list[Record]
    facts: dict[str, list[Document]]
    left_out: list[str]
    lost: list[Process]
    codes: list[int]
    problems: list[str]
    sessions: tuple[Session, ...]
    whole: int


def run(
    frameworks: Sequence[str], choice: list[str], count: int, end: float | None, commit: str
) -> Timed:
    """Time the cases; Ctrl-C ends it early.

    Args:
        frameworks: which.
        choice: the options that choose the cases.
        count: how many sessions; first calls are timed in the first ``FIRST_CALLS`` of them.
        end: no case of the first session begins after it, by ``time.perf_counter``.
        commit: of the code.
    """
    processes = [process for process in PROCESSES if process.framework in frameworks]
    alike = [p.weight for p in processes]
    first = alike if "--again" in choice else [p.weight + p.first_calls for p in processes]
    weights = [w for number in range(count) for w in (first if number < FIRST_CALLS else alike)]
    progress = Progress(weights, terminal.console(stderr=True))
    codes: dict[tuple[int, Process], int] = {}
    begun: dict[int, float] = {}
    busy: dict[int, list[float]] = {}  # cores, by others, during its processes
    ended: dict[int, Session] = {}
    machine.adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="jaxvstorch-") as folder:
        paths = {
            (number, process): Path(folder, f"{number}-{position}.json")
            for number in range(count)
            for position, process in enumerate(processes)
        }
        try:
            with progress:
                for (number, process), path in paths.items():
                    of_all = f"session {number + 1} of {count}, " if count > 1 else ""
                    progress.begin(f"{of_all}{process}")
                    begun.setdefault(number, time.perf_counter())
                    limits = (
                        []
                        if number
                        else _limit(end, process, dict(zip(processes, first, strict=True)))
                    )
                    limits += ["--again"] if number >= FIRST_CALLS else []
                    start, before = time.perf_counter(), machine.work_of_others()
                    try:
                        codes[number, process] = one_framework.run(
                            process.framework, path, [*choice, *process.options, *limits], progress
                        )
                    finally:
                        if before is not None and (after := machine.work_of_others()) is not None:
                            cores = (after - before) / (time.perf_counter() - start)
                            busy.setdefault(number, []).append(max(0.0, round(cores, 3)))
                        seconds = time.perf_counter() - begun[number]
                        others = max(busy[number]) if number in busy else None
                        ended[number] = Session(now(), seconds, commit, others)
        except KeyboardInterrupt:
            print("stopped: what was measured is kept", file=sys.stderr)
        written = {key: one_framework.read(path) for key, path in paths.items()}
    return _timed(processes, codes, ended, written)


def _timed(
    processes: Sequence[Process],
    codes: dict[tuple[int, Process], int],
    ended: dict[int, Session],
    written: dict[tuple[int, Process], Document],
) -> Timed:
    problems = [
        line
        for (number, process), code in codes.items()
        for line in one_framework.problem(process.framework, code, written[number, process])
    ]
    kept = [number for number in ended if any(written[number, process] for process in processes)]
    records: list[Record] = []
    facts: dict[str, list[Document]] = {}
    left_out: list[str] = []
    for (number, process), document in written.items():
        if document:
            session = kept.index(number)
            records += [record(entry, session) for entry in document["benchmarks"]]
            facts.setdefault(process.framework, []).append(document["session"])
            left_out += [] if session else document["session"]["left_out"]
    return Timed(
        records,
        facts,
        left_out,
        [p for p in processes if not written[0, p] and codes.get((0, p)) != one_framework.NO_CASE],
        [code for (number, _), code in codes.items() if not number],
        list(dict.fromkeys(problems)),
        tuple(ended[number] for number in kept),
        sum(all((number, process) in codes for process in processes) for number in ended),
    )


def record(entry: Document, session: int) -> Record:
    """One case of one session: the least of its rounds, per call.

    How many calls a run has is each session's own choice.
    """
    case, stats = dict(entry["extra_info"]["case"]), entry["stats"]
    seconds = stats["min"] / case.pop("calls_per_run")
    return Record(session=session, seconds=seconds, rounds=stats["rounds"], **case)


def _limit(end: float | None, process: Process, weights: dict[Process, int]) -> list[str]:
    """The seconds for the cases of one process, of what is left for it and those after it."""
    if end is None:
        return []
    left = list(weights.values())[list(weights).index(process) :]
    share = left[0] / sum(left)
    return ["--seconds", str(max(0.0, (end - time.perf_counter()) * share))]


def now() -> str:
    """The time, in ISO 8601."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
