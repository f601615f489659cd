"""An explanation as text, styled for a terminal or plain."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest

from jaxvstorch._explain.explanation_data import Facts
from jaxvstorch._explain.rendering import headings, layout, signs
from jaxvstorch._explain.rendering.text_rows import BOLD, DIM, Printed, Row, wrap, wrapped
from jaxvstorch._explain.rendering.text_source import (
    MARKS,
    WIDEST_MARK,
    Columns,
    finding_rows,
    version_rows,
)
from jaxvstorch._frameworks import COMPILERS


def printed(explanation: Facts) -> Printed:
    """An explanation as ``rich`` prints it, or as plain text."""
    return Printed(partial(rows, explanation))


def rows(explanation: Facts, width: int) -> Iterator[Row]:
    """The whole explanation, one row of a terminal at a time, none wider than ``width``."""
    yield [(headings.title(explanation), BOLD), (f"  {COMPILERS[explanation.framework]}", DIM)]
    yield from version_rows([explanation.framework], width)
    yield from _facts(headings.head(explanation), width)
    placed, elsewhere = layout.findings_by_line(explanation)
    in_full = layout.in_full(explanation)
    for index, source in enumerate(explanation.sources):
        if index not in in_full:
            continue
        findings = {
            line: line_findings for (which, line), line_findings in placed.items() if which == index
        }
        yield []
        yield [(source.name, BOLD), (f"  {headings.where(source)}", DIM)]
        yield from Columns(source, width).rows(findings)
    yield from _legend(explanation, width)
    yield from _more_sources(explanation, in_full, width)
    if elsewhere:
        yield from _heading("Findings without a line")
        for finding in elsewhere:
            yield from finding_rows(finding, 2, width)
    if explanation.missing:
        yield from _heading("Missing")
        for sentence in explanation.missing:
            yield from wrapped("↳ ", sentence, 2, width)
    yield from _stages(explanation, width)


def _more_sources(explanation: Facts, in_full: set[int], width: int) -> Iterator[Row]:
    """One line for each of the functions that are not shown in full."""
    more = [s for index, s in enumerate(explanation.sources) if index not in in_full]
    if not more:
        return
    yield from _heading("More functions, shown in full in HTML and JSON")
    for source in more:
        yield from wrapped("↳ ", f"{source.name}, {headings.where(source)}", 2, width)


def _facts(pairs: Sequence[tuple[str, str]], width: int) -> Iterator[Row]:
    column = max(len(name) for name, _ in pairs)
    for name, text in pairs:
        for i, line in enumerate(wrap(text, width - column - 4)):
            yield [(f"  {name if i == 0 else '':<{column}}  ", DIM), (line, "")]


def _heading(text: str) -> Iterator[Row]:
    yield []
    yield [(text, BOLD)]


def _legend(explanation: Facts, width: int) -> Iterator[Row]:
    entries = signs.legend(explanation)
    if not entries:
        return
    column = min(max(len(sign) for _, sign, _ in entries), WIDEST_MARK)
    yield []
    for line, sign, words in entries:
        style = MARKS[line.mark] if line else BOLD
        pairs = zip_longest(wrap(sign, column), wrap(words, width - column - 3), fillvalue="")
        for left, right in pairs:
            yield [(f" {left:<{column}}  ", style), (right, DIM)]


def _stages(explanation: Facts, width: int) -> Iterator[Row]:
    compiled = explanation.compiled
    if compiled:
        yield from _heading("Compiled")
        yield from _facts(headings.compiled_head(compiled), width)
        for kernel in compiled.kernels:
            made_of = ", ".join(kernel.operations) or "operations not reported"
            description = f"{made_of}; from {headings.kernel_lines(kernel, explanation)}"
            yield from wrapped(f"{kernel.program} {kernel.name}: ", description, 4, width, BOLD)
    forms = headings.forms(explanation)
    if forms:
        yield from _heading("Texts")
        yield from _facts(
            [(f"{s.program} {s.name}", headings.text_size(s.text)) for s in forms], width
        )
