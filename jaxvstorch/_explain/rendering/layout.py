"""Which sources and findings a rendering shows, and where."""

from jaxvstorch._explain.explanation_data import Facts, Finding
from jaxvstorch._frameworks.installed import is_installed

BOOK = "https://jaxvstorch.github.io/jaxvstorch/"

# Kinds of findings that have another name in renderings.
KINDS = {"break": "graph break", "failed": "error"}


def link(finding: Finding) -> str:
    """The address of the page of the book that explains a finding; empty if there is none."""
    return f"{BOOK}topics/{finding.page}.html" if finding.page else ""


Placed = dict[tuple[int, int], list[Finding]]


def findings_by_line(explanation: Facts) -> tuple[Placed, list[Finding]]:
    """The findings by index of a source and number of a line, and those without a line."""
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


def indent(texts: list[str]) -> int:
    """The indentation that all lines share, so that a method is shown as far left as a function."""
    return min((len(text) - len(text.lstrip()) for text in texts if text.strip()), default=0)


_MOST_SOURCES = 6


def in_full(explanation: Facts) -> set[int]:
    """The sources that a terminal shows in full, by index.

    The function's own, those with findings, and the reader's functions, if they are many those with
    the most operations. A library's other functions get a line each.
    """
    sources = explanation.sources
    with_findings = {index for index, _ in findings_by_line(explanation)[0]}
    sizes = [max((sum(line.operations.values()) for line in s.lines), default=0) for s in sources]
    readers = [i for i in range(1, len(sources)) if not is_installed(sources[i].file)]
    readers.sort(key=lambda index: -sizes[index])
    return {0, *with_findings, *readers[: _MOST_SOURCES - 1]}
