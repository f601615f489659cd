"""``jaxvstorch map``: what a name of one framework is in the other. Imports neither."""

import shlex
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.table import Table
from rich.text import Text

from jaxvstorch._command import terminal

if TYPE_CHECKING:
    from jaxvstorch._port.map.entry import NameEntry
    from jaxvstorch._port.map.verdict import NameDifference, NameProbe

_DIFFERENCES = 4  # that a short answer shows
_OTHERS = 6  # names that fit, too

Line = tuple[str, str | Text]  # a label, and what stands beside it


def map_names(
    name: Annotated[
        str | None,
        typer.Argument(help="Such as torch.gather, jnp.matmul, 'x.view(2, 3)' or 'weight decay'."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show all that differs, and all names that fit.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print JSON, for programs to read; of all that fits with --all."
        ),
    ] = False,
) -> None:
    """Show what a name of PyTorch or JAX is in the other framework, and how the two differ.

    It takes a name, a call pasted from code, or a few words. Without a name it
    lists what the map has; with --json, it prints all of it. Exits with 1 if the
    map has no such name.

    In the output, paste.gather is a function to paste, and its source is below;
    key is a random key, rngs are flax's, and w holds a module's weights under
    PyTorch's names. t is torch.tensor, and a is jnp.asarray.
    """
    from jaxvstorch._port.map.entry import VERSION, entry_of
    from jaxvstorch._port.map.lookup import answers, find, meant
    from jaxvstorch._port.map.rows import jax_rows, rows

    found = find(name) if name else [*rows().values(), *jax_rows().values()]
    if name and not found:
        _end(name)
    shown = found if everything or not name else found[:1]
    if as_json:
        entries = [asdict(entry_of(row)) for row in shown]
        terminal.show_json("map", {"names": entries}, VERSION)
    elif name:
        reasons = answers(name)
        _show(
            [(entry_of(row), reasons.get(row.name, f"has {meant(name)}")) for row in shown],
            everything,
        )
        if others := [row.name for row in found if row not in shown]:
            terminal.console().print(_others(name, others))
    else:
        _say_what_there_is()


def _end(name: str) -> NoReturn:
    from jaxvstorch._port.map.lookup import nearest

    *rest, last = nearest(name) or [""]
    near = f"{', '.join(rest)} or {last}" if rest else last
    said = f"jaxvstorch: the map has no {name!r}." + f" Did you mean {near}?" * bool(near)
    terminal.console(stderr=True).print(said, soft_wrap=True)
    raise typer.Exit(1)


def _others(asked: str, names: list[str]) -> Text:
    more = f" and {len(names) - _OTHERS} more" if len(names) > _OTHERS else ""
    command = shlex.join(["jaxvstorch", "map", "--all", asked])
    return Text(f"\nAlso: {', '.join(names[:_OTHERS])}{more} ({command})", style="dim")


def _say_what_there_is() -> None:
    from jaxvstorch._port.map.rows import jax_rows, rows

    out = terminal.console()
    for title, of_framework in (("PyTorch", rows()), ("JAX", jax_rows())):
        out.print(f"{len(of_framework)} names of {title}:")
        table = _table()
        for group, names in of_framework.groups().items():
            table.add_row(str(len(names)), group.rstrip("."))
        terminal.show(out, table)
    out.print("Ask for one of them: jaxvstorch map torch.gather")


def _show(answered: "list[tuple[NameEntry, str]]", everything: bool) -> None:
    """Print each entry, and why it answers."""
    out = terminal.console()
    shown: set[str] = set()
    for number, (entry, reason) in enumerate(answered):
        if number:
            out.print()
        form = f", a form of {entry.form_of}" if entry.form_of else ""
        why = f"  ({reason})" if reason else ""
        out.print(Text.assemble((entry.name, "bold"), form, (why, "dim")))
        table = _table()
        known = entry.form_of in shown  # all but its own is said already
        for label, text in _of_form(entry) if known else _lines(entry, everything):
            table.add_row(label, text)
        terminal.show(out, table)
        shown.add(entry.name)
        if entry.paste and not known:
            text = "\n\n\n".join((entry.imports, *entry.paste.values()))
            out.print(Text(f"\n{text}"), soft_wrap=True)
        if entry.recipe and not known:
            out.print()
            halves = {"PyTorch": entry.recipe.torch, "JAX": entry.recipe.jax}
            terminal.show_sources(out, {f"{k}: {entry.recipe.title}": v for k, v in halves.items()})


