"""``jaxvstorch map``: what a name of one framework is in the other. Imports neither."""

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

    Without a name it lists what the map has; with --json, it prints all of it.

    In the output, paste.gather is a function to paste, and its source is below;
    key is a random key, rngs are flax's, and w holds a module's weights under
    PyTorch's names. t is torch.tensor, and a is jnp.asarray.
    """
    from jaxvstorch._port.map.entry import entry_of, find_name
    from jaxvstorch._port.map.rows import rows

    every = rows().values() if as_json else ()
    entries = find_name(name) if name else [entry_of(row) for row in every]
    if name and not entries:
        terminal.console(stderr=True).print(_unknown(name), soft_wrap=True)
        raise typer.Exit(2)
    if as_json:
        terminal.show_json("map", {"names": [asdict(each) for each in entries]})
    elif name:
        _show(entries)
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
    out.print(f"The map has {sum(map(len, groups().values()))} PyTorch names:")
    terminal.show(out, table)
    out.print("Ask for one of them, or for a JAX name: jaxvstorch map torch.gather")


def _show(entries: "list[NameEntry]") -> None:
    out = terminal.console()
    shown: set[str] = set()
    for number, entry in enumerate(entries):
        if number:
            out.print()
        form = f", a form of {entry.form_of}" if entry.form_of else ""
        out.print(Text.assemble((entry.name, "bold"), form))
        table = _table()
        known = entry.form_of in shown  # all but its own is said already
        for label, text in _of_form(entry) if known else [*_lines(entry), *_of_form(entry)]:
            table.add_row(label, text)
        terminal.show(out, table)
        shown.add(entry.name)
        if entry.paste and not known:
            text = "\n\n\n".join((entry.imports, *entry.paste.values()))
            out.print(Text(f"\n{text}"), soft_wrap=True)


def _table() -> Table:
    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True, justify="right", min_width=9)
    table.add_column(overflow="fold")
    return table


def _lines(entry: "NameEntry") -> Iterator[Line]:
    from jaxvstorch._port.map.verdict import Agreement

    yield "PyTorch", Text(entry.torch)
    if entry.instead:
        yield "JAX", Text(f"{Agreement.NO_COUNTERPART}: {entry.instead}", style="yellow")
        return
    yield "JAX", Text(entry.jax or "", style="bold")
    texts = (("weights", entry.weights), ("plain", entry.plain), ("begins", entry.begins))
    for label, text in texts:
        if text:
            yield label, Text(text)
    if entry.refused:
        yield "missing", Text(f"{', '.join(entry.refused)}: the line uses the default")
    same = f"{entry.agreed} of {entry.calls} calls gave the same result: {', '.join(entry.tried)}"
    yield "tried", Text(same, style="yellow" if entry.kinds else "green")
    for difference in entry.differences:
        if difference.kind != "refused":
            yield "differs", _difference(difference, "JAX")
    for probe in entry.probes:
        if probe.line_differs:
            yield from _probed(probe)
    if entry.first:
        yield "not", Text(entry.first, style="red")
    for difference in entry.first_differs:
        yield "because", _difference(difference, "this")
    for probe in entry.probes:
        if not probe.line_differs:
            yield from _cured(probe)


def _of_form(entry: "NameEntry") -> Iterator[Line]:
    if entry.changes_its_array and entry.jax:
        yield "note", Text("PyTorch changes its array; in JAX, assign the result")
    for difference in entry.form_differs:
        yield "differs", _difference(difference, entry.form_of or "")


def _probed(probe: "NameProbe") -> Iterator[Line]:
    yield "differs", Text(f"{probe.kind}: {probe.torch} gives {probe.torch_value}")
    yield "", Text(f"  {probe.jax} gives {probe.jax_value}")
    if probe.line_value and probe.line_value != probe.jax_value:
        yield "", Text(f"  the line above gives {probe.line_value}")


def _cured(probe: "NameProbe") -> Iterator[Line]:
    yield "not", Text(f"{probe.jax}, which gives {probe.jax_value}", style="red")
    yield "because", Text(f"{probe.kind}: {probe.torch} gives {probe.torch_value}")


def _difference(difference: "NameDifference", other: str) -> Text:
    from jaxvstorch._port.map.verdict import KINDS

    results = f"gives {difference.torch}; {other}: {difference.jax}"
    return Text(f"{KINDS[difference.kind]}: ({difference.call}) {results}")
