"""Counts how often the statements of one function begin, in one run of it."""

from collections import Counter

from jaxvstorch._explain.python.statements import File

_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


class Visits:
    """Counts statements, not lines: a call on three lines returns to its first line.

    Attributes:
        counts: by the first line of the statement.
    """

    def __init__(self, name: str, text: File | None) -> None:
        """Args: the function's name, and its file, where there is one."""
        self.counts: Counter[int] = Counter()
        self._is_comprehension = name in _COMPREHENSIONS
        self._text = text
        self._last = (0, 0)

    def line(self, line: int, position: int) -> None:
        """A line is about to run; ``position`` is that of the instruction it begins with."""
        statement = self._text.begins.get(line, line) if self._text else line
        last, last_position = self._last
        self._last = (statement, position)
        begins = statement != last or (position < last_position and self._is_in_loop(line))
        is_counted = self._is_comprehension and self.counts[statement]  # part of one statement
        if begins and not is_counted:
            self.counts[statement] += 1

    def _is_in_loop(self, line: int) -> bool:
        loops = self._text.loops if self._text else ()
        return any(loop.header <= line <= loop.last for loop in loops)
