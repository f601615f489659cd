"""Tables of numbers that lose no column on a phone: there each line stands as a small list."""

from jaxvstorch._table import Table


def html(text: str) -> str:
    """Markdown tables, separated by empty lines, as HTML."""
    return "".join(_table(part).html() for part in text.split("\n\n") if part.strip())


def _table(text: str) -> Table:
    heads, _, *rows = [
        [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        for line in text.splitlines()
    ]
    return Table(heads, rows)
