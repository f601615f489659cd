"""Tables of numbers that lose no column on a phone: there each line stands as a small list.

A cell knows the name of its column, which the style sheet writes before it where the page is
narrow.
"""

import re
from collections.abc import Sequence
from html import escape


def html(text: str) -> str:
    """Markdown tables, parted by empty lines, as HTML."""
    return "".join(_table(part.splitlines()) for part in text.split("\n\n") if part.strip())


def _table(lines: Sequence[str]) -> str:
    header, _, *body = [
        [cell.strip() for cell in line.strip().strip("|").split(" | ")] for line in lines
    ]
    heads = "".join(f'<th scope="col">{_inline(cell)}</th>' for cell in header)
    rows = "".join(_row(header, cells) for cells in body)
    return f'<table class="numbers"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def _row(header: Sequence[str], cells: Sequence[str]) -> str:
    first, *others = map(_inline, cells)
    shown = "".join(
        f'<td data-column="{escape(name)}"{" data-none" if cell == "-" else ""}>{cell}</td>'
        for name, cell in zip(header[1:], others, strict=True)
    )
    return f'<tr><th scope="row">{first}</th>{shown}</tr>'


def _inline(text: str) -> str:
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))
