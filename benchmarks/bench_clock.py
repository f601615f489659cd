"""Checks the harness's own clock at the end of a session, beside clocks in bare processes."""

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from benchmarks import clock
from jaxvstorch.measure import warm
from jaxvstorch.waiting import in_fair_thread, one_pass

Ask = Callable[[str, str], float]
Process = subprocess.Popen[str]
WITH_TORCH = importlib.util.find_spec("torch") is not None


@pytest.fixture(scope="session")
def ask(framework: str) -> Iterator[Ask]:
    """Asks bare processes that stay alive, so that the clocks can take turns.

    PyTorch's timer measures JAX from a process of its own, for it brings PyTorch along.
    """
    wanted = {"timeit"} if framework == "jax" else {framework}
    if framework == "jax" and WITH_TORCH:
        wanted.add("torch")
    processes = {key: _start(framework, key) for key in sorted(wanted)}
    for process in processes.values():  # they import at the same time
        _line(process)

    def ask(timer: str, name: str) -> float:
        return _ask(processes[timer if framework == "jax" else framework], f"{timer} {name}")

    yield ask
    for process in processes.values():
        process.communicate()


def _start(framework: str, timer: str) -> Process:
    command = [sys.executable, clock.__file__, framework, timer]
    return subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _ask(process: Process, request: str) -> float:
    assert process.stdin is not None
    print(request, file=process.stdin, flush=True)
    return float(_line(process))


def _line(process: Process) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


@pytest.mark.parametrize("turn", range(3))
@pytest.mark.parametrize("name", clock.NAMES)
def bench_clock(
    name: str, turn: int, framework: str, ask: Ask, benchmark: Any, stopwatch: Any
) -> None:
    """One turn: the harness, then the other clocks."""

    def measure() -> None:
        function, arguments = clock.prepare(framework, name)
        run = one_pass(function, [arguments] * 4)
        warm(run)
        benchmark(run)

    with stopwatch.running():
        in_fair_thread(measure, with_torch=framework == "torch")
        by_timeit = ask("timeit", name)
        by_torch = ask("torch", name) if WITH_TORCH else None
    benchmark.extra_info["clock"] = {
        "framework": framework,
        "function": name,
        "timeit": by_timeit,
        "torch_timer": by_torch,
        "calls_per_run": 4,
    }
