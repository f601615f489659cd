"""An explanation as HTML: a fragment for notebooks and the book, and a page of its own.

No element has an id, so that one page can hold several explanations.
"""

from collections.abc import Iterable
from html import escape

from jaxvstorch._explain.explanation_data import Facts
from jaxvstorch._explain.ledger_rows import Ledger
from jaxvstorch._explain.rendering import headings, layout, signs
from jaxvstorch._explain.rendering.html_page import FRAGMENT_STYLE, MADE, version_notes, whole_page
from jaxvstorch._explain.rendering.html_source import (
    finding_item,
    mark_classes,
    notes_list,
    sentence_item,
    source_html,
)
from jaxvstorch._frameworks import TITLES


def fragment(explanation: Facts) -> str:
    """HTML to be put into a page, with the style that it needs."""
    return (
        f"<style>{FRAGMENT_STYLE}</style>"
        f"{_opening(explanation)}{_body(explanation, 'p', 'p')}</div>"
    )


def page(explanation: Facts, ledger: Ledger | None = None) -> str:
    """A whole page that needs no other file and no JavaScript.

    Args:
        explanation: what it shows.
        ledger: calls to show below it.
    """
    shown = f"{_opening(explanation)}{_body(explanation, 'h1', 'h2')}{_calls(ledger)}{MADE}</div>"
    return whole_page(f"{escape(headings.title(explanation))}, explained", shown)


def _opening(explanation: Facts) -> str:
    return (
        f'<div class="jaxvstorch-explain" role="group" data-framework="{explanation.framework}"'
        f' aria-label="{escape(headings.title(explanation))}, explained">'
    )


def _body(explanation: Facts, title: str, part: str) -> str:
    """The whole explanation, with ``title`` and ``part`` as the tags of its headings."""
    placed, elsewhere = layout.findings_by_line(explanation)
    parts = [_head(explanation, title), _legend(explanation)]
    for index, source in enumerate(explanation.sources):
        findings = {
            line: line_findings for (which, line), line_findings in placed.items() if which == index
        }
        parts.append(source_html(source, findings, part))
    if elsewhere:
        parts.append(
            _part("Findings without a line", part)
            + notes_list(map(finding_item, elsewhere), loose=True)
        )
    if explanation.missing:
        parts.append(
            _part("Missing", part) + notes_list(map(sentence_item, explanation.missing), loose=True)
        )
    parts.append(_compiled(explanation, part))
    parts.append(_texts(explanation, part))
    return "".join(parts)


def _head(explanation: Facts, tag: str) -> str:
    framework = TITLES[explanation.framework]
    return (
        f'<{tag} class="title"><code>{escape(explanation.function)}</code> '
        f'<span class="in">in {framework}</span></{tag}>{version_notes(explanation.framework)}'
        f"{_facts(headings.head(explanation))}"
    )


def _facts(pairs: Iterable[tuple[str, str]]) -> str:
    rows = (f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in pairs)
    return f"<dl>{''.join(rows)}</dl>"


def _legend(explanation: Facts) -> str:
    items = []
    for line, sign, words in signs.legend(explanation):
        mark = f" {mark_classes(line)}" if line else ""
        items.append(
            f'<li><span class="swatch{mark}"></span><span class="sign{mark}">{escape(sign)}</span>'
            f"<span>{escape(words)}</span></li>"
        )
    return f'<ul class="legend" aria-label="Signs">{"".join(items)}</ul>' if items else ""


def _part(text: str, tag: str) -> str:
    return f'<{tag} class="part">{escape(text)}</{tag}>'


def _scroll(label: str, content: str) -> str:
    """Content that may be wider than the screen, and also scrolls by keyboard."""
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(label)}">'
        f"{content}</div>"
    )


def _compiled(explanation: Facts, tag: str) -> str:
    compiled = explanation.compiled
    if compiled is None:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{escape(kernel.program)} <code>{escape(kernel.name)}</code></th>'
        f"<td>{escape(', '.join(kernel.operations) or headings.NOT_REPORTED)}</td>"
        f"<td>{escape(headings.kernel_lines(kernel, explanation))}</td></tr>"
        for kernel in compiled.kernels
    )
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("kernel", "made of", "from"))
    table = f'<table class="kernels"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
    kernels = _scroll(f"Kernels of {headings.title(explanation)}", table) if rows else ""
    return _part("Compiled", tag) + _facts(headings.compiled_head(compiled)) + kernels


def _texts(explanation: Facts, tag: str) -> str:
    forms = headings.forms(explanation)
    details = (
        f'<details class="text"><summary>{escape(form.program)}: {escape(form.name)}'
        f'<span class="size">{headings.text_size(form.text)}</span></summary>'
        + _scroll(
            f"{form.name} of {headings.title(explanation)}, program {form.program}",
            f"<pre>{escape(form.text)}</pre>",
        )
        + "</details>"
        for form in forms
    )
    return _part("What the programs became", tag) + "".join(details) if forms else ""


def _calls(ledger: Ledger | None) -> str:
    if ledger is None:
        return ""
    return _part("Call by call", "h2") + _scroll("Call by call", ledger._repr_html_())
