"""A table that gives text and HTML from the same parts."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

NONE = "-"


def with_code(text: str) -> str:
    """A text as HTML, with code where it has backticks."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _cell(head: str, text: str) -> str:
    """A cell that knows its column, whose name a narrow page writes before it."""
    missing = " data-none" if text == NONE else ""
    return f'<td data-column="{escape(head)}"{missing}>{with_code(text)}</td>'


@dataclass(frozen=True)
class Table:
    """Rows of text below the heads of their columns.

    Attributes:
        heads: of the columns.
        rows: their texts; the first text of a row is its head.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        table = [self.heads, *self.rows]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)

    def html(
        self,
        classes: str = "numbers",
        *,
        row_head: Callable[[str], str] = with_code,
        cell: Callable[[str, str], str] = _cell,
    ) -> str:
        """The table in HTML.

        Args:
            classes: of the page's style sheet.
            row_head: HTML of the head of a row.
            cell: the ``<td>`` for the head of a column and a text.
        """
        heads = "".join(f'<th scope="col">{with_code(head)}</th>' for head in self.heads)
        rows = "".join(
            f'<tr><th scope="row">{row_head(first)}</th>'
            f"{''.join(map(cell, self.heads[1:], texts))}</tr>"
            for first, *texts in self.rows
        )
        return (
            f'<table class="{classes}"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
        )
