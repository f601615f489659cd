"""Which lines and findings a rendering shows where, and which lines it folds."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby

from jaxvstorch.explainer.explanation import Explanation, Finding, Line, Mark, Source
from jaxvstorch.explainer.own import is_installed
from jaxvstorch.explainer.signs import WORDS

BOOK = "https://jaxvstorch.github.io/jaxvstorch/"

# Kinds of findings that are called otherwise where a person reads them.
KINDS = {"break": "graph break", "failed": "error"}

# Lines in a row of which nothing else is to be said are folded from so many on. Those of a program
# are what a reader came for, so more of them stay.
_FOLD = 12
_FOLD_IN_PROGRAM = 40
# So are lines of which some were traced and others not reached; sooner in a library, of which a
# reader wants to see what it put into the program.
_FOLD_QUIET = 40
_FOLD_QUIET_IN_LIBRARY = 12
_ENDS = 2  # lines that stay at each end of what is folded
_BRIDGED = 3  # blank lines between two lines of the same mark that do not part them


@dataclass(frozen=True)
class Stretch:
    """Some lines in a row, to be shown as they are or folded into one."""

    lines: tuple[Line, ...]
    folded: bool = False

    def label(self) -> str:
        """What the folded lines have in common, such as ``"40 lines, all in program A"``."""
        return f"{len(self.lines)} lines{_in_common(self.lines)}"


def link(finding: Finding) -> str:
    """The address of the page of the book that explains a finding; empty where there is none."""
    return f"{BOOK}topics/{finding.page}.html" if finding.page else ""


Placed = dict[tuple[int, int], list[Finding]]


def place(explanation: Explanation) -> tuple[Placed, list[Finding]]:
    """The findings by index of a source and number of a line, and those that stand at no line."""
    shown: dict[tuple[str, int], int] = {}
    for index, source in enumerate(explanation.sources):
        for line in source.lines:
            shown.setdefault((source.file, line.number), index)
    placed: Placed = {}
    elsewhere = []
    for finding in explanation.findings:
        where = shown.get((finding.file, finding.line))
        if where is None:
            elsewhere.append(finding)
        else:
            placed.setdefault((where, finding.line), []).append(finding)
    return placed, elsewhere


def stretches(source: Source, remarked: Collection[int]) -> Iterator[Stretch]:
    """A source's lines, the long and unremarkable runs among them folded.

    Args:
        source: whose lines.
        remarked: numbers of the lines at which findings stand.
    """
    keys = [_key(line) if line.number not in remarked else None for line in source.lines]
    _bridge(keys)
    _silence(keys, _FOLD_QUIET_IN_LIBRARY if is_installed(source.file) else _FOLD_QUIET)
    open_lines: list[Line] = []
    position = 0
    for key, run in groupby(keys):
        length = len(list(run))
        lines = source.lines[position : position + length]
        position += length
        limit = _FOLD_IN_PROGRAM if key and key[0] is Mark.GRAPH else _FOLD
        if key is None or length <= limit:
            open_lines += lines
            continue
        yield Stretch((*open_lines, *lines[:_ENDS]))
        yield Stretch(lines[_ENDS:-_ENDS], folded=True)
        open_lines = list(lines[-_ENDS:])
    yield Stretch(tuple(open_lines))


def indent(texts: list[str]) -> int:
    """The columns that all lines are indented by: a method is shown as far left as a function."""
    return min((len(text) - len(text.lstrip()) for text in texts if text.strip()), default=0)


_Key = tuple[Mark, frozenset[str], int]
_BLANK: _Key = (Mark.BLANK, frozenset(), 0)
_QUIET: _Key = (Mark.TRACED, frozenset(), -1)


def _key(line: Line) -> _Key | None:
    """What lines must share to be folded together; ``None`` for one that must be seen."""
    if not line.mark:
        return _BLANK
    if line.mark in (Mark.FAILED, Mark.PYTHON):
        return None
    programs = frozenset(where.partition(":")[0] for where in line.operations)
    return line.mark, programs, line.visits if line.visits > 1 else 0


def _bridge(keys: list[_Key | None]) -> None:
    """Let a few blank lines between two lines of one kind count as lines of that kind."""
    last: tuple[int, _Key | None] = (-1, None)
    for position, key in enumerate(keys):
        if key == _BLANK:
            continue
        before, same = last
        if key == same and 1 < position - before <= _BRIDGED + 1:
            keys[before + 1 : position] = [key] * (position - before - 1)
        last = (position, key)


def _silence(keys: list[_Key | None], limit: int) -> None:
    """Let long runs of lines that left nothing in a program count as one kind."""
    position = 0
    for quiet, run in groupby(keys, lambda key: key is not None and key[0] is not Mark.GRAPH):
        found = list(run)
        if quiet and len(found) > limit:
            keys[position : position + len(found)] = [_QUIET] * len(found)
        position += len(found)


def _in_common(lines: tuple[Line, ...]) -> str:
    line = next((line for line in lines if line.mark), None)
    if line is None:
        return " where no statement begins"
    if len({line.mark for line in lines if line.mark}) > 1:
        return ", traced or not reached, none of them in a program"
    programs = sorted({where.partition(":")[0] for where in line.operations})
    said = []
    if programs:
        said.append(f"in program{'s' * (len(programs) > 1)} {' and '.join(programs)}")
    elif line.mark in WORDS:
        said.append(WORDS[line.mark])
    if line.visits > 1:
        said.append(f"each traced {line.visits:,} times")
    return ", all " + ", ".join(said)


_MOST_SOURCES = 6


def in_full(explanation: Explanation) -> set[int]:
    """The sources that a terminal shows whole, by index.

    All where they are few; else the function's own, those with findings, and those with the most
    operations. Where some of them are the reader's, no more of a library's.
    """
    sources = explanation.sources
    found = {index for index, _ in place(explanation)[0]}
    sizes = [max((sum(line.operations.values()) for line in s.lines), default=0) for s in sources]
    called = range(1, len(sources))
    readers = [index for index in called if not is_installed(sources[index].file)]
    others = sorted(readers or called, key=lambda index: -sizes[index])
    return {0, *found, *others[: _MOST_SOURCES - 1]}
