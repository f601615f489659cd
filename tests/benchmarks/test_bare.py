"""The bare processes of the clock check, and the server of first calls, beside a session."""

import os
import signal
import subprocess
import sys

import pytest
from needs import needs_compiler

from benchmarks import clock
from benchmarks.bare import WITH_TORCH, BareClocks


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_bare_clocks_measure_and_end(framework) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    clocks = BareClocks(framework)
    processes = clocks._processes()
    # JAX has a process without PyTorch, and one with its timer.
    assert len(processes) == (2 if framework == "jax" and WITH_TORCH else 1)
    try:
        clocks.wait()
        for timer in clocks.timers:
            assert 0 < clocks.ask(timer, clock.SHORTEST, 10) < 1
    finally:
        clocks.stop()
    assert all(process.returncode is not None for process in processes)


def test_control_c_is_not_the_bare_clocks() -> None:
    """It reaches every process of a terminal; a session that goes on needs them, or stops them."""
    pytest.importorskip("jax", reason="JAX is not installed")
    clocks = BareClocks("jax")
    try:
        clocks.wait()
        for process in clocks._processes():
            os.kill(process.pid, signal.SIGINT)
        assert all(clocks.ask(timer, clock.SHORTEST, 10) > 0 for timer in clocks.timers)
    finally:
        clocks.stop()


# In a process of its own: a server that is there already would be taken.
STARTING = """
import time
from jaxvstorch.measure import fresh

if __name__ == "__main__":
    start = time.perf_counter()
    fresh.start_server("{framework}")
    started = time.perf_counter() - start
    seconds = fresh.set_up_of_server("{framework}")
    ready = time.perf_counter() - start
    start = time.perf_counter()
    assert fresh.set_up_of_server("{framework}") == seconds
    print(started, ready, time.perf_counter() - start, seconds)
"""


@pytest.mark.parametrize("framework", ["jax", pytest.param("torch", marks=needs_compiler)])
def test_the_server_of_first_calls_is_started_without_waiting(framework, tmp_path) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    script = tmp_path / "starting.py"
    script.write_text(STARTING.format(framework=framework), encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    started, ready, again, seconds = map(float, done.stdout.split())
    assert started < ready / 2
    assert again < ready / 2  # it has imported everything
    assert (seconds > 0) == (framework == "torch")
