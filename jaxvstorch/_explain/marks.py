"""Lines of source, each with a mark that says what the compiler made of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Mark(StrEnum):
    """What the compiler made of a line; if several marks apply, the first one in this list."""

    FAILED = "failed"  # tracing, or the function itself, ended here with an error
    PYTHON = "python"  # Python runs it on every call, outside of what was compiled
    GRAPH = "graph"  # operations in a compiled program
    TRACED = "traced"  # it ran, or was read, while tracing, and left nothing in the program
    NOT_REACHED = "not reached"  # not run with these arguments, so the compiler never saw it
    BLANK = ""  # no statement begins here: blank, a comment, a docstring, the rest of a statement


@dataclass(frozen=True)
class Line:
    """One line of source. A statement on several lines has its mark on the first one.

    Attributes:
        number: the line number in its file, from 1.
        text: the line without its end.
        mark: what the compiler made of it.
        operations: the number of operations by program, ``"A"``, or by part of a program,
            ``"A: scan body"``. Those of functions that it calls are included.
        visits: how often it was traced in one run of its function; more than once means that a
            Python loop around it was unrolled. The header of a loop counts once.
    """

    number: int
    text: str
    mark: Mark = Mark.BLANK
    operations: Mapping[str, int] = field(default_factory=dict)
    visits: int = 0


@dataclass(frozen=True)
class Source:
    """One function's source.

    Attributes:
        name: the function's qualified name.
        file: the path of its file.
        runs: how often it was traced from its first line.
        lines: its lines, from the first to the last.
    """

    name: str
    file: str
    runs: int
    lines: tuple[Line, ...]


def describe(line: Line) -> str:
    """A line's mark in short: ``"A2"``, ``"A1, 3 in scan body"``, ``"not reached"``.

    >>> describe(Line(3, "y = x + 1", Mark.GRAPH, {"A": 1, "A: scan body": 3}))
    'A1, 3 in scan body'
    """
    parts: list[str] = []
    named = ""  # the program that the last part named
    for where, number in line.operations.items():
        program, _, part = where.partition(": ")
        inside = f"{number} in {part}" if program == named else f"{program}: {number} in {part}"
        parts.append(inside if part else f"{program}{number}")
        named = program
    if line.mark is Mark.GRAPH:
        return ", ".join(parts)
    return ", ".join([str(line.mark), *parts])
