"""Explanations as a page of this book shows them.

Elsewhere their links lead to the published book. Here they lead to pages of this build, and a link
to its own page is left out. Each explanation brings its style; a page keeps the first. The times of
a ledger are those of the machine that builds the book, and are left out.
"""

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

from jaxvstorch._explain.rendering.html_page import FRAGMENT_STYLE
from jaxvstorch._explain.rendering.layout import BOOK

logger = logging.getLogger(__name__)

_LINK = re.compile(rf' <a href="{re.escape(BOOK)}(?P<page>[\w/-]+)\.html">(?P<text>[^<]*)</a>')
_TIME = re.compile(r'(<td data-column="time">)[^<]*')
_STYLE = f"<style>{FRAGMENT_STYLE}</style>"


def adapt(app: Sphinx, page: str, _template: str, context: dict[str, Any], *_: Any) -> None:
    """Adapt the explanations of a page before it is written."""

    def link(match: re.Match[str]) -> str:
        target = match["page"]
        if target == page:
            return ""
        if target not in app.env.found_docs:
            logger.warning(f"explain names the page {target}, which does not exist", location=page)
        return f' <a href="{app.builder.get_relative_uri(page, target)}">{match["text"]}</a>'

    body = _TIME.sub(r"\1…", _LINK.sub(link, context.get("body", "")))
    head, style, rest = body.partition(_STYLE)
    context["body"] = head + style + rest.replace(_STYLE, "")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the step before a page is written."""
    app.connect("html-page-context", adapt)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
