"""``jaxvstorch map``: what a name of one framework is in the other. Imports neither."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from jaxvstorch._command import terminal

if TYPE_CHECKING:
    from jaxvstorch._port.map.entry import NameEntry
    from jaxvstorch._port.map.verdict import NameDifference, NameProbe

Line = tuple[str, str | Text]  # a label, and what stands beside it


def map_names(
    name: Annotated[
        str | None,
        typer.Argument(help="Such as torch.gather, gather, nn.Linear or jnp.take_along_axis."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, for programs to read.")
    ] = False,
) -> None:
    """Show what a name of PyTorch or JAX is in the other framework, and how the two differ.

    Without a name it says what the map has; with --json, all of it.

    In what it prints, paste.gather is a function to paste, whose source stands
    below; key is a random key, rngs are flax's, and w holds a module's weights
    by PyTorch's names. t is torch.tensor, and a is jnp.asarray.
    """
    from jaxvstorch._port.map.entry import entry, find_name
    from jaxvstorch._port.map.rows import rows

    every = rows().values() if as_json else ()
    found = find_name(name) if name else [entry(row) for row in every]
    if name and not found:
        terminal.console(stderr=True).print(_unknown(name), soft_wrap=True)
        raise typer.Exit(2)
    if as_json:
        print(json.dumps({"names": [asdict(one) for one in found]}, indent=1))
    elif name:
        _show(found)
    else:
        _say_what_there_is()


def _unknown(name: str) -> str:
    from jaxvstorch._port.map.lookup import nearest

    *rest, last = nearest(name) or [""]
    near = f"{', '.join(rest)} or {last}" if rest else last
    return f"jaxvstorch: the map has no {name!r}." + f" Did you mean {near}?" * bool(near)


def _say_what_there_is() -> None:
    from jaxvstorch._port.map.rows import groups

    out, table = terminal.console(), _table()
    for title, rows in groups().items():
        table.add_row(str(len(rows)), title.rstrip("."))
    out.print(f"The map has {sum(map(len, groups().values()))} names of PyTorch:")
    terminal.show(out, table)
    out.print("Ask for one of them, or for a name of JAX: jaxvstorch map torch.gather")


def _show(found: "list[NameEntry]") -> None:
    out = terminal.console()
    shown: set[str] = set()
    for number, one in enumerate(found):
        if number:
            out.print()
        out.print(
            Text.assemble((one.name, "bold"), f", a form of {one.form_of}" * bool(one.form_of))
        )
        table = _table()
        known = one.form_of in shown  # all but its own is said already
        for label, text in _of_form(one) if known else [*_lines(one), *_of_form(one)]:
            table.add_row(label, text)
        terminal.show(out, table)
        shown.add(one.name)
        if one.paste and not known:
            text = "\n\n\n".join((one.imports, *one.paste.values()))
            out.print(Text(f"\n{text}"), soft_wrap=True)


def _table() -> Table:
    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True, justify="right", min_width=9)
    table.add_column(overflow="fold")
    return table


def _lines(entry: "NameEntry") -> Iterator[Line]:
    from jaxvstorch._port.map.verdict import NOTHING

    yield "PyTorch", Text(entry.torch)
    if entry.instead:
        yield "JAX", Text(f"{NOTHING}: {entry.instead}", style="yellow")
        return
    yield "JAX", Text(entry.jax or "", style="bold")
    for label, text in (("weights", entry.weights), ("plain", entry.plain)):
        if text:
            yield label, Text(text)
    if entry.refused:
        yield "missing", Text(f"{', '.join(entry.refused)}: the line is for the default")
    same = f"{entry.agreed} of {entry.calls} calls gave the same"
    yield "tried", Text(same, style="yellow" if entry.kinds else "green")
    for seen in entry.differences:
        if seen.kind != "refused":
            yield "differs", _said(seen, "JAX")
    for probe in entry.probes:
        if probe.line_differs:
            yield from _probed(probe)
    if entry.first:
        yield "not", Text(entry.first, style="red")
    for seen in entry.first_differs:
        yield "because", _said(seen, "this")
    for probe in entry.probes:
        if not probe.line_differs:
            yield from _cured(probe)


def _of_form(entry: "NameEntry") -> Iterator[Line]:
    if entry.changes_its_array and entry.jax:
        yield "note", Text("PyTorch changes its array; in JAX, assign the result")
    for seen in entry.form_differs:
        yield "differs", _said(seen, entry.form_of or "")


def _probed(probe: "NameProbe") -> Iterator[Line]:
    yield "differs", Text(f"{probe.kind}: {probe.torch} gives {probe.torch_value}")
    yield "", Text(f"  {probe.jax} gives {probe.jax_value}")
    if probe.line_value and probe.line_value != probe.jax_value:
        yield "", Text(f"  the line above gives {probe.line_value}")


def _cured(probe: "NameProbe") -> Iterator[Line]:
    yield "not", Text(f"{probe.jax}, which gives {probe.jax_value}", style="red")
    yield "because", Text(f"{probe.kind}: {probe.torch} gives {probe.torch_value}")


def _said(seen: "NameDifference", other: str) -> Text:
    from jaxvstorch._port.map.verdict import KINDS

    return Text(f"{KINDS[seen.kind]}: ({seen.call}) gives {seen.torch}; {other}: {seen.jax}")
