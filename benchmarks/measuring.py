"""Times one or more sessions, and writes one file of results."""

import importlib.util
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from benchmarks import machine, origin, selection, sessions
from benchmarks.one_framework import NO_CASE, Document
from benchmarks.report.entries import HEADER
from benchmarks.report.files import ResultsError, write_document
from benchmarks.selection import FRAMEWORKS
from benchmarks.sessions import Process


def run(
    output: Path, quick: bool = False, select: str = "",
    minutes: float | None = None, count: int = 1, first_calls: bool = True,
) -> int:  # fmt: skip
    """Time everything and write one results file, also where Ctrl-C or SIGTERM stops it.

    Args:
        output: where to write it.
        quick: only the few cases of a quick session.
        select: of these, only the ones whose name this pytest expression (``-k``) matches.
        minutes: about how long the first session may take, shared between the frameworks. What does
            not begin in time is left out.
        count: how many sessions, one after the other.
        first_calls: whether the first three sessions time first calls and new shapes.

    Returns:
        How many problems there were; the file names them.

    Raises:
        ResultsError: pytest-benchmark is missing; or ``select`` matches no case, or cannot be read:
            then nothing is written; or the file cannot be written: then the results are in a
            temporary folder, which is named.
    """
    start, commit = time.perf_counter(), origin.commit(origin.ROOT)
    installed = [name for name in FRAMEWORKS if importlib.util.find_spec(name) is not None]
    missing = [f"{name} is not installed: left out" for name in FRAMEWORKS if name not in installed]
    gpu_memory, without = machine.gpu_memory(installed)
    end = start + 60 * minutes if minutes is not None else None
    choice = _choice(quick, select, gpu_memory) + ([] if first_calls else ["--again"])
    timed = sessions.run(installed, choice, count, end, commit)
    _check_plugin({*timed.codes})
    if timed.whole:
        _check_selection(select, quick, {*timed.codes})
    left_out = [*timed.left_out, *_names(timed.lost, quick, select, gpu_memory)]
    # Of a first session that was stopped, the cases are named.
    stopped = range(max(1, timed.whole) + 1, count + 1)
    left_out += [f"session {number} of {count}" for number in stopped]
    seconds = time.perf_counter() - start
    document = {
        "schema": HEADER,
        "date": timed.sessions[-1].date if timed.sessions else sessions.now(),
        "quick": quick,
        "sessions": timed.sessions,
        "select": select,
        "partial": bool(left_out),
        "left_out": left_out,
        "seconds": seconds,
        "commit": commit,
        "image": origin.image(),
        "machine": machine.describe(),
        "settings": {
            "dtype": "float32",
            "matmul_precision": "highest",
            "gpu_memory": gpu_memory,
            **machine.ENVIRONMENT,
        },
        **_facts(timed.facts, seconds, [*without, *missing, *timed.problems]),
        "records": timed.records,
    }
    _keep(document, output)
    return len(document["problems"])


def _facts(
    by_framework: Mapping[str, list[Document]], seconds: float, problems: list[str]
) -> Document:
    """What the processes say of their frameworks, of the time they took, and of what failed."""
    first = {name: facts[0] for name, facts in by_framework.items()}
    every = [facts for several in by_framework.values() for facts in several]
    versions = {k: v for facts in first.values() for k, v in facts["versions"].items()}
    failed = dict.fromkeys(line for facts in every for line in facts["failed"])
    return {
        "versions": {"python": ".".join(map(str, sys.version_info[:3])), **versions},
        "threads": {name: facts["threads"] for name, facts in first.items()},
        "set_up": {name: facts["set_up"] for name, facts in first.items()},
        "devices": {name: facts["device"] for name, facts in first.items()},
        "precision": {name: facts["precision"] for name, facts in first.items()},
        "peak_memory": {name: facts["peak_memory"] for name, facts in first.items()},
        "share": sum(facts["busy"] for facts in every) / seconds,
        "problems": [*problems, *failed],
    }


def _keep(document: Document, output: Path) -> None:
    """Write the results, or keep them in a temporary folder where that fails: they took long."""
    try:
        write_document(document, output)
    except ResultsError as error:
        kept = Path(tempfile.mkdtemp(prefix="jaxvstorch-"), output.name)
        write_document(document, kept)
        raise ResultsError(f"{error}; the results are in {kept}") from error


def _choice(quick: bool, select: str, gpu_memory: int) -> list[str]:
    """The options that choose a framework's cases."""
    choice = ["--quick"] if quick else []
    choice += ["-k", select] if select else []
    return choice + (["--gpu-memory", str(gpu_memory)] if gpu_memory else [])


def _check_plugin(codes: set[int]) -> None:
    """Name the plugin whose options pytest did not know."""
    is_missing = importlib.util.find_spec("pytest_benchmark") is None
    if is_missing and pytest.ExitCode.USAGE_ERROR in codes:
        raise ResultsError("pytest-benchmark is not installed: pip install pytest-benchmark")


def _check_selection(select: str, quick: bool, codes: set[int]) -> None:
    """Refuse a selection of nothing."""
    if not select:
        return
    if codes == {pytest.ExitCode.USAGE_ERROR}:
        raise ResultsError(f"-k {select!r} cannot be read: write it like -k 'one or another'")
    if codes == {NO_CASE}:
        cases = "case of a quick session" if quick else "case"
        example = "tracing.sin_cos-9-jax-compiled"
        raise ResultsError(f"-k {select!r} matches no {cases}: they have names such as {example}")


def _names(lost: Iterable[Process], quick: bool, select: str, gpu_memory: int) -> Iterable[str]:
    """The cases of processes that wrote nothing; only pytest can read a selection."""
    if select:
        return [f"every case of {process} that -k {select!r} selects" for process in lost]
    return [
        str(case)
        for process in lost
        for case in selection.cases(process.framework, quick, gpu_memory, process.synchronous)
    ]
