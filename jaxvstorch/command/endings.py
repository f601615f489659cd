"""How a command ends that is stopped, or whose output goes nowhere: with a status, no traceback."""

import errno
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import IO

INTERRUPTED = 130  # what a shell says of a command that Ctrl-C ended
CLOSED = 141  # and of one that wrote to a pipe which nobody reads any more
NOT_WRITTEN = 2
_EXTENSIONS = ("numpy", "jax", "jaxlib", "torch")
_WRITING = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def stop_at_once() -> None:
    """Have Ctrl-C end this process without a word, while it has nothing to lose: as it imports."""
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, _interrupt):
        signal.signal(signal.SIGINT, _end)


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise ``KeyboardInterrupt``, but end at once where a framework is being imported.

    Extension modules print it with its traceback, and then raise ``ImportError`` or go on.
    """
    while frame is not None:
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if package in _EXTENSIONS and frame.f_code.co_name == "<module>":
            _end(number, frame)
        frame = frame.f_back
    raise KeyboardInterrupt


def run(name: str, command: Callable[[], int | None]) -> int:
    """Run a command in this process, which ends with the status that is returned.

    Args:
        name: what stands before a message.
        command: returns its status, or leaves with ``SystemExit``.

    Returns:
        The command's own status; 130 where Ctrl-C stopped it, 141 where nobody reads its output
        any more, 2 where its output cannot be written, such as on a full disk.
    """
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # it was closed when Python began
            setattr(sys, stream, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    out, file = sys.stdout, _file(sys.stdout)
    with suppress(AttributeError):  # it was replaced by something simpler
        out.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, _interrupt)
    try:
        status, failure = _status(command)
        if sys.stdout is not out or _file(out) != file:
            # Where nobody reads a pipe any more, typer puts another stream in its place, and rich
            # the null device. Both then leave with 1.
            failure = BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
    except KeyboardInterrupt:
        status, failure = INTERRUPTED, None
    stop_at_once()
    failure = _flush(out) or failure
    return status if failure is None else _not_written(name, failure, out)


def _file(out: IO[str]) -> object:
    """What a stream writes to, such that two are equal where it is the same."""
    try:
        found = os.fstat(out.fileno())
    except OSError:  # it writes to no file, as in a test
        return None
    return found.st_dev, found.st_ino


def _status(command: Callable[[], int | None]) -> tuple[int, OSError | None]:
    """A command's status, and why its output could not be written, if it could not."""
    try:
        return command() or 0, None
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None), None
    except OSError as error:
        # An error that opening a file has met names the file. Writing to a stream names none.
        if error.errno not in _WRITING or error.filename is not None:
            raise
        return NOT_WRITTEN, error


def _flush(out: IO[str]) -> OSError | None:
    try:
        out.flush()
    except OSError as error:
        return error
    return None


def _not_written(name: str, failure: OSError, out: IO[str]) -> int:
    """Say that the output is lost, where someone is there to read it; drop what is left of it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, out.fileno())  # Python flushes it again when it ends
    os.close(nowhere)
    if failure.errno == errno.EPIPE:
        return CLOSED
    with suppress(OSError):
        print(f"{name}: the output cannot be written: {failure.strerror}", file=sys.stderr)
    return NOT_WRITTEN
