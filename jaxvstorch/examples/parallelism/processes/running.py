"""Start a program several times on this machine, wait for all, and leave none running."""

import itertools
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from jaxvstorch._frameworks.limits import HANGING

_count = itertools.count()


class Ended(NamedTuple):
    """How a process ended.

    Attributes:
        code: its exit code, or the negative number of the signal that killed it.
        seconds: from the start of the first process to its end.
        said: what it printed, errors too.
    """

    code: int
    seconds: float
    said: str


def run_processes(
    program: str | Path,
    processes: int,
    *arguments: str,
    numbers: Iterable[int] | None = None,
    port: int | None = None,
    **environ: str,
) -> list[Ended]:
    """Start a program once for each process, and wait until all have ended.

    Each gets the address of process 0, the number of processes and its own number: as its first
    arguments, which JAX's programs here read, and in torchrun's variables.

    Args:
        program: a module of this folder by its name, or a file.
        processes: how many there are.
        arguments: more arguments, the same for each.
        numbers: of the processes to start, if not one of each number. Those wait for a number that
            is missing as long as a failure may take, and not as long as a busy machine may.
        port: of process 0; a free one by default.
        environ: more variables of the environment, the same for each.
    """
    named = ["-P", "-m", f"{__package__}.{program}"] if isinstance(program, str) else [str(program)]
    port = port or free_port()
    if numbers is not None:
        environ = {"SECONDS_TO_COME": "5"} | environ
    started = []
    begin = time.monotonic()
    try:
        for process in range(processes) if numbers is None else numbers:
            place = f"127.0.0.1:{port}", str(processes), str(process)
            command = [sys.executable, "-u", *named, *place, *arguments]
            started.append(start(command, variables(port, processes, process) | environ))
        return wait(started, begin)
    finally:
        kill(process for process, _ in started)


def variables(port: int, processes: int, process: int) -> dict[str, str]:
    """What torchrun sets for a process, and what keeps both frameworks on this machine."""
    return {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": str(processes),
        "RANK": str(process),
        "SECONDS_TO_COME": "300",  # until all processes must have come; read by some programs
        "OMP_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": "lo",  # else PyTorch's Gloo resolves the host's name
        "JAX_COORDINATOR_BIND_ADDRESS": f"127.0.0.1:{port}",
    }


def free_port() -> int:
    """A port that nobody listens at, below those that the system itself gives to connections.

    Processes that look for one at the same time look at different ones.
    """
    while True:
        port = 20_000 + (16 * os.getpid() + next(_count)) % 10_000
        with socket.socket() as trial, suppress(OSError):
            trial.bind(("127.0.0.1", port))
            return port


def start(command: list[str], environ: dict[str, str]) -> tuple[subprocess.Popen[str], IO[str]]:
    """Start a command in a group of its own, with more variables; what it prints goes to a file."""
    said = TemporaryFile("w+", errors="replace")  # noqa: SIM115, closed when it has been read
    process = subprocess.Popen(
        command,
        env=os.environ | {"PYTHON_COLORS": "0"} | environ,  # a notebook would have colours
        stdin=subprocess.DEVNULL,
        stdout=said,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    return process, said


def wait(started: list[tuple[subprocess.Popen[str], IO[str]]], begin: float) -> list[Ended]:
    """Wait for all processes; those that hang are killed, and so have the code -9."""
    seconds: dict[int, float] = {}
    deadline = time.monotonic() + HANGING
    while len(seconds) < len(started):
        if time.monotonic() > deadline:
            kill(process for process, _ in started)
        for process, _ in started:
            if process.poll() is not None:
                seconds.setdefault(process.pid, time.monotonic() - begin)
        time.sleep(0.02)
    return [Ended(p.returncode, seconds[p.pid], read(said)) for p, said in started]


def read(said: IO[str]) -> str:
    """What a process printed, without Gloo's line about the processes that it is connected to."""
    with said:
        said.seek(0)
        return "".join(line for line in said if not line.startswith("[Gloo] Rank ")).strip()


def kill(processes: Iterable[subprocess.Popen[str]]) -> None:
    """Kill each process that still runs, with those that it has started."""
    for process in processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
