"""One source as text: numbers, marks and lines, and the findings below their lines."""

import textwrap
from collections.abc import Iterable, Iterator

from jaxvstorch._explain.explanation_data import Finding
from jaxvstorch._explain.marks import Line, Mark, Source
from jaxvstorch._explain.rendering import folding, layout, signs, syntax
from jaxvstorch._explain.rendering.text_rows import DIM, Row, break_row, wrap, wrapped
from jaxvstorch._frameworks import proven

WIDEST_MARK = 20  # a longer mark goes on below
_NARROWEST_CODE = 24
MARKS = {
    Mark.FAILED: "bold red",
    Mark.PYTHON: "bold yellow",
    Mark.GRAPH: "bold cyan",
    Mark.TRACED: DIM,
    Mark.NOT_REACHED: DIM,
    Mark.BLANK: "",
}
_SYNTAX = {
    syntax.KEYWORD: "magenta",
    syntax.STRING: "green",
    syntax.NUMBER: "",
    syntax.COMMENT: DIM,
}


class Columns:
    """One source as three columns: the lines' numbers, their marks, their texts."""

    def __init__(self, source: Source, width: int) -> None:
        self.source = source
        marks = [signs.sign(line) for line in source.lines]
        self.mark = min(max(map(len, marks), default=0), WIDEST_MARK)
        self.number = max((len(str(line.number)) for line in source.lines), default=1)
        self.margin = self.number + self.mark + 5
        self.code = max(width - self.margin, _NARROWEST_CODE)
        self.width = width
        texts = [line.text.expandtabs(4) for line in source.lines]
        self.indent = layout.indent(texts)
        self.first = source.lines[0].number if source.lines else 0
        self.texts = texts
        self.spans = syntax.spans(texts)

    def rows(self, findings: dict[int, list[Finding]]) -> Iterator[Row]:
        """All rows.

        Args:
            findings: by the number of their line.
        """
        for stretch in folding.stretches(self.source, findings):
            if stretch.folded:
                label = f"… {stretch.label()} …"
                yield [(f"{' ' * self.margin}{label}", "dim italic")]
                continue
            for line in stretch.lines:
                yield from self._line(line)
                for finding in findings.get(line.number, []):
                    yield from finding_rows(finding, self.margin + 2, self.width)

    def _line(self, line: Line) -> Iterator[Row]:
        marks = textwrap.wrap(signs.sign(line), self.mark) if line.mark else []
        codes = list(break_row(self.coloured(line), self.code))
        style = MARKS[line.mark]
        for i in range(max(len(marks), len(codes))):
            number = str(line.number) if i == 0 else ""
            mark = marks[i] if i < len(marks) else ""
            yield [
                (f" {number:>{self.number}}  ", DIM),
                (f"{mark:<{self.mark}}  ", style),
                *(codes[i] if i < len(codes) else []),
            ]

    def coloured(self, line: Line) -> Row:
        """A line of source in its colours, without the indentation that all lines have."""
        index = line.number - self.first
        pieces = syntax.pieces(self.texts[index], self.spans[index])
        quiet = line.mark is Mark.NOT_REACHED
        row = [(text, DIM if quiet else _SYNTAX.get(kind, "")) for text, kind in pieces]
        if row:
            row[0] = (row[0][0][self.indent :], row[0][1])
        return row


def finding_rows(finding: Finding, indent: int, width: int) -> Iterator[Row]:
    """What happens, what to do about it, and where the book explains it."""
    style = MARKS[Mark.FAILED if finding.kind == "failed" else Mark.PYTHON]
    kind = layout.KINDS.get(finding.kind, finding.kind)
    yield from wrapped(f"↳ {kind}: ", finding.what, indent, width, style)
    if finding.cure:
        yield from wrapped("  Fix: ", finding.cure, indent, width)
    if finding.page:
        see = f"See {layout.link(finding)}"
        margin = min(indent + 2, max(width - len(see), 0))
        for i in range(0, len(see), width - margin):
            yield [(" " * margin, ""), (see[i : i + width - margin], DIM)]


def version_rows(frameworks: Iterable[str], width: int) -> Iterator[Row]:
    """Dimmed notes on frameworks that are newer than the versions tested."""
    for note in proven.notes(*frameworks):
        for line in wrap(note, width - 2):
            yield [(f"  {line}", DIM)]
