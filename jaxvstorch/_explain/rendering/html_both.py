"""One function through both compilers as HTML: a column of source, and a column for each compiler.

On a narrow page the two columns are below each line of source. Findings open at their line.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files

from jaxvstorch._explain.explanation_data import Facts, Finding
from jaxvstorch._explain.marks import Line
from jaxvstorch._explain.python.shown_files import short_path
from jaxvstorch._explain.rendering import layout, side_by_side, signs, syntax
from jaxvstorch._explain.rendering.html_page import FRAGMENT_STYLE, MADE, version_notes, whole_page
from jaxvstorch._explain.rendering.html_source import code_html, mark_classes, sentences
from jaxvstorch._explain.rendering.side_by_side import findings_elsewhere, shared_sources
from jaxvstorch._frameworks import COMPILERS

_STYLE = files(__package__).joinpath("html_both.css").read_text("utf-8")


def fragment(explanations: Sequence[Facts], prints: Mapping[str, str]) -> str:
    """HTML to be put into a page, with the style that it needs."""
    return f"<style>{FRAGMENT_STYLE}{_STYLE}</style>{_table(explanations, prints)}"


def page(explanations: Sequence[Facts], prints: Mapping[str, str]) -> str:
    """A whole page that needs no other file and no JavaScript."""
    name = escape(explanations[0].function)
    heading = f'<h1 class="title"><code>{name}</code> in both</h1>'
    body = _table(explanations, prints, heading, MADE)
    return whole_page(f"{name} in both, explained", body, _STYLE)


def _table(
    explanations: Sequence[Facts], prints: Mapping[str, str], above: str = "", below: str = ""
) -> str:
    name = escape(explanations[0].function)
    rows = [*_lines(explanations), *_summary(explanations, prints)]
    heads = "".join(
        f'<th scope="col" role="columnheader" data-framework="{e.framework}">'
        f"{COMPILERS[e.framework]}</th>"
        for e in explanations
    )
    above += version_notes(*(e.framework for e in explanations))
    # The roles keep it a table for screen readers: on a narrow page its style is not that of one.
    return (
        f'<div class="jaxvstorch-explain both" role="group" aria-label="{name} in both, explained">'
        f'{above}<table class="both" role="table"><caption class="sr">{name}: each line, and '
        'what each compiler made of it</caption><thead role="rowgroup"><tr role="row">'
        f'<th scope="col" role="columnheader"><span class="sr">source</span></th>{heads}</tr>'
        f'</thead><tbody role="rowgroup">{"".join(rows)}</tbody></table>{below}</div>'
    )


def _lines(explanations: Sequence[Facts]) -> Iterator[str]:
    source = shared_sources(explanations)[0]
    texts = [line.text.expandtabs(4) for line in source.lines]
    indent, spans = layout.indent(texts), syntax.spans(texts)
    codes = {
        line.number: code_html(text, span, indent)
        for line, text, span in zip(source.lines, texts, spans, strict=True)
    }
    for stretch in side_by_side.stretches(explanations):
        if stretch.source.folded:
            folded = "".join(codes[line.number] for line in stretch.source.lines)
            label = escape(stretch.source.label())
            yield _row(f"<details><summary>{label}</summary>{folded}</details>", [], "code bare")
            continue
        for line, cells in zip(stretch.source.lines, stretch.cells, strict=True):
            yield _line(line, codes[line.number], cells)


def _line(line: Line, code: str, cells: Sequence[side_by_side.Cell]) -> str:
    bare = not any(cell.line.mark for cell in cells)
    return _row(code, [_cell(cell) for cell in cells], "code bare" if bare else "code")


def _row(head: str, cells: Sequence[str], css: str) -> str:
    span = "" if cells else ' colspan="3"'
    return (
        f'<tr role="row" class="{css}"><th scope="row" role="rowheader"{span}>{head}</th>'
        f"{''.join(cells)}</tr>\n"
    )


def _cell(cell: side_by_side.Cell) -> str:
    words = f"<span>{cell.became}</span>"
    # The line's own words appear once, after the first finding.
    after = [words, *[""] * len(cell.findings)]
    content = "".join(map(_finding, cell.findings, after)) or words
    sign = _sign(cell.line) if cell.line.mark else ""
    return _td(cell.framework, f"{sign}<div>{content}</div>", mark_classes(cell.line))


def _sign(line: Line) -> str:
    """The sign to see; the words after it are also for screen readers."""
    words = escape(signs.words(line))
    return (
        f'<span class="sign" aria-hidden="true" title="{words}">{escape(signs.sign(line))}</span>'
    )


def _td(framework: str, content: str, css: str = "") -> str:
    return f'<td role="cell" class="{css}" data-framework="{framework}">{content}</td>'


def _finding(finding: Finding, words: str = "") -> str:
    """A finding's kind, which opens to the sentence, the cure and the link."""
    kind = escape(side_by_side.kind(finding))
    if finding.kind == "failed":
        finding = replace(finding, what=finding.what.partition(": ")[2])
        # The name of an error may break between its words.
        kind = f"<code>{re.sub('(?<=[a-z])(?=[A-Z])', '<wbr>', kind)}</code>"
    return (
        f"<details><summary><b>{kind}</b> {words}</summary>"
        f'<div class="found">{sentences(finding)}</div></details>'
    )


def _summary(explanations: Sequence[Facts], prints: Mapping[str, str]) -> Iterator[str]:
    """What the function printed, the findings elsewhere, and the number of programs."""
    sources = shared_sources(explanations)
    elsewhere = [findings_elsewhere(e, s) for e, s in zip(explanations, sources, strict=True)]
    names = [e.framework for e in explanations]
    if any(prints.values()):
        texts = [escape(side_by_side.shorten_output(prints[name])) for name in names]
        yield _summary_row("it printed", names, [f"<code>{text}</code>" for text in texts])
    if any(elsewhere):
        contents = ["".join(map(_finding_elsewhere, findings)) for findings in elsewhere]
        yield _summary_row("found elsewhere", names, contents)
    yield _summary_row(
        "compiled", names, [f"<b>{side_by_side.programs(e)}</b>" for e in explanations]
    )


def _finding_elsewhere(finding: Finding) -> str:
    location = f"{short_path(finding.file)}, line {finding.line}" if finding.line else ""
    return _finding(finding, f"<span>{escape(location)}</span>")


def _summary_row(title: str, frameworks: Sequence[str], contents: Sequence[str]) -> str:
    pairs = zip(frameworks, contents, strict=True)
    return _row(title, [_td(name, f"<div>{content}</div>") for name, content in pairs], "sum")
