"""A ledger as text, in columns that fit a terminal."""

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

HEADINGS = ("arguments", "traces", "programs", "in all", "breaks", "time", "why")
_GAP = "  "
_NARROWEST = 12  # columns for the arguments and for the reason, however narrow the terminal


class Rendering:
    """What ``rich`` prints of a ledger."""

    def __init__(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        self.heads, self.rows = heads, rows

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        # Imported here for the reason that ``text.py`` gives.
        from rich.segment import Segment

        for line in lines(self.heads, self.rows, options.max_width):
            yield Segment(line)
            yield Segment.line()


def lines(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """The title, the headings and the rows; long arguments and reasons take several lines.

    Args:
        heads: the title, and what else is printed above.
        rows: a text for each of ``HEADINGS``.
        width: of the terminal, in characters.
    """
    table = [HEADINGS, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(HEADINGS))]
    rest = width - sum(widths[1:-1]) - len(_GAP) * (len(widths) - 1)
    first, last = widths[0], widths[-1]
    if first + last > rest:  # one may use the room that the other does not need
        first = min(first, max(rest // 2, rest - last, _NARROWEST))
        last = min(last, max(rest - first, _NARROWEST))
    widths[0], widths[-1] = first, last
    for head in heads:
        yield from textwrap.wrap(head, width)
    for row in table:
        yield from _wrapped(row, widths)


def _wrapped(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    arguments, *counts, why = row
    columns = [_fold(arguments, widths[0]), *([text] for text in counts), _fold(why, widths[-1])]
    for texts in zip_longest(*columns, fillvalue=""):
        yield _GAP.join(t.ljust(w) for t, w in zip(texts, widths, strict=True)).rstrip()


def _fold(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]
