"""A line's mark as a short sign, which needs no colour, and in words."""

from collections.abc import Mapping

from jaxvstorch._explain.explanation_data import Facts
from jaxvstorch._explain.marks import Line, Mark, describe

TIMES = "\N{MULTIPLICATION SIGN}"
SIGNS = {Mark.FAILED: "!!", Mark.PYTHON: "py", Mark.TRACED: "·", Mark.NOT_REACHED: "—"}
WORDS = {
    Mark.FAILED: "it ended here with an error",
    Mark.PYTHON: "Python runs it on every call",
    Mark.TRACED: "traced, and left nothing in a program",
    Mark.NOT_REACHED: "not reached for these arguments",
}


def sign(line: Line) -> str:
    """A line's mark in few characters: ``"A2"``, ``"py"``, ``"A1, 3 in scan body"``."""
    if not line.mark:
        return ""
    operations = describe(line).removeprefix(line.mark if line.mark is not Mark.GRAPH else "")
    parts = [SIGNS.get(line.mark, ""), operations.removeprefix(", ")]
    if line.visits > 1:
        parts.append(times(line))
    return " ".join(part for part in parts if part)


def times(line: Line) -> str:
    """How often a line was traced, as a sign."""
    return f"{TIMES}{line.visits:,}"


def words(line: Line) -> str:
    """A line's mark in words, for screen readers and for those who see it for the first time."""
    if not line.mark:
        return ""
    parts = [WORDS.get(line.mark, ""), in_words(line.operations)]
    if line.visits > 1:
        parts.append(f"traced {line.visits:,} times")
    return "; ".join(part for part in parts if part)


def in_words(operations: Mapping[str, int]) -> str:
    """Numbers of operations by part of a program, in words.

    >>> in_words({"A": 1, "A: scan body": 3})
    '1 operation in program A, 3 in its scan body'
    """
    parts, last_program = [], None
    for where, number in operations.items():
        program, _, part = where.partition(": ")
        if program == last_program:
            parts.append(f"{number:,} in its {part}")
        else:
            inside = f"the {part} of " if part else ""
            parts.append(f"{count(number, 'operation')} in {inside}program {program}")
        last_program = program
    return ", ".join(parts)


def count(number: int, noun: str) -> str:
    """A number and its noun, such as ``"1 operation"`` or ``"2 operations"``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _length(line: Line) -> int:
    return len(describe(line))


def legend(explanation: Facts) -> list[tuple[Line | None, str, str]]:
    """The signs that occur, each with its words and a line that has it."""
    lines = [line for source in explanation.sources for line in source.lines]
    entries: list[tuple[Line | None, str, str]] = []
    in_graph = sorted((line for line in lines if line.mark is Mark.GRAPH), key=_length)
    for inside in (False, True):
        for line in in_graph:
            if any(":" in where for where in line.operations) is inside:
                example = Line(line.number, "", line.mark, line.operations)
                entries.append((line, sign(example), words(example)))
                break
    marks = {line.mark: line for line in lines}
    entries += [(marks[mark], SIGNS[mark], WORDS[mark]) for mark in WORDS if mark in marks]
    # A loop's header is visited once more than its body, when the loop ends.
    several = [line for line in lines if line.mark and line.visits > 1]
    several.sort(key=lambda line: line.mark is not Mark.GRAPH)
    for line in several[:1]:
        meaning = f"traced {line.visits:,} times in one run: Python's loop is unrolled"
        entries.append((None, times(line), meaning))
    return entries
