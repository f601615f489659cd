"""Processes that are asked to stop once, and then have the time to write what they have."""

import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def stoppable() -> Iterator[None]:
    """Take SIGTERM like Ctrl-C; and Ctrl-C also where a shell's background job would ignore it."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, _stop) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    """Stop at the first signal. nox sends SIGTERM after Ctrl-C: that is the same wish again."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def run(command: Sequence[Any], **options: Any) -> int:
    """Run a command to its end and return its exit code.

    It has a process group of its own: a terminal's Ctrl-C reaches only this process, which passes
    it on once, so that it does not disturb the writing of results. A second Ctrl-C kills.

    Raises:
        KeyboardInterrupt: this process was stopped; the command has ended before it is raised.
    """
    process = subprocess.Popen(command, start_new_session=True, **options)
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        try:
            process.wait()
        except KeyboardInterrupt:
            process.kill()
            process.wait()
        raise
