"""Processes that are asked to stop once, and then have the time to write what they have."""

import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

_NOW_AND_THEN = 0.3  # seconds
_NUMBERS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stoppable() -> Iterator[None]:
    """Take SIGTERM like Ctrl-C; and Ctrl-C also where a shell's background job would ignore it."""
    before = [signal.signal(number, _stop) for number in _NUMBERS]
    try:
        yield
    finally:
        for number, handler in zip(_NUMBERS, before, strict=True):
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    """Stop at the first signal. nox sends SIGTERM after Ctrl-C: it asks for the same again."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def run(
    command: Sequence[Any], meanwhile: Callable[[], None] = lambda: None, **options: Any
) -> int:
    """Run a command to its end and return its exit code; call ``meanwhile`` now and then.

    It has a process group of its own: a terminal's Ctrl-C reaches only this process, which passes
    it on once, so that it does not disturb the writing of results. A second Ctrl-C kills.

    Raises:
        KeyboardInterrupt: this process was stopped; the command has ended before it is raised.
    """
    process, heed = start(command, start_new_session=True, **options)
    try:
        heed()
        while True:
            try:
                return process.wait(timeout=_NOW_AND_THEN)
            except subprocess.TimeoutExpired:
                meanwhile()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        try:
            process.wait()
        except KeyboardInterrupt:
            process.kill()
            process.wait()
        raise


def start(
    command: Sequence[Any], **options: Any
) -> tuple[subprocess.Popen[Any], Callable[[], None]]:
    """Start a process; Ctrl-C is held back until the second of what this returns is called.

    Else a Ctrl-C that came when the process ran already and ``Popen`` had not yet returned would
    leave a process that nobody waits for. The call raises it, and so belongs into a ``try``.
    """
    held: list[int] = []
    before = {
        number: signal.signal(number, lambda number, frame: held.append(number))
        for number in _NUMBERS
        if callable(signal.getsignal(number))
    }

    def heed() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)
        for heard in held:
            signal.raise_signal(heard)

    try:
        return subprocess.Popen(command, **options), heed
    except BaseException:
        heed()
        raise
