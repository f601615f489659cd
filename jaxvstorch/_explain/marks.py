"""What became of a line: its mark, and the line and the source that have it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Mark(StrEnum):
    """What became of a line. If several things happened to it, the first one in this list."""

    FAILED = "failed"  # tracing, or the function itself, ended here with an error
    PYTHON = "python"  # Python runs it on every call, outside of what was compiled
    GRAPH = "graph"  # operations in a compiled program
    TRACED = "traced"  # it ran, or was read, while tracing, and left nothing in the program
    NOT_REACHED = "not reached"  # not run with these arguments, so the compiler never saw it
    BLANK = ""  # no statement begins here: blank, a comment, a docstring, the rest of a statement


@dataclass(frozen=True)
class Line:
    """One line of source. What a statement on several lines did is on its first line.

    Attributes:
        number: in its file, from 1.
        text: without the line's end.
        mark: what became of it.
        operations: the number of operations by place: ``"A"``, or ``"A: scan body"`` for a part of
            a program. Those of functions that it calls are included.
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
        name: the qualified name.
        file: its path.
        runs: how often it was traced from its first line.
        lines: from the first line to the last.
    """

    name: str
    file: str
    runs: int
    lines: tuple[Line, ...]


def describe(line: Line) -> str:
    """What became of a line, in short: ``"A2"``, ``"A1, 3 in scan body"``, ``"not reached"``.

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
