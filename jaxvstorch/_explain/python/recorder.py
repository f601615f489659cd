"""Traces shown code while it runs: counts how often its statements begin, and calls back."""

import inspect
import sys
from collections import Counter
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from jaxvstorch._explain.observations import Location
from jaxvstorch._explain.python import statements
from jaxvstorch._explain.python.statements import SourceFile

# Functions of their own for Python 3.11, and for all versions where they are generators.
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


class Visits:
    """Counts statements, not lines: a call on three lines returns to its first line.

    Attributes:
        counts: by the first line of the statement.
    """

    def __init__(self, name: str, parsed: SourceFile | None) -> None:
        """Args: the function's name, and its file, where there is one."""
        self.counts: Counter[int] = Counter()
        self._is_comprehension = name in COMPREHENSIONS
        self._parsed = parsed
        self._last = (0, 0)

    def line(self, line: int, position: int) -> None:
        """A line is about to run; ``position`` is that of the instruction it begins with."""
        statement = self._parsed.statement_starts.get(line, line) if self._parsed else line
        last, last_position = self._last
        self._last = (statement, position)
        begins = statement != last or (position < last_position and self._is_in_loop(line))
        is_counted = self._is_comprehension and self.counts[statement]  # part of one statement
        if begins and not is_counted:
            self.counts[statement] += 1

    def _is_in_loop(self, line: int) -> bool:
        loops = self._parsed.loops if self._parsed else ()
        return any(loop.header <= line <= loop.last for loop in loops)


class Recorder:
    """Traces shown code with ``sys.settrace`` inside a ``with`` block, and restores what was there.

    Attributes:
        visits: by the first line of a statement, the most times that it ran in one run of its
            function.
        runs: by file and first line, how often a function was entered.
    """

    def __init__(
        self,
        is_shown: Callable[[str], bool],
        on_opcode: Callable[[FrameType], None] | None = None,
        on_line: Callable[[FrameType, int | None], None] | None = None,
        is_generated: Callable[[CodeType], bool] = lambda code: False,
        on_library: Callable[[FrameType], None] | None = None,
    ) -> None:
        """Make a recorder.

        Args:
            is_shown: whether a file's lines are shown.
            on_opcode: called before each instruction of shown code.
            on_line: called before each line of shown code with the frame and the line, and with
                ``None`` when a function is entered or left.
            is_generated: whether a compiler wrote a code object; the parts of it that belong to no
                line of the function are on its first line, which then does not count.
            on_library: called when a function that is not shown is entered.
        """
        self.visits: dict[Location, int] = {}
        self.runs: Counter[Location] = Counter()
        self._is_shown = is_shown
        self._on_opcode = on_opcode
        self._on_line = on_line
        self._is_generated = is_generated
        self._on_library = on_library
        self._raised: tuple[BaseException, Location] | None = None
        self._files: dict[str, SourceFile | None] = {}
        self._frames: dict[FrameType, Visits] = {}

    def __enter__(self) -> "Recorder":
        self._before = sys.gettrace()
        sys.settrace(self._call)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(self._before)
        for frame in list(self._frames):
            self._leave(frame)

    def _call(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        is_function = bool(code.co_flags & inspect.CO_OPTIMIZED)
        is_class = frame.f_back in self._frames  # in a function, and not the body of a module
        is_shown = (is_function or is_class) and self._is_shown(code.co_filename)
        if not is_shown:
            if self._on_library is not None:
                self._on_library(frame)
            return None
        if frame not in self._frames:  # a generator is entered again for each item
            self._frames[frame] = Visits(code.co_name, self._file(code.co_filename))
            if code.co_name not in COMPREHENSIONS:  # which may begin on the function's first line
                self.runs[code.co_filename, code.co_firstlineno] += 1
            frame.f_trace = self._inside  # from Python 3.12 on, opcodes are traced only where set
            frame.f_trace_opcodes = self._on_opcode is not None and is_function
            self._notify(frame, None)
        return self._inside

    def _inside(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "opcode" and self._on_opcode is not None:
            self._on_opcode(frame)
        elif event == "line" and (
            frame.f_lineno != frame.f_code.co_firstlineno or not self._is_generated(frame.f_code)
        ):
            self._notify(frame, frame.f_lineno)
            self._frames[frame].line(frame.f_lineno, frame.f_lasti)
        elif event == "exception":
            if self._raised is None or self._raised[0] is not arg[1]:
                self._raised = (arg[1], (frame.f_code.co_filename, frame.f_lineno))
        elif event == "return":
            self._notify(frame, None)
            if not frame.f_code.co_flags & inspect.CO_GENERATOR:  # which will be entered again
                self._leave(frame)
        return self._inside

    @property
    def trace_functions(self) -> tuple[Callable[..., Any], ...]:
        """The functions that Python calls while it traces."""
        return self._call, self._inside

    def _file(self, name: str) -> SourceFile | None:
        if name not in self._files:
            self._files[name] = statements.read(name)
        return self._files[name]

    def _notify(self, frame: FrameType, line: int | None) -> None:
        if self._on_line is not None:
            self._on_line(frame, line)

    def raised(self, error: BaseException) -> Location | None:
        """The innermost shown line that an error passed through, if it was the last error."""
        return self._raised[1] if self._raised and self._raised[0] is error else None

    def _leave(self, frame: FrameType) -> None:
        for line, count in self._frames.pop(frame).counts.items():
            location = (frame.f_code.co_filename, line)
            self.visits[location] = max(count, self.visits.get(location, 0))
