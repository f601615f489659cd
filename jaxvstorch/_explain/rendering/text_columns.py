"""Lines of source as rows of a terminal, each with cells beside it, or below it if it is narrow."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from jaxvstorch._explain.rendering.text_rows import BOLD, DIM, Row, break_row, padded, text_width

_GAP = "  "
# In columns; a longer text continues below.
_WIDEST_SIGN = 10
_WIDEST_WORDS = 30
_NARROWEST_WORDS = 10  # however narrow the terminal is
# With fewer columns for the source, the cells are below it.
_ENOUGH_SOURCE = 32


@dataclass(frozen=True)
class Cell:
    """A cell beside a line: a sign and words, in a style of Rich."""

    sign: str
    words: str
    style: str = ""


@dataclass(frozen=True)
class Entry:
    """A line, its number or no label, and a cell for each column."""

    label: str
    source: Row
    cells: tuple[Cell, ...]


class Entries:
    """Entries, with the width of each column."""

    def __init__(self, titles: Sequence[str], entries: Sequence[Entry], width: int) -> None:
        self.titles, self.entries = titles, entries
        self.label = max(len(entry.label) for entry in entries)
        columns = [[entry.cells[i] for entry in entries] for i in range(len(titles))]
        self.signs = [min(max(len(c.sign) for c in column), _WIDEST_SIGN) for column in columns]
        # A cell without a sign, such as a title, begins in the sign's column.
        spare = [sign + len(_GAP) for sign in self.signs]
        self.words = [
            min(max(len(title) - room, *(_longest(c, room) for c in column)), _WIDEST_WORDS)
            for title, room, column in zip(titles, spare, columns, strict=True)
        ]
        longest = max(sum(text_width(text) for text, _ in entry.source) for entry in entries)
        room = width - self.label - 3 - sum(map(self._width, range(len(titles))))
        self.is_wide = room >= min(longest, _ENOUGH_SOURCE)
        self.source = min(longest, room if self.is_wide else width - self.label - 3)
        if not self.is_wide:
            self._narrow(width)

    def _narrow(self, width: int) -> None:
        """Put the cells below each other, after the titles of their columns."""
        sign = max(self.signs)
        before = self.label + 5 + max(map(len, self.titles)) + sign + 2 * len(_GAP)
        self.signs = [sign] * len(self.titles)
        self.words = [max(width - before, _NARROWEST_WORDS)] * len(self.titles)

    def rows(self) -> Iterator[Row]:
        """The titles of the columns, where they are beside each other, and all entries."""
        if self.is_wide:
            begin = " " * (self.label + 3 + self.source)
            heads = ((_GAP + t).ljust(self._width(i)) for i, t in enumerate(self.titles))
            yield [(begin, ""), *((head, BOLD) for head in heads)]
        for entry in self.entries:
            yield from self._beside(entry) if self.is_wide else self._below(entry)

    def _width(self, column: int) -> int:
        return self.signs[column] + self.words[column] + 2 * len(_GAP)

    def _beside(self, entry: Entry) -> Iterator[Row]:
        cells = [list(self._cell(i, cell)) for i, cell in enumerate(entry.cells)]
        blank = [[(" " * self._width(i), "")] for i in range(len(cells))]
        sources = list(break_row(entry.source, self.source))
        for number, (source, *row) in enumerate(zip_longest(sources, *cells)):
            used = sum(text_width(text) for text, _ in source or [])
            pieces = [piece for i, cell in enumerate(row) for piece in cell or blank[i]]
            pad = (" " * (self.source - used), "")
            yield [self._label(entry if number == 0 else None), *(source or []), pad, *pieces]

    def _below(self, entry: Entry) -> Iterator[Row]:
        for number, source in enumerate(break_row(entry.source, self.source)):
            yield [self._label(entry if number == 0 else None), *source]
        margin, name = " " * (self.label + 5), max(map(len, self.titles))
        for i, cell in enumerate(entry.cells):
            for number, row in enumerate(self._cell(i, cell)):
                title = self.titles[i] if number == 0 else ""
                *sign, (words, style) = row
                yield [(f"{margin}{title:<{name}}", DIM), *sign, (words.rstrip(), style)]

    def _label(self, entry: Entry | None) -> tuple[str, str]:
        return f" {entry.label if entry else '':>{self.label}}  ", DIM

    def _cell(self, column: int, cell: Cell) -> Iterator[Row]:
        sign, words = self.signs[column], max(self.words[column], 1)
        room = words if cell.sign else words + sign + len(_GAP)
        signs = textwrap.wrap(cell.sign, max(sign, 1))
        words_lines = [
            part for line in cell.words.splitlines() for part in textwrap.wrap(line, room)
        ]
        for left, right in zip_longest(signs, words_lines, fillvalue=""):
            before = f"{_GAP}{left:<{sign}}" if cell.sign else ""
            style = "" if cell.sign else cell.style
            yield [(before, cell.style), (f"{_GAP}{padded(right, room)}", style)]


def _longest(cell: Cell, spare: int) -> int:
    longest = max(map(text_width, cell.words.splitlines()), default=0)
    return longest if cell.sign else longest - spare
