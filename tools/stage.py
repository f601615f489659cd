"""A command with a deadline: asked to stop in time to keep what it has, and then ended."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

sys.path.append(str(Path(__file__).parents[1]))  # the project is not installed for this
from benchmarks import processes

_PR_SET_CHILD_SUBREAPER = 36  # of linux/prctl.h


@dataclass(frozen=True)
class Ended:
    """How a command ended.

    Attributes:
        code: its exit status; negative where a signal ended it.
        cut: its time was over before it ended by itself.
        seconds: how long it ran.
    """

    code: int
    cut: bool
    seconds: float


def run(
    command: Sequence[str], folder: Path, environ: Mapping[str, str],
    output: IO[str], errors: IO[str], seconds: float, grace: float,
) -> Ended:  # fmt: skip
    """Run a command, and leave no process of it.

    It gets SIGINT, as from Ctrl-C, when its time is over or when this process is interrupted.

    Args:
        command: the command and its arguments.
        folder: where it runs.
        environ: its environment.
        output: gets its standard output.
        errors: gets its standard error.
        seconds: how long it may run.
        grace: how many seconds more it may take to stop.

    Raises:
        KeyboardInterrupt: this process was interrupted; the command has ended.
    """
    start = time.monotonic()
    process, heed = processes.start(
        list(command), cwd=folder, env=dict(environ), stdin=subprocess.DEVNULL,
        stdout=output, stderr=errors, start_new_session=True,
    )  # fmt: skip
    cut = False
    try:
        heed()
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        cut = True
        _stop(process, grace)
    except KeyboardInterrupt:
        _stop(process, grace)
        raise
    finally:
        _end_all()
    return Ended(process.wait(), cut, time.monotonic() - start)


def adopt_orphans() -> None:
    """Become the parent of what a command leaves behind, so that it can be found and ended."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _stop(process: subprocess.Popen[bytes], grace: float) -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(grace)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _end_all() -> None:
    """Kill every descendant of this process; one that its kernel does not let go is left."""
    give_up = time.monotonic() + 5
    while (found := _descendants()) and time.monotonic() < give_up:
        for number in found:
            # It may have ended by itself, and another process may be the one to hear of its end.
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(number, signal.SIGKILL)
                os.waitpid(number, os.WNOHANG)
        time.sleep(0.02)


def _descendants() -> list[int]:
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text(errors="replace")
        except OSError:  # it has ended
            continue
        # The name, in brackets, may hold anything.
        parents[int(path.parent.name)] = int(text.rpartition(")")[2].split()[1])
    found = [os.getpid()]
    for number in found:
        found += [child for child, parent in parents.items() if parent == number]
    return found[1:]
