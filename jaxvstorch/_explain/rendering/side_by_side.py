"""One function's lines, each with two cells: what each compiler made of the line.

A cell has a sign and a few words; the sign says how many operations there are, and where.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from jaxvstorch._explain.explanation_data import Facts, Finding
from jaxvstorch._explain.marks import Line, Mark, Source
from jaxvstorch._explain.rendering import folding, layout, signs

_SHORT = {
    Mark.FAILED: "",
    Mark.PYTHON: "Python runs it",
    Mark.TRACED: "traced only",
    Mark.NOT_REACHED: "not reached",
    Mark.BLANK: "",
}

# A table shows only the beginning of what was printed.
_MOST_LINES = 12
_LONGEST_LINE = 200


@dataclass(frozen=True)
class Cell:
    """What one compiler made of one line."""

    framework: str
    line: Line
    findings: tuple[Finding, ...]

    @property
    def became(self) -> str:
        """The line's mark, in a few words."""
        if self.line.mark is Mark.GRAPH:
            return signs.count(sum(self.line.operations.values()), "operation")
        return _SHORT[self.line.mark]


@dataclass(frozen=True)
class Stretch:
    """A run of lines with their cells; or, folded, lines in which no statement begins."""

    source: folding.Stretch
    cells: tuple[tuple[Cell, ...], ...]


def stretches(explanations: Sequence[Facts]) -> Iterator[Stretch]:
    """All lines of a function, in order.

    Raises:
        TypeError: the explanations do not share the lines of one function.
    """
    sources = shared_sources(explanations)
    rows = {
        lines[0].number: tuple(map(_cell, lines, explanations, sources))
        for lines in zip(*(source.lines for source in sources), strict=True)
    }
    marked = [number for number, cells in rows.items() if any(c.line.mark for c in cells)]
    for stretch in folding.stretches(without_marks(sources[0]), marked):
        yield Stretch(stretch, tuple(rows[line.number] for line in stretch.lines))


def _cell(line: Line, explanation: Facts, source: Source) -> Cell:
    return Cell(explanation.framework, line, tuple(findings_at(line, explanation, source)))


def kind(finding: Finding) -> str:
    """The kind of a finding in one or two words, or the class of an error."""
    if finding.kind == "failed":
        return finding.what.partition(": ")[0]
    return layout.KINDS.get(finding.kind, finding.kind)


def programs(explanation: Facts) -> str:
    """How many programs were compiled."""
    number = len(explanation.programs)
    return signs.count(number, "program") if number else "no program"


def shorten_output(printed: str) -> str:
    """What was printed; of a long text the first lines, and how many more there are."""
    lines = printed.strip().splitlines()
    shown = [
        line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"
        for line in lines[:_MOST_LINES]
    ]
    left = len(lines) - len(shown)
    more = [f"… {signs.count(left, 'more line')}"] if left else []
    return "\n".join([*shown, *more]) or "nothing"


def shared_sources(explanations: Sequence[Facts]) -> tuple[Source, ...]:
    """The function's own source in each explanation, with the same lines.

    An explanation without the source, as when an error was raised first, gets lines without marks.

    Raises:
        TypeError: none of them has the source, or they do not have the same one.
    """
    sources = [e.sources[0] if e.sources else None for e in explanations]
    readable = [source for source in sources if source is not None]
    name = explanations[0].function
    if not readable:
        sentences = dict.fromkeys(sentence for e in explanations for sentence in e.missing)
        missing = [sentence for sentence in sentences if sentence.startswith("The lines")]
        raise TypeError(
            f"framework='both' shows lines, but {name} has none to show. "
            f"{' '.join(missing)} Call explain once for each framework"
        )
    if len({(source.file, source.lines[0].number) for source in readable}) > 1:
        locations = ", ".join(f"{s.name} ({s.file}, line {s.lines[0].number})" for s in readable)
        raise TypeError(
            f"framework='both' shows lines that both compilers saw, but for {name} they saw "
            f"different ones: {locations}. Call explain once for each framework"
        )
    return tuple(source or without_marks(readable[0]) for source in sources)


def without_marks(source: Source) -> Source:
    """The same lines without marks."""
    lines = (replace(x, mark=Mark.BLANK, operations={}, visits=0) for x in source.lines)
    return replace(source, lines=tuple(lines))


def findings_at(line: Line, explanation: Facts, source: Source) -> list[Finding]:
    """The findings at a line of a source."""
    location = (source.file, line.number)
    return [finding for finding in explanation.findings if (finding.file, finding.line) == location]


def findings_elsewhere(explanation: Facts, source: Source) -> list[Finding]:
    """The findings in functions that it calls, and those without a line."""
    numbers = {line.number for line in source.lines}
    return [f for f in explanation.findings if f.file != source.file or f.line not in numbers]
