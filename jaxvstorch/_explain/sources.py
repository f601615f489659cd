"""The sources that an explanation shows, each line with its mark."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from types import CodeType

from jaxvstorch._explain.explanation_data import Program
from jaxvstorch._explain.marks import Line, Mark, Source
from jaxvstorch._explain.observations import Location, Observations, Operation, count
from jaxvstorch._explain.python import statements
from jaxvstorch._explain.python.shown_files import ShownFiles
from jaxvstorch._explain.python.statements import Function, SourceFile
from jaxvstorch._frameworks.installed import is_installed


def sources_to_show(
    code: CodeType | None, shown_files: ShownFiles, observed: Observations
) -> tuple[tuple[Source, ...], list[str]]:
    """The sources to show, and sentences about what is missing.

    For a function from an installed package, other functions of that package are shown only if they
    left something in a program.
    """
    parsed = statements.read(code.co_filename) if code else None
    if code and parsed and (code.co_name, code.co_firstlineno) not in parsed.code_starts:
        return (), ["The lines: the file is not the one that was imported; import it again."]
    sources = read_sources((code.co_filename, code.co_firstlineno), observed) if code else ()
    if not sources:
        return (), ["The lines: the function has no source in Python that could be read."]
    if not _was_read(sources[0]):
        # Others may have been read: what a dispatcher chose, or a rule of differentiation.
        others = tuple(s for s in sources[1:] if _was_read(s) and not is_installed(s.file))
        if others:
            why = f" of {sources[0].name}: none was read or run; what ran in its place is shown."
        elif observed.has_failed:
            why = ": it ended with an error before any of them was read."
        else:
            why = ": the compiler took the function as a whole, and did not read them."
        return others, [f"The lines{why}"]
    if not shown_files.is_installed:
        return sources, []
    left = [s for s in sources[1:] if any(line.mark in _LEFT for line in s.lines)]
    hidden = len(sources) - 1 - len(left)
    more = "1 more function" if hidden == 1 else f"{hidden} more functions"
    note = f"{more} of the same package ran; no operation names a line there."
    return (sources[0], *left), [note] if hidden else []


def count_without_line(
    programs: Iterable[Program], operations: Iterable[Operation], sources: Iterable[Source]
) -> tuple[Program, ...]:
    """The programs, each with its number of operations that name no line of these sources."""
    lines = {(source.file, line.number) for source in sources for line in source.lines}
    unplaced: dict[str, list[Operation]] = {}
    for operation in operations:
        if not lines.intersection(operation.stack):
            unplaced.setdefault(operation.where.partition(":")[0], []).append(operation)
    return tuple(replace(p, without_line=count(unplaced.get(p.name, ()))) for p in programs)


def _was_read(source: Source) -> bool:
    return any(line.mark not in (Mark.BLANK, Mark.NOT_REACHED) for line in source.lines)


_LEFT = (Mark.FAILED, Mark.PYTHON, Mark.GRAPH)


def read_sources(entry: Location, observed: Observations) -> tuple[Source, ...]:
    """The explained function's source, then those of the functions that it called.

    Functions of installed packages come last.

    Args:
        entry: the file and the first line of the explained function.
        observed: what was observed while it was traced or run.
    """
    by_start: dict[Location, Source] = {}
    for file, lines in {entry[0]: set(), **observed.files()}.items():
        parsed = statements.read(file)
        if parsed is None:
            continue
        line_records = by_statement(observed, file, parsed)
        for function in _shown(parsed, lines, entry[1] if file == entry[0] else None):
            by_start[file, function.first] = source_of(
                file, parsed, function, observed, line_records
            )
    first = min((p for p in by_start if p[0] == entry[0] and p[1] <= entry[1]),
                key=lambda p: entry[1] - p[1], default=None)  # fmt: skip
    return tuple(
        by_start[p] for p in sorted(by_start, key=lambda p: (p != first, is_installed(p[0]), p))
    )


def _shown(parsed: SourceFile, lines: set[int], entry: int | None) -> list[Function]:
    """The functions to show: the outermost ones with an observed line of their own."""
    active = {around[-1] for line in lines if (around := parsed.enclosing(line))}
    entered = [f for f in parsed.functions if f.first == entry]
    active |= set(entered[:1])
    shown = {
        f
        for f in active
        if not any(g != f and g.first <= f.first and f.last <= g.last for g in active)
    }
    # Code outside any function: a lambda at the top level of a module, shown with its statement.
    loose = {
        parsed.statement_starts.get(n, n)
        for n in [*lines, *([entry] if entry else [])]
        if not parsed.enclosing(n)
    }
    for first in loose:
        last = max(
            (n for n, begin in parsed.statement_starts.items() if begin == first), default=first
        )
        shown.add(Function(_name_of_lambda(parsed, first), first, last, first))
    return sorted(shown, key=lambda f: f.first)


def _name_of_lambda(parsed: SourceFile, line: int) -> str:
    name, equals, value = parsed.lines[line - 1].partition(" = ")
    is_assigned = equals and name.strip().isidentifier() and not value.startswith(("[", "{", "("))
    return name.strip() if is_assigned else "<lambda>"


@dataclass
class _LineRecord:
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


def by_statement(observed: Observations, file: str, parsed: SourceFile) -> dict[int, _LineRecord]:
    """A record of what was observed of each statement, by its first line."""
    by_line: dict[int, _LineRecord] = {}

    def at(line: int) -> _LineRecord:
        return by_line.setdefault(parsed.statement_starts.get(line, line), _LineRecord())

    for (where, line), visits in observed.visits.items():
        if where == file and line in parsed.statement_starts:
            at(line).visits = visits
    for header in {loop.header for loop in parsed.loops} & by_line.keys():
        by_line[header].visits = 1  # it runs once more than the body, and is not part of it
    for header in parsed.with_headers & by_line.keys():
        by_line[header].visits = (by_line[header].visits + 1) // 2
    for operation in observed.operations:
        for line in {
            parsed.statement_starts.get(n, n) for where, n in operation.stack if where == file
        }:
            at(line).operations[operation.where] += operation.number
    for where, line in observed.python:
        if where == file:
            at(line).python = True
    if observed.failed and observed.failed[0] == file:
        at(observed.failed[1]).failed = True
    return by_line


def source_of(
    file: str,
    parsed: SourceFile,
    function: Function,
    observed: Observations,
    line_records: dict[int, _LineRecord],
) -> Source:
    """A function's lines, each with its mark."""
    runs = _runs(file, parsed, function, observed)
    nothing, lines = _LineRecord(), []
    for number in range(function.first, min(function.last, len(parsed.lines)) + 1):
        known_record = line_records.get(number)
        record = known_record or nothing
        is_statement = number in parsed.executable and number >= function.body
        mark = record.mark() if known_record or is_statement else Mark.BLANK
        if mark is Mark.NOT_REACHED and not runs:
            mark = Mark.BLANK  # only a function inside it ran
        if number < function.body and mark is not Mark.FAILED:
            mark = Mark.BLANK  # decorators and the header ran when the function was made
        operations = dict(sorted(record.operations.items()))
        lines.append(Line(number, parsed.lines[number - 1], mark, operations, record.visits))
    return Source(function.name, file, runs, tuple(lines))


def _runs(file: str, parsed: SourceFile, function: Function, observed: Observations) -> int:
    """How often a function was entered; for a statement with lambdas, the largest number."""
    runs = observed.runs.get((file, function.first), 0)
    if runs or function in parsed.functions:
        return runs
    return max(observed.runs.get((file, n), 0) for n in range(function.first, function.last + 1))
