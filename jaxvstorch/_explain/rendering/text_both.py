"""One function through both compilers as text: each line with what each compiler made of it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from jaxvstorch._explain.explanation_data import Facts, Finding
from jaxvstorch._explain.marks import Source
from jaxvstorch._explain.python.shown_files import short_path
from jaxvstorch._explain.rendering import side_by_side, signs
from jaxvstorch._explain.rendering.side_by_side import (
    findings_at,
    findings_elsewhere,
    shared_sources,
    without_marks,
)
from jaxvstorch._explain.rendering.text_columns import Cell, Entries, Entry
from jaxvstorch._explain.rendering.text_rows import BOLD, DIM, Printed, Row, wrapped
from jaxvstorch._explain.rendering.text_source import MARKS, Columns, finding_rows, version_rows
from jaxvstorch._frameworks import COMPILERS


def printed(explanations: Sequence[Facts], prints: Mapping[str, str]) -> Printed:
    """Both explanations as ``rich`` prints them, or as plain text."""
    return Printed(partial(rows, explanations, prints))


def rows(explanations: Sequence[Facts], prints: Mapping[str, str], width: int) -> Iterator[Row]:
    """The function's lines and the findings, one row of a terminal at a time."""
    sources = shared_sources(explanations)
    first, where = explanations[0], short_path(sources[0].file)
    yield [(f"{first.function} in both", BOLD), (f"  {where}", DIM)]
    yield from wrapped("arguments  ", ", ".join(first.arguments), 2, width, DIM)
    yield from version_rows([e.framework for e in explanations], width)
    yield []
    entries = [*_lines(explanations, sources[0]), *_summary(explanations, prints)]
    yield from Entries([COMPILERS[e.framework] for e in explanations], entries, width).rows()
    for explanation, source in zip(explanations, sources, strict=True):
        if explanation.findings:
            yield []
            yield [(COMPILERS[explanation.framework], BOLD)]
            yield from _findings(explanation, source, width)


def _lines(explanations: Sequence[Facts], source: Source) -> Iterator[Entry]:
    columns = Columns(without_marks(source), 0)
    for stretch in side_by_side.stretches(explanations):
        if stretch.source.folded:
            label = (f"… {stretch.source.label()} …", "dim italic")
            yield Entry("", [label], (Cell("", ""),) * len(explanations))
            continue
        for line, cells in zip(stretch.source.lines, stretch.cells, strict=True):
            yield Entry(str(line.number), columns.coloured(line), tuple(map(_cell, cells)))


def _cell(cell: side_by_side.Cell) -> Cell:
    """A line's findings; if it has none, its mark in words."""
    kinds = ", ".join(dict.fromkeys(map(side_by_side.kind, cell.findings)))
    return Cell(signs.sign(cell.line), kinds or cell.became, MARKS[cell.line.mark])


def _summary(explanations: Sequence[Facts], prints: Mapping[str, str]) -> Iterator[Entry]:
    """What the function printed, and the number of programs."""
    if any(prints.values()):
        cells = [Cell("", side_by_side.shorten_output(prints[e.framework])) for e in explanations]
        yield Entry("", [("it printed", DIM)], tuple(cells))
    cells = [Cell("", side_by_side.programs(e), BOLD) for e in explanations]
    yield Entry("", [("compiled", DIM)], tuple(cells))


def _findings(explanation: Facts, source: Source, width: int) -> Iterator[Row]:
    """Each finding in full, after the number of its line."""
    number = len(str(source.lines[-1].number))
    for line in source.lines:
        for finding in findings_at(line, explanation, source):
            yield from _numbered(finding, str(line.number), number, width)
    for finding in findings_elsewhere(explanation, source):
        if finding.line:
            yield [(f" {short_path(finding.file)}, line {finding.line}", DIM)]
        yield from _numbered(finding, "", number, width)


def _numbered(finding: Finding, label: str, number: int, width: int) -> Iterator[Row]:
    first, *rest = finding_rows(finding, number + 3, width)
    yield [(f" {label:>{number}}  ", DIM), *first[1:]]
    yield from rest
