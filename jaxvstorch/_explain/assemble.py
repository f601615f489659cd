"""Assigns visits and operations to the lines of source that they belong to."""

from collections.abc import Iterable
from dataclasses import replace
from types import CodeType

from jaxvstorch._explain.facts import Program
from jaxvstorch._explain.marks import Mark, Source
from jaxvstorch._explain.on_lines import by_statement, source_of
from jaxvstorch._explain.operations import Operation, Place, count
from jaxvstorch._explain.python import statements
from jaxvstorch._explain.python.own import OwnCode
from jaxvstorch._explain.python.statements import File, Function
from jaxvstorch._explain.seen import Seen
from jaxvstorch._frameworks.installed import is_installed


def shown(code: CodeType | None, own: OwnCode, seen: Seen) -> tuple[tuple[Source, ...], list[str]]:
    """The sources to show, and what is missing.

    For a function from an installed package, other functions of that package are shown only if they
    left something in a program.
    """
    text = statements.read(code.co_filename) if code else None
    if code and text and (code.co_name, code.co_firstlineno) not in text.codes:
        return (), ["The lines: the file is not the one that was imported; import it again."]
    found = sources((code.co_filename, code.co_firstlineno), seen) if code else ()
    if not found:
        return (), ["The lines: the function has no source in Python that could be read."]
    if not _was_read(found[0]):
        # Others may have been: what a dispatcher chose, or a rule of differentiation.
        others = tuple(s for s in found[1:] if _was_read(s) and not is_installed(s.file))
        if others:
            why = f" of {found[0].name}: none was read or run; what ran in its place is shown."
        elif seen.has_failed:
            why = ": it ended with an error before any of them was read."
        else:
            why = ": the compiler took the function as a whole, and did not read them."
        return others, [f"The lines{why}"]
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
    """The programs, each with the number of operations that come from no line of these sources."""
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
    """The explained function's source, then those of the functions that it called.

    Functions of installed packages come last.

    Args:
        entry: the file and the first line of the explained function.
        seen: what happened.
    """
    found: dict[Place, Source] = {}
    for file, lines in {entry[0]: set(), **seen.files()}.items():
        text = statements.read(file)
        if text is None:
            continue
        on_lines = by_statement(seen, file, text)
        for function in _shown(text, lines, entry[1] if file == entry[0] else None):
            found[file, function.first] = source_of(file, text, function, seen, on_lines)
    first = min((p for p in found if p[0] == entry[0] and p[1] <= entry[1]),
                key=lambda p: entry[1] - p[1], default=None)  # fmt: skip
    return tuple(found[p] for p in sorted(found, key=lambda p: (p != first, is_installed(p[0]), p)))


def _shown(text: File, lines: set[int], entry: int | None) -> list[Function]:
    """The functions to show: the outermost ones in whose own lines something happened."""
    active = {around[-1] for line in lines if (around := text.enclosing(line))}
    entered = [f for f in text.functions if f.first == entry]
    active |= set(entered[:1])
    shown = {
        f
        for f in active
        if not any(g != f and g.first <= f.first and f.last <= g.last for g in active)
    }
    # Code outside any function: a lambda at the top level of its module, shown with its statement.
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
