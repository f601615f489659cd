"""Wraps code on a narrow page with a hanging indent.

Each line of code becomes a span that knows how far it is indented; the style sheet does the rest.
"""

import html
import re
from collections.abc import Iterator
from typing import Any

from pygments.formatters import HtmlFormatter
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

_TAGS = re.compile(r"<[^>]*>")


class Formatter(HtmlFormatter):  # type: ignore[type-arg]
    """Pygments' own, with a span around each line."""

    def _format_lines(self, tokens: Any) -> Iterator[tuple[int, str]]:
        for is_code, line in super()._format_lines(tokens):
            text = html.unescape(_TAGS.sub("", line))
            indent = len(text) - len(text.lstrip(" "))
            span = f'<span class="codeline" style="--i:{indent}">{line}</span>'
            yield is_code, span if is_code else line


def setup(app: Sphinx) -> dict[str, bool]:
    """Let Sphinx write code with this formatter."""
    PygmentsBridge.html_formatter = Formatter
    return {"parallel_read_safe": True, "parallel_write_safe": True}
