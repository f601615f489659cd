"""Rows of styled text: wrapped to a width, and printed by ``rich`` or as plain text."""

import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from jaxvstorch._messages import CONTROLS

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

BOLD = "bold"
DIM = "dim"

Piece = tuple[str, str]  # a text and its style
Row = list[Piece]


_WIDTH = 100  # characters of plain text


class Printed:
    """What ``rich`` prints; as a string it is plain."""

    def __init__(self, rows: Callable[[int], Iterable[Row]]) -> None:
        """``rows`` takes the width of the terminal, and yields rows that are no wider."""
        self._rows = rows

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        # Importing Rich draws random numbers, which must not change those that the reader draws.
        # Whoever calls this has imported it already.
        from rich.segment import Segment
        from rich.style import Style

        for row in self._rows(options.max_width):
            for text, style in row:
                yield Segment(text.translate(CONTROLS), Style.parse(style) if style else None)
            yield Segment.line()

    def __str__(self) -> str:
        lines = ("".join(text for text, _ in row).rstrip() for row in self._rows(_WIDTH))
        return "\n".join(line.translate(CONTROLS) for line in lines)


def wrapped(lead: str, text: str, indent: int, width: int, style: str = "") -> Iterator[Row]:
    """A sentence on as many rows as it takes, its first words styled."""
    for i, line in enumerate(wrap(lead + text, width - indent, "  ")):
        begin, rest = (line[: len(lead)], line[len(lead) :]) if i == 0 else ("", line)
        yield [(" " * indent, ""), (begin, style), (rest, "")]


def wrap(text: str, width: int, hanging: str = "") -> list[str]:
    """A text in lines of at most ``width`` columns; addresses are not broken."""
    lines = textwrap.wrap(
        text,
        max(width, 8),
        subsequent_indent=hanging,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return lines or [""]


def break_row(row: Row, width: int) -> Iterator[Row]:
    """A row, wrapped if it is wider than its column."""
    text = "".join(piece for piece, _ in row)
    if text_width(text) <= width:
        yield row
        return
    hanging = min(len(text) - len(text.lstrip()) + 4, width // 2)
    begin = 0
    while begin < len(text):
        indent = hanging if begin else 0
        stop = begin + _fitting(text[begin:], width - indent)
        if stop < len(text):
            space = text.rfind(" ", begin + hanging, stop)
            stop = space + 1 if space > begin else stop
        yield [(" " * indent, ""), *_slice(row, begin, stop)]
        begin = stop


def _slice(row: Row, begin: int, stop: int) -> Iterator[Piece]:
    position = 0
    for text, style in row:
        cut = text[max(begin - position, 0) : max(stop - position, 0)]
        if cut:
            yield cut, style
        position += len(text)


def text_width(text: str) -> int:
    """The columns that a text takes.

    >>> text_width("x = 1"), text_width("变量 = 1")
    (5, 8)
    """
    return len(text) if text.isascii() else sum(map(_character_width, text))


def padded(text: str, columns: int) -> str:
    """The text with trailing blanks that fill its column."""
    return text + " " * (columns - text_width(text))


def _fitting(text: str, columns: int) -> int:
    """How many characters at the beginning of a text fit; at least one, if there is one."""
    if text.isascii():
        return min(len(text), max(columns, 1))
    used = 0
    for number, character in enumerate(text):
        used += _character_width(character)
        if used > columns and number:
            return number
    return len(text)


def _character_width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0  # it combines with the character before it
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
