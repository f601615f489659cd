"""How the command ends when it is interrupted or cannot write: with a status, no traceback."""

import errno
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import IO

INTERRUPTED = 130  # the status that a shell gives a command which Ctrl-C ended
CLOSED = 141  # and to one that wrote to a closed pipe
NOT_WRITTEN = 2
_EXTENSIONS = ("numpy", "jax", "jaxlib", "torch")
_WRITING = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def stop_at_once() -> None:
    """Let Ctrl-C end this process silently while it imports: there is nothing to lose yet."""
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, _interrupt):
        signal.signal(signal.SIGINT, _end)


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise ``KeyboardInterrupt``, but exit at once while a framework is being imported.

    Extension modules would print its traceback, and then raise ``ImportError`` or continue.
    """
    while frame is not None:
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if package in _EXTENSIONS and frame.f_code.co_name == "<module>":
            _end(number, frame)
        frame = frame.f_back
    raise KeyboardInterrupt


def run(name: str, command: Callable[[], int | None]) -> int:
    """Run a command in this process, and return the exit status.

    Args:
        name: printed in front of a message.
        command: returns its status, or raises ``SystemExit``.

    Returns:
        The command's own status; 130 after Ctrl-C, 141 if nobody reads its output any more, 2 if
        its output cannot be written, such as on a full disk.
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
            # When nobody reads a pipe any more, typer replaces the stream, and rich replaces it by
            # the null device. Both then exit with 1.
            failure = BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
    except KeyboardInterrupt:
        status, failure = INTERRUPTED, None
    stop_at_once()
    failure = _flush(out) or failure
    return status if failure is None else _not_written(name, failure, out)


def _file(out: IO[str]) -> object:
    """What a stream writes to; equal for two streams that write to the same."""
    try:
        status = os.fstat(out.fileno())
    except OSError:  # it writes to no file, as in a test
        return None
    return status.st_dev, status.st_ino


def _status(command: Callable[[], int | None]) -> tuple[int, OSError | None]:
    """A command's status, and why its output could not be written, if it could not."""
    try:
        return command() or 0, None
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None), None
    except OSError as error:
        # An error from opening a file names the file; one from writing to a stream names none.
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
    """Say that the output is lost, if anyone can read that, and drop the rest of it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, out.fileno())  # Python flushes it again when it ends
    os.close(nowhere)
    if failure.errno == errno.EPIPE:
        return CLOSED
    with suppress(OSError):
        print(f"{name}: the output cannot be written: {failure.strerror}", file=sys.stderr)
    return NOT_WRITTEN
