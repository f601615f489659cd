"""Bare processes, in which other clocks than the harness's time a call."""

import importlib.util
import subprocess
import sys

from benchmarks.clock import timers

WITH_TORCH = importlib.util.find_spec("torch") is not None

Process = subprocess.Popen[str]


class BareClocks:
    """Processes that stay alive and time a round when asked.

    PyTorch's timer measures JAX from a process of its own, for it brings PyTorch along.
    """

    def __init__(self, framework: str) -> None:
        """Start them, and wait until all of them have imported what they need."""
        self.timers = ("timeit", "torch") if WITH_TORCH else ("timeit",)
        wanted = self.timers if framework == "jax" else (framework,)
        processes = {key: _start(framework, key) for key in wanted}
        self._by_timer = {
            timer: processes[timer if framework == "jax" else framework] for timer in self.timers
        }
        for process in processes.values():
            _line(process)

    def ask(self, timer: str, name: str, number: int) -> float:
        """One round of a timer, in seconds per call."""
        process = self._by_timer[timer]
        assert process.stdin is not None
        print(timer, number, name, file=process.stdin, flush=True)
        return float(_line(process))

    def stop(self) -> None:
        """End them."""
        for process in self._processes():
            with process:  # closes its pipes, and waits for it
                process.kill()  # its own end takes up to a second

    def _processes(self) -> list[Process]:
        return list(dict.fromkeys(self._by_timer.values()))


def _start(framework: str, timer: str) -> Process:
    command = [sys.executable, timers.__file__, framework, timer]
    return subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _line(process: Process) -> str:
    assert process.stdout is not None
    return process.stdout.readline()
