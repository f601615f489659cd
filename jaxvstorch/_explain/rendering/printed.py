"""Rows of styled text, as ``rich`` prints them in a terminal and as plain text."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from jaxvstorch._explain.rendering.text_source import Row

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

_WIDTH = 100  # characters of plain text
# A source or an error may hold codes that a terminal would obey.
_CONTROLS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], "\N{REPLACEMENT CHARACTER}")


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
                yield Segment(text.translate(_CONTROLS), Style.parse(style) if style else None)
            yield Segment.line()

    def __str__(self) -> str:
        lines = ("".join(text for text, _ in row).rstrip() for row in self._rows(_WIDTH))
        return "\n".join(line.translate(_CONTROLS) for line in lines)