def _table() -> Table:
    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True, justify="right", min_width=9)
    table.add_column(overflow="fold")
    return table


def _lines(entry: "NameEntry", everything: bool) -> Iterator[Line]:
    from jaxvstorch._port.map.verdict import Agreement

    halves = [("PyTorch", entry.torch), ("JAX", entry.jax)]
    (own, call), (other, counterpart) = halves if entry.framework == "torch" else halves[::-1]
    yield own, Text(call or "")
    if entry.instead:
        yield other, Text(f"{Agreement.NO_COUNTERPART}: {entry.instead}", style="yellow")
        if entry.recipe and entry.in_recipe:
            yield "run", Text(f"{entry.recipe.title}, below: both gave the same", style="green")
        elif entry.recipe:
            near = f"{entry.recipe.title}, below: it does not call {entry.name}"
            yield "near it", Text(near, style="yellow")
        yield from _of_form(entry)
        return
    yield other, Text(counterpart or "", style="bold")
    texts = (("weights", entry.weights), ("plain", entry.plain), ("begins", entry.begins))
    for label, text in texts:
        if text:
            yield label, Text(text)
    if entry.refused:
        yield "missing", Text(f"{', '.join(entry.refused)}: the line uses the default")
    kinds = f": {', '.join(entry.tried)}" if entry.tried else ""
    same = f"{entry.agreed} of {entry.calls} calls gave the same result{kinds}"
    yield "tried", Text(same, style="yellow" if entry.kinds else "green")
    differing = _differing(entry, other)
    most = len(differing) if everything else _DIFFERENCES
    for lines in differing[:most]:
        yield from lines
    if (left := len(differing) - most) > 0:
        yield "", Text(f"and {left} more differences, which --all shows", style="dim")
    if entry.first:
        yield "not", Text(entry.first, style="red")
    for difference in entry.first_differs:
        yield "because", _difference(entry.framework, difference, "this")
    for probe in entry.probes:
        if not probe.line_differs:
            yield from _cured(probe)
    yield from _of_form(entry)


def _differing(entry: "NameEntry", other: str) -> list[list[Line]]:
    """What differs, line by line; what most people meet stands first."""
    from jaxvstorch._port.map import kinds
    from jaxvstorch._port.map.verdict import NameProbe

    differing: list[NameDifference | NameProbe] = [
        difference
        for difference in entry.differences
        if difference.kind != kinds.KINDS["refused"].word
    ]
    differing += [probe for probe in entry.probes if probe.line_differs]
    return [
        [*_probed(each)]
        if isinstance(each, NameProbe)
        else [("differs", _difference(entry.framework, each, other))]
        for each in sorted(differing, key=kinds.place)
    ]


def _of_form(entry: "NameEntry") -> Iterator[Line]:
    from jaxvstorch._port.map.entry import CHANGED

    if entry.changes_its_array and entry.jax:
        yield "note", Text(CHANGED)
    if entry.is_elsewhere:
        yield "note", Text(f"the call is {entry.form_of}'s; {entry.name} may take other parameters")
    for difference in entry.form_differs:
        yield "differs", _difference("jax", difference, entry.form_of or "")


def _probed(probe: "NameProbe") -> Iterator[Line]:
    from jaxvstorch._port.map.kinds import explained

    yield "differs", Text(f"{explained(probe.kind)}: {probe.torch} gives {probe.torch_value}")
    yield "", Text(f"  {probe.jax} gives {probe.jax_value}")
    if probe.line_value and probe.line_value != probe.jax_value:
        yield "", Text(f"  the line above gives {probe.line_value}")


def _cured(probe: "NameProbe") -> Iterator[Line]:
    from jaxvstorch._port.map.kinds import explained

    yield "not", Text(f"{probe.jax}, which gives {probe.jax_value}", style="red")
    yield "because", Text(f"{explained(probe.kind)}: {probe.torch} gives {probe.torch_value}")


def _difference(framework: str, difference: "NameDifference", other: str) -> Text:
    from jaxvstorch._port.map.kinds import explained

    own, theirs = difference.results(framework)
    results = f"gives {own}; {other}: {theirs}"
    return Text(f"{explained(difference.kind)}: ({difference.call}) {results}")
