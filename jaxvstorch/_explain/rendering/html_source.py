"""One function's source as HTML: tables of numbers, marks and texts, with long runs folded."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from html import escape

from jaxvstorch._explain.explanation_data import Finding
from jaxvstorch._explain.marks import Line, Mark, Source
from jaxvstorch._explain.rendering import folding, headings, layout, signs, syntax

_SYNTAX = {syntax.KEYWORD: "k", syntax.STRING: "s", syntax.COMMENT: "c"}


def source_html(source: Source, findings: dict[int, list[Finding]], tag: str) -> str:
    """A heading and the lines.

    Args:
        source: whose lines.
        findings: by the number of their line.
        tag: of the heading.
    """
    marks = [signs.sign(line) for line in source.lines]
    mark = min(max([6, *map(len, marks)]), WIDEST)
    number = max([4, *(len(str(line.number)) for line in source.lines)])
    return (
        f'<div class="source" style="--n:{number};--m:{mark}"><{tag} class="where">'
        f"<code>{escape(source.name)}</code> <span>{escape(headings.where(source))}</span></{tag}>"
        f"{''.join(_tables(source, findings))}</div>"
    )


def _tables(source: Source, findings: dict[int, list[Finding]]) -> Iterator[str]:
    texts = [line.text.expandtabs(4) for line in source.lines]
    indent = layout.indent(texts)
    codes = {
        line.number: code_html(text, spans, indent)
        for line, text, spans in zip(source.lines, texts, syntax.spans(texts), strict=True)
    }
    heads_shown = False
    for stretch in folding.stretches(source, findings):
        if not stretch.lines:
            continue
        rows = (_row(line, codes[line.number], findings.get(line.number, ()))
                for line in stretch.lines)  # fmt: skip
        first, last = stretch.lines[0].number, stretch.lines[-1].number
        table = _table(f"{source.name}, lines {first} to {last}", rows, heads_shown)
        if stretch.folded:
            marked = next((line for line in stretch.lines if line.mark), stretch.lines[0])
            yield (f'<details class="fold"><summary class="{mark_classes(marked)}"><span>'
                   f"{escape(stretch.label())}</span></summary>{table}</details>")  # fmt: skip
        else:
            yield table
            heads_shown = True


def _table(caption: str, rows: Iterator[str], quiet: bool) -> str:
    """A table; with ``quiet`` its headings are for screen readers only."""
    css = ' class="sr"' if quiet else ""
    heads = "".join(
        f'<th scope="col"{column}><span{css}>{head}</span></th>'
        for head, column in (("line", ' class="n"'), ("became", ' class="m"'), ("source", ""))
    )
    return (
        f'<table class="lines"><caption class="sr">{escape(caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _row(line: Line, code: str, findings: Collection[Finding]) -> str:
    shown = f"{wide_mark(line)}{code}{notes_list(map(finding_item, findings))}"
    return (
        f'<tr class="{mark_classes(line)}"><th scope="row" class="n">{line.number}</th>'
        f'<td class="m">{mark_html(line)}</td><td class="code">{shown}</td></tr>\n'
    )


def notes_list(items: Iterable[str], loose: bool = False) -> str:
    """Findings or sentences as a list; ``loose`` if it belongs to no line."""
    content = "".join(items)
    return f'<ul class="notes{" loose" if loose else ""}">{content}</ul>' if content else ""


def sentence_item(sentence: str) -> str:
    """A sentence as an item of such a list."""
    return f"<li>{prose(sentence)}</li>"


def finding_item(finding: Finding) -> str:
    """A finding as an item of such a list."""
    kind = escape(layout.KINDS.get(finding.kind, finding.kind))
    failed = ' class="failed"' if finding.kind == "failed" else ""
    return f"<li{failed}><strong>{kind}:</strong> {sentences(finding)}</li>"


def sentences(finding: Finding) -> str:
    """What happens, what to do about it, and where the book explains it."""
    cure = f' <span class="cure">{prose(finding.cure)}</span>' if finding.cure else ""
    link = layout.link(finding)
    more = f' <a href="{escape(link)}">In the book: {escape(finding.page)}</a>' if link else ""
    return f"{prose(finding.what)}{cure}{more}"


def prose(sentence: str) -> str:
    """A sentence, with text in backquotes as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(sentence))


def code_html(text: str, spans: Sequence[syntax.Span], indent: int) -> str:
    """A line of source, without ``indent`` columns of its indentation."""
    parts = []
    cut = indent if not text[:indent].strip() else 0
    inside = max(len(text) - len(text.lstrip()) - cut, 0) if text.strip() else 0
    for piece, kind in syntax.pieces(text, spans):
        shown, cut = piece[cut:], max(cut - len(piece), 0)
        css = _SYNTAX.get(kind)
        parts.append(f'<span class="{css}">{escape(shown)}</span>' if css else escape(shown))
    style = f' style="--i:{inside}"' if inside else ""
    return f"<code{style}>{''.join(parts)}</code>"


# A mark of up to two lines fits into its column, which is this many characters wide; on a phone,
# html.css sets the width. A longer mark is above its line of code, across the page.
WIDEST, _WIDEST_ON_PHONE = 16, 7


def mark_html(line: Line) -> str:
    """The sign to see, and the words for screen readers and for a mouse that hovers over it."""
    if not line.mark:
        return ""
    words = escape(signs.words(line))
    return (
        f'<span class="sign"{_too_long(line)} aria-hidden="true" title="{words}">'
        f'{escape(signs.sign(line))}</span><span class="sr">{words}</span>'
    )


def wide_mark(line: Line) -> str:
    """A mark too long for its column, a second time: the style shows one of the two."""
    long, sign = _too_long(line), escape(signs.sign(line))
    return f'<span class="above"{long} aria-hidden="true">{sign}</span>' if long else ""


def _too_long(line: Line) -> str:
    """Where a mark is too long for its column, for the style: on a phone, or everywhere."""
    length = len(signs.sign(line))
    if length > 2 * WIDEST:
        return ' data-long="everywhere"'
    return ' data-long="phone"' if length > 2 * _WIDEST_ON_PHONE else ""


def mark_classes(line: Line) -> str:
    """The classes that choose a line's pattern and colour."""
    if line.mark is not Mark.GRAPH:
        return f"m-{line.mark.replace(' ', '-')}" if line.mark else ""
    # Programs alternate between a single band and a double one.
    program = next(iter(line.operations), "A").partition(":")[0]
    return "m-graph" if ord(program[-1]) % 2 else "m-graph-even"
