"""A session: one pytest process per framework, one after another, and one file of results."""

import datetime
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks import machine
from benchmarks.merge import merge

ROOT = Path(__file__).parent.parent
FRAMEWORKS = ("numpy", "jax", "torch")


def run(output: Path, quick: bool = False, select: str = "") -> int:
    """Time everything and write one results file.

    Args:
        output: where to write it.
        quick: only the few cases of a quick session.
        select: of these, only the ones whose name this pytest expression (``-k``) matches.

    Returns:
        How many problems there were; the file names them.
    """
    start = time.perf_counter()
    parts, problems = {}, []
    with tempfile.TemporaryDirectory(prefix="jaxvstorch-") as folder:
        for framework in FRAMEWORKS:
            if importlib.util.find_spec(framework) is None:
                problems.append(f"{framework} is not installed: left out")
                continue
            part = Path(folder, f"{framework}.json")
            problem = _run_framework(framework, part, quick, select)
            if part.exists() and part.read_text():
                parts[framework] = json.loads(part.read_text())
            if problem and not (framework in parts and parts[framework]["session"]["failed"]):
                problems.append(problem)
    document = merge(
        parts,
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        quick=quick,
        seconds=time.perf_counter() - start,
        machine=machine.describe(),
        versions={"python": ".".join(map(str, sys.version_info[:3]))},
        settings={"dtype": "float32", "matmul_precision": "highest", **machine.ENVIRONMENT},
        problems=problems,
    )
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return len(document["problems"])


def _run_framework(framework: str, part: Path, quick: bool, select: str) -> str:
    """Time one framework in a process of its own; returns what went wrong, if anything."""
    command: list[Any] = [
        sys.executable, "-m", "pytest", "benchmarks/bench_cases.py",
        *(["benchmarks/bench_clock.py"] if framework != "numpy" else []),
        "-o", "python_files=bench_*.py", "-o", "python_functions=bench_*",
        "-p", "no:cacheprovider", "-q", "--framework", framework, f"--benchmark-json={part}",
        "--benchmark-disable-gc", "--benchmark-warmup=off", "--benchmark-quiet",
        "--benchmark-timer=time.perf_counter", "--benchmark-min-time=0.001",
        "--benchmark-max-time=0.3",
    ]  # fmt: skip
    command += ["--quick"] if quick else []
    command += ["-k", select] if select else []
    with tempfile.TemporaryDirectory(prefix="jaxvstorch-cache-") as cache:
        # PyTorch remembers on disk which functions met a second shape; each session starts anew.
        # A test that starts a session must not tell it that it is one of that test's workers.
        own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment = {**own, **machine.ENVIRONMENT, "TORCHINDUCTOR_CACHE_DIR": cache}
        done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    if done.returncode in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return ""
    return f"{framework}: pytest ended with exit code {done.returncode}"
