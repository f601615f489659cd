"""Puts visits and operations on the lines of the sources that they belong to."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from types import CodeType

from jaxvstorch.explainer import statements
from jaxvstorch.explainer.explanation import Line, Mark, Program, Source
from jaxvstorch.explainer.operations import Operation, Place, count
from jaxvstorch.explainer.own import OwnCode, is_installed
from jaxvstorch.explainer.statements import File, Function


@dataclass
class Seen:
    """What was seen of own code while a function was traced or run.

    Attributes:
        visits: by place, how often a line was traced in one run of its function, at most.
        runs: by file and first line, how often a function was entered.
        operations: of all programs.
        python: lines that Python runs on every call.
        failed: the line where it ended with an error, where that is known.
        has_failed: whether it ended with one.
    """

    visits: dict[Place, int] = field(default_factory=dict)
    runs: Counter[Place] = field(default_factory=Counter)
    operations: list[Operation] = field(default_factory=list)
    python: set[Place] = field(default_factory=set)
    failed: Place | None = None
    has_failed: bool = False

    def files(self) -> dict[str, set[int]]:
        """By file, the lines that anything happened on."""
        found: dict[str, set[int]] = {}
        places = [*self.visits, *self.python, *([self.failed] if self.failed else [])]
        for operation in self.operations:
            places += operation.stack
        for file, line in places:
            found.setdefault(file, set()).add(line)
        return found


def shown(code: CodeType | None, own: OwnCode, seen: Seen) -> tuple[tuple[Source, ...], list[str]]:
    """The sources to show, and what is missing of them.

    Of a function from an installed package only those of its package's other functions are shown
    that left something in a program.
    """
    found = sources((code.co_filename, code.co_firstlineno), seen) if code else ()
    if not found:
        return (), ["The lines: the function has no source in Python that could be read."]
    if not _was_read(found[0]):
        # Others may have been: what a dispatcher chose, or a rule of differentiation.
        others = tuple(s for s in found[1:] if _was_read(s) and not is_installed(s.file))
        why = "the compiler took the function as a whole, and did not read them."
        why = "it ended with an error before any of them was read." if seen.has_failed else why
        what = f" of {found[0].name}: none was read or run; what ran in its place is shown."
        return others, [f"The lines{what}" if others else f"The lines: {why}"]
    if not own.is_installed:
        return found, []
    left = [s for s in found[1:] if any(line.mark in _LEFT for line in s.lines)]
    hidden = len(found) - 1 - len(left)
    more = "1 more function" if hidden == 1 else f"{hidden} more functions"
    note = f"{more} of the same package ran; no operation names a line there."
    return (found[0], *left), [note] if hidden else []


def without_lines(
    programs: Iterable[Program], operations: Iterable[Operation], sources: Iterable[Source]
) -> tuple[Program, ...]:
    """The programs, each told how many of its operations come from no line of these sources."""
    lines = {(source.file, line.number) for source in sources for line in source.lines}
    found: dict[str, list[Operation]] = {}
    for operation in operations:
        if not lines.intersection(operation.stack):
            found.setdefault(operation.where.partition(":")[0], []).append(operation)
    return tuple(replace(p, without_line=count(found.get(p.name, ()))) for p in programs)


def _was_read(source: Source) -> bool:
    return any(line.mark not in (Mark.BLANK, Mark.NOT_REACHED) for line in source.lines)


_LEFT = (Mark.FAILED, Mark.PYTHON, Mark.GRAPH)


def sources(entry: Place, seen: Seen) -> tuple[Source, ...]:
    """The explained function's source first, then those of the functions that it called.

    Of these, those of installed packages come last.

    Args:
        entry: the file and the first line of the explained function.
        seen: what happened.
    """
    found: dict[Place, Source] = {}
    for file, lines in {entry[0]: set(), **seen.files()}.items():
        text = statements.read(file)
        if text is None:
            continue
        on_lines = _by_statement(seen, file, text)
        for function in _shown(text, lines, entry[1] if file == entry[0] else None):
            found[file, function.first] = _source(file, text, function, seen, on_lines)
    first = min((p for p in found if p[0] == entry[0] and p[1] <= entry[1]),
                key=lambda p: entry[1] - p[1], default=None)  # fmt: skip
    return tuple(found[p] for p in sorted(found, key=lambda p: (p != first, is_installed(p[0]), p)))


def _shown(text: File, lines: set[int], entry: int | None) -> list[Function]:
    """The functions to show: the outermost of those in whose own lines something happened."""
    active = {around[-1] for line in lines if (around := text.enclosing(line))}
    entered = [f for f in text.functions if f.first == entry]
    active |= set(entered[:1])
    shown = {
        f
        for f in active
        if not any(g != f and g.first <= f.first and f.last <= g.last for g in active)
    }
    # What stands in no function: a lambda at the top level of its module, shown with its statement.
    loose = {
        text.begins.get(n, n)
        for n in [*lines, *([entry] if entry else [])]
        if not text.enclosing(n)
    }
    for first in loose:
        last = max((n for n, begin in text.begins.items() if begin == first), default=first)
        shown.add(Function(_name_of_lambda(text, first), first, last, first))
    return sorted(shown, key=lambda f: f.first)


def _name_of_lambda(text: File, line: int) -> str:
    name, equals, value = text.lines[line - 1].partition(" = ")
    is_its_own = equals and name.strip().isidentifier() and not value.startswith(("[", "{", "("))
    return name.strip() if is_its_own else "<lambda>"


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


def _by_statement(seen: Seen, file: str, text: File) -> dict[int, _OnLine]:
    """What happened to each statement, by its first line."""
    found: dict[int, _OnLine] = {}

    def at(line: int) -> _OnLine:
        return found.setdefault(text.begins.get(line, line), _OnLine())

    for (where, line), visits in seen.visits.items():
        if where == file and line in text.begins:
            at(line).visits = visits
    for header in {loop.header for loop in text.loops} & found.keys():
        found[header].visits = 1  # it runs once more than the body, and is no part of it
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


def _source(
    file: str, text: File, function: Function, seen: Seen, on_lines: dict[int, _OnLine]
) -> Source:
    runs = _runs(file, text, function, seen)
    nothing, lines = _OnLine(), []
    for number in range(function.first, min(function.last, len(text.lines)) + 1):
        found = on_lines.get(number)
        happened = found or nothing
        stands = number in text.executable and number >= function.body
        mark = happened.mark() if found or stands else Mark.BLANK
        if mark is Mark.NOT_REACHED and not runs:
            mark = Mark.BLANK  # only a function inside of it ran
        if number < function.body and mark is not Mark.FAILED:
            mark = Mark.BLANK  # decorators and the header ran when the function was made
        operations = dict(sorted(happened.operations.items()))
        lines.append(Line(number, text.lines[number - 1], mark, operations, happened.visits))
    return Source(function.name, file, runs, tuple(lines))


def _runs(file: str, text: File, function: Function, seen: Seen) -> int:
    """How often a function was entered; of a statement with lambdas, the one most often."""
    runs = seen.runs.get((file, function.first), 0)
    if runs or function in text.functions:
        return runs
    return max(seen.runs.get((file, n), 0) for n in range(function.first, function.last + 1))
