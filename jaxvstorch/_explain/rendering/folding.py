"""Which lines of a source a rendering folds into one."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby

from jaxvstorch._explain.marks import Line, Mark, Source
from jaxvstorch._explain.rendering.signs import WORDS
from jaxvstorch._frameworks.installed import is_installed

# Longer runs of alike lines are folded. Readers mostly want the lines of a program, so more of them
# stay.
_FOLD = 12
_FOLD_IN_PROGRAM = 40
# Longer runs of lines that were traced or not reached are folded too; sooner in a library, where
# only the lines that left something in a program matter.
_FOLD_QUIET = 40
_FOLD_QUIET_IN_LIBRARY = 12
_ENDS = 2  # lines that stay at each end of a folded run
_BRIDGED = 3  # up to this many blank lines do not separate two lines with the same mark


@dataclass(frozen=True)
class Stretch:
    """A run of lines, shown as they are or folded into one."""

    lines: tuple[Line, ...]
    folded: bool = False

    def label(self) -> str:
        """What the folded lines have in common, such as ``"40 lines, all in program A"``."""
        return f"{len(self.lines)} lines{_in_common(self.lines)}"


def stretches(source: Source, remarked: Collection[int]) -> Iterator[Stretch]:
    """A source's lines, with long runs of alike lines folded.

    Args:
        source: whose lines.
        remarked: the numbers of the lines that have findings.
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


_Key = tuple[Mark, frozenset[str], int]
_BLANK: _Key = (Mark.BLANK, frozenset(), 0)
_QUIET: _Key = (Mark.TRACED, frozenset(), -1)


def _key(line: Line) -> _Key | None:
    """What lines must share to be folded together; ``None`` for a line that must stay visible."""
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
        run_keys = list(run)
        if quiet and len(run_keys) > limit:
            keys[position : position + len(run_keys)] = [_QUIET] * len(run_keys)
        position += len(run_keys)


def _in_common(lines: tuple[Line, ...]) -> str:
    line = next((line for line in lines if line.mark), None)
    if line is None:
        return " where no statement begins"
    marks = [line.mark for line in lines if line.mark]
    is_quiet = Mark.GRAPH not in marks
    if len(set(marks)) > 1 or (is_quiet and len(marks) < len(lines) / 2):
        return " that left nothing in a program"
    programs = sorted({where.partition(":")[0] for where in line.operations})
    phrases = []
    if programs:
        phrases.append(f"in program{'s' * (len(programs) > 1)} {' and '.join(programs)}")
    elif line.mark in WORDS:
        phrases.append(WORDS[line.mark])
    if line.visits > 1:
        phrases.append(f"each traced {line.visits:,} times")
    return ", all " + ", ".join(phrases)
