"""One framework's part of a session: a pytest process of its own, and the file that it writes."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import machine, processes
from benchmarks.origin import ROOT
from benchmarks.progress import Progress

Document = dict[str, Any]  # what pytest-benchmark writes
NO_CASE = pytest.ExitCode.NO_TESTS_COLLECTED


def run(framework: str, part: Path, choice: list[str], progress: Progress) -> int:
    """Time one framework in a process of its own; returns its exit code.

    What pytest prints is shown where something went wrong.

    PyTorch's caches are in the part's folder, so that a later session finds there what an earlier
    one compiled. First calls have none: they are timed in processes of their own.
    """
    # A test that starts a session must not tell it that it is one of that test's workers.
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    cache = {"TORCHINDUCTOR_CACHE_DIR": str(part.parent / "cache")}
    environment = inherited | machine.ENVIRONMENT | cache
    told, printed = part.with_suffix(".told"), part.with_suffix(".txt")
    with printed.open("w") as output:
        code = processes.run(
            [*command(framework, part, choice), f"--tell={told}"],
            lambda: progress.look(told),
            cwd=ROOT, env=environment, stdout=output,
        )  # fmt: skip
    if code not in (pytest.ExitCode.OK, NO_CASE):
        print(printed.read_text(), file=sys.stderr)
    return code


def command(framework: str, part: Path, choice: list[str]) -> list[Any]:
    """The command line of that process.

    Args:
        framework: which.
        part: the file that it writes.
        choice: the options that choose its cases.
    """
    return [
        sys.executable, "-m", "pytest", "benchmarks/bench_cases.py",
        "-o", "python_files=bench_*.py", "-o", "python_functions=bench_*",
        "-p", "no:cacheprovider", "-q", "--framework", framework, f"--benchmark-json={part}",
        "--benchmark-disable-gc", "--benchmark-warmup=off", "--benchmark-quiet",
        "--benchmark-timer=time.perf_counter", "--benchmark-min-time=0.001",
        "--benchmark-max-time=0.3",
        # Not every framework need have a case that is selected.
        "-W", "ignore:Not saving anything, no benchmarks have been run",
        # A case that was stopped while it compiled has not been timed yet.
        "-W", "ignore:Benchmark fixture was not used at all in this test",
        # A case may take as long as it needs, unlike a test.
        "-o", "faulthandler_timeout=0",
        *choice,
    ]  # fmt: skip


def read(path: Path) -> Document:
    """What one framework's process wrote; empty where nothing ran, or where it is cut off."""
    try:
        part: Document = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return part


def problem(framework: str, code: int, part: Document) -> list[str]:
    """What went wrong in one framework's process as a whole, if anything."""
    if code in (pytest.ExitCode.OK, NO_CASE):
        return []
    if part and part["session"]["failed"]:
        return []  # each failure is named there
    return [f"{framework}: pytest ended with exit code {code}"]
