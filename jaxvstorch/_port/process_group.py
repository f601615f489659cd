"""A program in a process group of its own: nothing of it stays, and it can use the terminal."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from types import FrameType
from typing import Any

GRACE = 10.0  # seconds between asking a program to stop and ending it
_Handler = Callable[[int, FrameType | None], Any]
_LOOK = 0.05  # seconds between two looks at whether it has ended


class ProcessGroup:
    """A running program, and the processes that it starts.

    Ctrl-C in the terminal reaches this process alone, unless the program reads from the terminal:
    then the program has the terminal, and gets Ctrl-C itself.

    Args:
        command: that starts the program.
        options: of ``subprocess.Popen``.
    """

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        self._process = subprocess.Popen(command, process_group=0, **options)
        self._group = self._process.pid

    @property
    def status(self) -> int | None:
        """The exit status as ``subprocess`` gives it; None while the program runs."""
        return self._process.returncode

    def wait(self, seconds: float) -> bool:
        """Wait for the program's end; whether it came within these seconds."""
        end = time.monotonic() + seconds
        while not self._has_ended():
            if time.monotonic() >= end:
                return False
            time.sleep(_LOOK)
        self._move_terminal(self._group, os.getpgrp())
        return True

    def stop(self, finishes: Callable[[], bool] = lambda: False) -> None:
        """Do to the program and its processes what Ctrl-C does, and end what is left of them.

        Args:
            finishes: whether the program has ended, and its process only has to finish its report,
                which takes as long as it takes.
        """
        with suppress(KeyboardInterrupt):  # a second Ctrl-C ends them at once
            ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # by the program too
            self._send(signal.SIGTERM if ignored else signal.SIGINT)
            self._send(signal.SIGCONT)
            end = time.monotonic() + GRACE
            while not (self.wait(0.0) and self._is_empty()):
                if time.monotonic() >= end and (self.status is not None or not finishes()):
                    break
                time.sleep(_LOOK)
        if self.status is None or not self._is_empty():
            self._send(signal.SIGKILL)
        self._process.wait()
        self._move_terminal(self._group, os.getpgrp())

    def suspending(self) -> AbstractContextManager[None]:
        """Let Ctrl-Z stop the program too."""

        def suspend(number: int, frame: FrameType | None) -> None:
            self._send(signal.SIGSTOP)
            os.kill(os.getpid(), signal.SIGSTOP)
            self._send(signal.SIGCONT)

        return _handling({signal.SIGTSTP: suspend})

    def _has_ended(self) -> bool:
        if self._process.returncode is not None:
            return True
        try:
            pid, status = os.waitpid(self._group, os.WNOHANG | os.WUNTRACED)
        except ChildProcessError:  # whoever started us ignores SIGCHLD
            self._process.returncode = 0
            return True
        if pid == 0:
            return False
        if os.WIFSTOPPED(status):
            self._continue(os.WSTOPSIG(status))
            return False
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return True

    def _continue(self, why: int) -> None:
        """Go on with a program that stopped because it reads from the terminal, or by Ctrl-Z."""
        if why not in (signal.SIGTTIN, signal.SIGTTOU, signal.SIGTSTP) or _foreground() is None:
            return  # whoever stopped it continues it
        self._move_terminal(self._group, os.getpgrp())
        if why == signal.SIGTSTP or _foreground() != os.getpgrp():
            os.killpg(os.getpgrp(), signal.SIGSTOP)  # the shell continues it
        self._move_terminal(os.getpgrp(), self._group)
        self._send(signal.SIGCONT)

    def _move_terminal(self, old: int, new: int) -> None:
        if _foreground() != old or threading.current_thread() is not threading.main_thread():
            return
        before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # or doing so would stop us
        try:
            with suppress(OSError), open("/dev/tty", "rb", buffering=0) as terminal:
                os.tcsetpgrp(terminal.fileno(), new)
        finally:
            signal.signal(signal.SIGTTOU, before)

    def _is_empty(self) -> bool:
        try:
            os.killpg(self._group, 0)
        except (ProcessLookupError, PermissionError):  # macOS's error where only zombies are left
            return True
        return False

    def _send(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._group, number)


def interruptible() -> AbstractContextManager[None]:
    """Let SIGTERM and SIGHUP do what Ctrl-C does, where they are not ignored."""
    interrupt = signal.default_int_handler
    return _handling({signal.SIGTERM: interrupt, signal.SIGHUP: interrupt})


@contextmanager
def _handling(handlers: dict[signal.Signals, _Handler]) -> Iterator[None]:
    """Replace the default handling of signals; Python does that in its main thread alone."""
    in_main = threading.current_thread() is threading.main_thread()
    replaced = [n for n in handlers if in_main and signal.getsignal(n) is signal.SIG_DFL]
    for number in replaced:
        signal.signal(number, handlers[number])
    try:
        yield
    finally:
        for number in replaced:
            signal.signal(number, signal.SIG_DFL)


def _foreground() -> int | None:
    """The process group that the terminal belongs to; None without a terminal."""
    try:
        with open("/dev/tty", "rb", buffering=0) as terminal:
            return os.tcgetpgrp(terminal.fileno())
    except OSError:
        return None
