"""``jaxvstorch error``: what a message means, and what to do about it. Imports no framework."""

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from jaxvstorch._command import terminal
from jaxvstorch._errors.entry import PRELUDE

if TYPE_CHECKING:
    from rich.console import Console

    from jaxvstorch._errors.entry import Entry
    from jaxvstorch._errors.lookup import Match

_LONGEST = 12  # lines of a message


def error(
    message: Annotated[
        list[str] | None,
        typer.Argument(help="A message, or the name of an entry; otherwise standard input."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, for programs to read.")
    ] = False,
) -> None:
    """Say what an error of JAX or PyTorch means, and what to do about it.

    Paste a traceback, or pipe a log:

        python train.py 2>&1 | jaxvstorch error

    Exits with 1 if the index does not know it.
    """
    from jaxvstorch._errors import lookup
    from jaxvstorch._errors.entry import entries

    out = terminal.console()
    named = entries().get(" ".join(message or ()))
    if named and as_json:
        terminal.show_json("error", _document([lookup.Match(named, "", None)], []))
        return
    if named:
        _show_entry(out, named)
        return
    text = " ".join(message) if message else _read()
    found = lookup.find(text)
    near = [] if found else lookup.nearest(text)
    if as_json:
        terminal.show_json("error", _document(found, near))
    elif found:
        _show(out, found)
    elif text.strip():
        _say_unknown(out, near)
    else:
        out.print("The text is empty: there is nothing to find.")
    raise typer.Exit(0 if found else 1)


def _read() -> str:
    """All of standard input, in whatever encoding the log has."""
    from jaxvstorch._errors.plain import decoded

    if sys.stdin is None:  # it was closed when Python began
        return ""
    if sys.stdin.isatty():
        terminal.console(stderr=True).print("Paste the traceback, then press Ctrl-D.")
    return decoded(sys.stdin.buffer.read())


def _document(found: "Iterable[Match]", near: "Iterable[Entry]") -> dict[str, object]:
    return {
        "found": [
            {
                "entry": match.entry.path,
                "message": match.message,
                "file": match.line.file if match.line else None,
                "line": match.line.number if match.line else None,
                "cure": match.cure,
                "address": _address(match.entry),
            }
            for match in found
        ],
        "nearest": [entry.path for entry in near],
    }


def _show(out: "Console", found: "list[Match]") -> None:
    first, *others = found
    lines = first.message.splitlines()
    out.print(Text("\n".join(lines[:_LONGEST]), style="red"), soft_wrap=True)
    if len(lines) > _LONGEST:
        out.print(f"… ({len(lines) - _LONGEST} more lines)")
    if first.line:
        place = Text(f"\n{first.line.file}:{first.line.number}", style="dim")
        out.print(place + Text(f"  {first.line.code}"), soft_wrap=True)
    out.print()
    _show_entry(out, first.entry, first.cure)
    if others:
        names = ", ".join(match.entry.path for match in others[:3])
        out.print(f"\nAlso in this text: {names}", soft_wrap=True)


def _show_entry(out: "Console", entry: "Entry", cure: str = "") -> None:
    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True, justify="right", min_width=5)
    table.add_column(overflow="fold")
    for label, text in _rows(entry, cure):
        table.add_row(label, text)
    terminal.show(out, table)
    halves = {"wrong": entry.wrong, "right": entry.right}
    out.print()
    terminal.show_sources(out, halves)
    out.print(
        Text(f"\nBoth begin with: {'; '.join(PRELUDE[entry.framework].splitlines())}", style="dim")
    )


def _rows(entry: "Entry", cure: str) -> Iterator[tuple[str, Text]]:
    yield "entry", Text(f"{entry.path}: {entry.title}", style="bold")
    yield "why", Text(entry.why)
    if cure:
        yield "fix", Text(cure, style="green")
    others = [each for each in entry.cures if each.text != cure]
    for each in others:
        when = f"If {each.when}: " if each.when else ""
        yield "or" if cure or each is not others[0] else "fix", Text(f"{when}{each.text}")
    yield "page", Text(_address(entry))
    if entry.twin:
        yield "twin", Text(entry.twin)


def _address(entry: "Entry") -> str:
    from jaxvstorch._explain.rendering.layout import BOOK

    return f"{BOOK}errors/{entry.path}.html"


def _say_unknown(out: "Console", near: "list[Entry]") -> None:
    out.print("This is not in the index.")
    if near:
        out.print("The entries that share most words with it, which need not be about it:")
        for entry in near:
            out.print(Text(f"  {entry.path}  {entry.title}"), soft_wrap=True)
