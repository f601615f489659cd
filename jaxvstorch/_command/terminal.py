"""How the command prints: styled in a terminal, plain and complete in a pipe."""

import json
from collections.abc import Iterator
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from jaxvstorch._messages import printable

# A pipe has no width: nothing that goes there is wrapped or cut.
_PIPE_WIDTH = 10_000
_GAP = 3  # columns between the two halves


class _Console(Console):
    """One to which sources, names and messages give no orders; it styles its own text."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def console(pipe_width: int = _PIPE_WIDTH, **options: Any) -> Console:
    """A console for standard output, or with ``stderr=True`` for standard error.

    It prints text as it is: a ``[`` in a path or a name does not start markup.
    """
    # Called in a notebook's kernel, the command still writes to the streams it was given.
    plain: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
    terminal = _Console(force_jupyter=False, **plain, **options)
    if terminal.is_terminal:
        return terminal
    return _Console(force_jupyter=False, width=pipe_width, **plain, **options)


def show(out: Console, content: RenderableType) -> None:
    """Print without the padding of a table, which would be copied with the text."""
    shown: list[Segment] = []
    for line in out.render_lines(content, pad=False):
        while line and not line[-1].text.rstrip():
            line.pop()
        if line:
            line[-1] = Segment(line[-1].text.rstrip(), line[-1].style)
        shown += [*line, Segment.line()]
    out.print(Segments(shown), end="")


def show_json(kind: str, document: dict[str, Any], version: int = 1) -> None:
    """Print a document for programs; it begins with its kind and the version of its schema."""
    schema = {"name": f"jaxvstorch-{kind}", "version": version}
    print(json.dumps({"schema": schema, **document}, indent=1))


def show_sources(out: Console, halves: dict[str, str]) -> None:
    """Print sources, side by side where all fit in the terminal, otherwise one after the other.

    In a pipe each is headed by a comment, so that what comes out is still Python.

    Args:
        out: where to.
        halves: source by heading.
    """
    if not out.is_terminal:
        out.file.write("\n\n".join(f"# {head}\n{code}\n" for head, code in halves.items()))
        return
    widths = [max(map(len, [head, *code.splitlines()])) for head, code in halves.items()]
    if sum(widths) + _GAP * (len(widths) - 1) <= out.width:
        table = Table.grid(padding=(0, _GAP, 0, 0), pad_edge=False)
        table.add_row(*map(_heading, halves))
        table.add_row(*map(_highlighted, halves.values()))
        show(out, table)
        return
    for number, (head, code) in enumerate(halves.items()):
        out.print(_heading(head) if number == 0 else Text("\n") + _heading(head))
        # The terminal wraps lines that are too long; copied, they are still one line.
        out.print(_highlighted(code), soft_wrap=True)


def _heading(text: str) -> Text:
    return Text(text, style="bold underline")


def _highlighted(code: str) -> Text:
    from rich.syntax import Syntax  # takes longer to import than everything else here

    # The terminal's own sixteen colours read on a dark background and on a light one.
    text = Syntax(code, "python", theme="ansi_dark", background_color="default").highlight(code)
    text.rstrip()
    return text
