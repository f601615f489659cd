"""One function through both compilers as HTML: a column of source, and a column for each compiler.

On a narrow page the two columns stand below each line of source. What was found opens where it was.
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
from jaxvstorch._explain.rendering.html_page import FRAGMENT_STYLE, MADE, newer, whole
from jaxvstorch._explain.rendering.html_source import classes, code_html, sentences
from jaxvstorch._explain.rendering.side_by_side import found_elsewhere, own_sources
from jaxvstorch._frameworks import COMPILERS

_STYLE = files(__package__).joinpath("html_both.css").read_text("utf-8")


def fragment(explanations: Sequence[Facts], prints: Mapping[str, str]) -> str:
    """HTML to be put into a page, with the style that it needs."""
    return f"<style>{FRAGMENT_STYLE}{_STYLE}</style>{_group(explanations, prints)}"


def page(explanations: Sequence[Facts], prints: Mapping[str, str]) -> str:
    """A whole page that needs no other file and no JavaScript."""
    name = escape(explanations[0].function)
    heading = f'<h1 class="title"><code>{name}</code> in both</h1>'
    body = _group(explanations, prints, heading, MADE)
    return whole(f"{name} in both, explained", body, _STYLE)


def _group(
    explanations: Sequence[Facts], prints: Mapping[str, str], above: str = "", below: str = ""
) -> str:
    name = escape(explanations[0].function)
    rows = [*_lines(explanations), *_last(explanations, prints)]
    heads = "".join(
        f'<th scope="col" role="columnheader" data-framework="{e.framework}">'
        f"{COMPILERS[e.framework]}</th>"
        for e in explanations
    )
    above += newer(*(e.framework for e in explanations))
    # The roles say that this is a table where the style of a narrow page makes it none.
    return (
        f'<div class="jaxvstorch-explain both" role="group" aria-label="{name} in both, explained">'
        f'{above}<table class="both" role="table"><caption class="sr">{name}: each line, and '
        'what each compiler made of it</caption><thead role="rowgroup"><tr role="row">'
        f'<th scope="col" role="columnheader"><span class="sr">source</span></th>{heads}</tr>'
        f'</thead><tbody role="rowgroup">{"".join(rows)}</tbody></table>{below}</div>'
    )


def _lines(explanations: Sequence[Facts]) -> Iterator[str]:
    source = own_sources(explanations)[0]
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
    # What became of the line is said once, behind the first finding.
    after = [words, *[""] * len(cell.findings)]
    said = "".join(map(_finding, cell.findings, after)) or words
    sign = _sign(cell.line) if cell.line.mark else ""
    return _td(cell.framework, f"{sign}<div>{said}</div>", classes(cell.line))


def _sign(line: Line) -> str:
    """For eyes; the words that follow it are for ears too."""
    words = escape(signs.words(line))
    return (
        f'<span class="sign" aria-hidden="true" title="{words}">{escape(signs.sign(line))}</span>'
    )


def _td(framework: str, content: str, css: str = "") -> str:
    return f'<td role="cell" class="{css}" data-framework="{framework}">{content}</td>'


def _finding(finding: Finding, words: str = "") -> str:
    """What was found, in a word; it opens to the sentence, the cure and the link."""
    kind = escape(side_by_side.kind(finding))
    if finding.kind == "failed":
        finding = replace(finding, what=finding.what.partition(": ")[2])
        # So that the name of an error breaks between its words.
        kind = f"<code>{re.sub('(?<=[a-z])(?=[A-Z])', '<wbr>', kind)}</code>"
    return (
        f"<details><summary><b>{kind}</b> {words}</summary>"
        f'<div class="found">{sentences(finding)}</div></details>'
    )


def _last(explanations: Sequence[Facts], prints: Mapping[str, str]) -> Iterator[str]:
    """What it printed, what was found elsewhere, and how many programs it became."""
    sources = own_sources(explanations)
    elsewhere = [found_elsewhere(e, s) for e, s in zip(explanations, sources, strict=True)]
    names = [e.framework for e in explanations]
    if any(prints.values()):
        texts = [escape(side_by_side.said(prints[name])) for name in names]
        yield _sum("it printed", names, [f"<code>{text}</code>" for text in texts])
    if any(elsewhere):
        said = ["".join(map(_placed, findings)) for findings in elsewhere]
        yield _sum("found elsewhere", names, said)
    yield _sum("compiled", names, [f"<b>{side_by_side.programs(e)}</b>" for e in explanations])


def _placed(finding: Finding) -> str:
    place = f"{short_path(finding.file)}, line {finding.line}" if finding.line else ""
    return _finding(finding, f"<span>{escape(place)}</span>")


def _sum(title: str, frameworks: Sequence[str], contents: Sequence[str]) -> str:
    pairs = zip(frameworks, contents, strict=True)
    return _row(title, [_td(name, f"<div>{content}</div>") for name, content in pairs], "sum")
