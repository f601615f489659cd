"""Works out what became of each line of a function, from what was seen."""

from collections import Counter
from dataclasses import dataclass, field

from jaxvstorch._explain.marks import Line, Mark, Source
from jaxvstorch._explain.python.statements import File, Function
from jaxvstorch._explain.seen import Seen


@dataclass
class _OnLine:
    operations: Counter[str] = field(default_factory=Counter)
    visits: int = 0
    python: bool = False
    failed: bool = False

    def mark(self) -> Mark:
        if self.failed:
            return Mark.FAILED
        if self.python:
            return Mark.PYTHON
        if self.operations:
            return Mark.GRAPH
        return Mark.TRACED if self.visits else Mark.NOT_REACHED


def by_statement(seen: Seen, file: str, text: File) -> dict[int, _OnLine]:
    """What happened to each statement, by its first line."""
    found: dict[int, _OnLine] = {}

    def at(line: int) -> _OnLine:
        return found.setdefault(text.begins.get(line, line), _OnLine())

    for (where, line), visits in seen.visits.items():
        if where == file and line in text.begins:
            at(line).visits = visits
    for header in {loop.header for loop in text.loops} & found.keys():
        found[header].visits = 1  # it runs once more than the body, and is not part of it
    for header in text.twice & found.keys():
        found[header].visits = (found[header].visits + 1) // 2
    for operation in seen.operations:
        for line in {text.begins.get(n, n) for where, n in operation.stack if where == file}:
            at(line).operations[operation.where] += 1
    for where, line in seen.python:
        if where == file:
            at(line).python = True
    if seen.failed and seen.failed[0] == file:
        at(seen.failed[1]).failed = True
    return found


def source_of(
    file: str, text: File, function: Function, seen: Seen, on_lines: dict[int, _OnLine]
) -> Source:
    """A function's lines, each with its mark."""
    runs = _runs(file, text, function, seen)
    nothing, lines = _OnLine(), []
    for number in range(function.first, min(function.last, len(text.lines)) + 1):
        found = on_lines.get(number)
        happened = found or nothing
        stands = number in text.executable and number >= function.body
        mark = happened.mark() if found or stands else Mark.BLANK
        if mark is Mark.NOT_REACHED and not runs:
            mark = Mark.BLANK  # only a function inside it ran
        if number < function.body and mark is not Mark.FAILED:
            mark = Mark.BLANK  # decorators and the header ran when the function was made
        operations = dict(sorted(happened.operations.items()))
        lines.append(Line(number, text.lines[number - 1], mark, operations, happened.visits))
    return Source(function.name, file, runs, tuple(lines))


def _runs(file: str, text: File, function: Function, seen: Seen) -> int:
    """How often a function was entered; for a statement with lambdas, the largest number."""
    runs = seen.runs.get((file, function.first), 0)
    if runs or function in text.functions:
        return runs
    return max(seen.runs.get((file, n), 0) for n in range(function.first, function.last + 1))
