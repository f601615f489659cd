"""A session: one pytest process per framework, one after another, and one file of results."""

import datetime
import importlib.util
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from benchmarks import accelerator, machine, one_framework, origin, shards
from benchmarks.merge import Document, merge
from benchmarks.one_framework import NO_CASE, ROOT
from benchmarks.selection import FRAMEWORKS
from benchmarks.shards import Shard
from jaxvstorch.results import ResultsError, write_document

CLOCK_SECONDS = 45.0  # what a framework's clock check takes, on two slow cores
# What of the rest each takes, about. With these all get through the same part of the cases.
WEIGHTS = {"numpy": 1, "jax": 2, "torch": 5}


def run(
    output: Path, quick: bool = False, select: str = "", shard: Shard | None = None,
    minutes: float | None = None,
) -> int:  # fmt: skip
    """Time everything and write one results file, also where Ctrl-C or SIGTERM stops it.

    Args:
        output: where to write it.
        quick: only the few cases of a quick session.
        select: of these, only the ones whose name this pytest expression (``-k``) matches.
        shard: of these, only the ones of this shard.
        minutes: about how long it may take, shared between the frameworks. What does not begin in
            time is left out.

    Returns:
        How many problems there were; the file names them.

    Raises:
        ResultsError: ``select`` matches no case, or cannot be read: then nothing is written; or the
            file cannot be written: then the results are in a temporary folder, which is named.
    """
    start, commit = time.perf_counter(), origin.commit(ROOT)
    gpu_memory, without = accelerator.memory(_installed())
    end = start + 60 * minutes if minutes is not None else None
    parts, problems, lost = _time_all(quick, select, shard, gpu_memory, end)
    left_out = [name for part in parts.values() for name in part["session"]["left_out"]]
    left_out += _names(lost, quick, select, shard, gpu_memory)
    document = merge(
        parts,
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        quick=quick,
        select=select,
        shard=str(shard or ""),
        partial=bool(left_out),
        left_out=left_out,
        seconds=time.perf_counter() - start,
        commit=commit,
        image=origin.image(),
        machine=machine.describe(),
        versions={"python": ".".join(map(str, sys.version_info[:3]))},
        settings={
            "dtype": "float32",
            "matmul_precision": "highest",
            "gpu_memory": gpu_memory,
            **machine.ENVIRONMENT,
        },
        problems=[*without, *problems],
    )
    _keep(document, output)
    return len(document["problems"])


def _keep(document: Document, output: Path) -> None:
    """Write the results; elsewhere where that fails, for they took long."""
    try:
        write_document(document, output)
    except ResultsError as error:
        kept = Path(tempfile.mkdtemp(prefix="jaxvstorch-"), output.name)
        write_document(document, kept)
        raise ResultsError(f"{error}; the results are in {kept}") from error


def _installed() -> list[str]:
    return [name for name in FRAMEWORKS if importlib.util.find_spec(name) is not None]


def _time_all(
    quick: bool, select: str, shard: Shard | None, gpu_memory: int, end: float | None
) -> tuple[dict[str, Document], list[str], list[str]]:
    """What was measured by framework, the problems, and the frameworks whose cases are missing."""
    installed = _installed()
    problems = [
        f"{name} is not installed: left out" for name in FRAMEWORKS if name not in installed
    ]
    choice = ["--quick"] * quick + (["-k", select] if select else [])
    choice += ["--shard", str(shard)] if shard else []
    choice += ["--gpu-memory", str(gpu_memory)] if gpu_memory else []
    codes: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="jaxvstorch-") as folder:
        paths = {name: Path(folder, f"{name}.json") for name in installed}
        try:
            for name, path in paths.items():
                left = [each for each in paths if each not in codes]
                own = ["--seconds", str(_share(end, left))] if end is not None else []
                codes[name] = one_framework.run(name, path, choice + own)
        except KeyboardInterrupt:
            print("stopped: what was measured is kept", file=sys.stderr)
        found = {name: one_framework.read(path) for name, path in paths.items()}
    parts = {name: part for name, part in found.items() if part}
    if len(codes) == len(installed):
        _check_selection(select, quick, shard, {*codes.values()})
    for name, code in codes.items():
        problems += one_framework.problem(name, code, found[name])
    # What pytest found no case for is not missing. A process that crashed has written nothing.
    lost = [name for name in installed if name not in parts and codes.get(name) != NO_CASE]
    return parts, problems, lost


def _check_selection(select: str, quick: bool, shard: Shard | None, codes: set[int]) -> None:
    """Refuse a selection of nothing. A shard may have nothing of one: another can have all."""
    if not select:
        return
    if codes == {pytest.ExitCode.USAGE_ERROR}:
        raise ResultsError(f"-k {select!r} cannot be read: say -k 'one or another'")
    if codes == {NO_CASE} and shard is None:
        cases = "case of a quick session" if quick else "case"
        example = "tracing.sin_cos-9-jax-compiled"
        raise ResultsError(f"-k {select!r} matches no {cases}: they have names such as {example}")


def _share(end: float, left: list[str]) -> float:
    """The seconds for the cases of the first of the frameworks that are left."""
    checks = CLOCK_SECONDS * sum(name != "numpy" for name in left)
    weights = [WEIGHTS[name] for name in left]
    return max(0.0, (end - time.perf_counter() - checks) * weights[0] / sum(weights))


def _names(
    frameworks: Iterable[str], quick: bool, select: str, shard: Shard | None, gpu_memory: int
) -> Iterable[str]:
    """The cases of frameworks whose process wrote nothing; only pytest can read a selection."""
    if select:
        return [f"every case of {framework} that -k {select!r} selects" for framework in frameworks]
    return [
        str(case) for name in frameworks for case in shards.cases(name, quick, shard, gpu_memory)
    ]
