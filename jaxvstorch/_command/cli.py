"""The commands of ``jaxvstorch``: list, show, try, explain, error, map, port, diff and doctor."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

import jaxvstorch
from jaxvstorch._command import terminal
from jaxvstorch._command.diff_command import diff
from jaxvstorch._command.error_command import error
from jaxvstorch._command.explain_command import explain
from jaxvstorch._command.map_command import map_names
from jaxvstorch._command.port_command import port
from jaxvstorch._command.show_command import show
from jaxvstorch._command.try_command import try_pair

if TYPE_CHECKING:
    from jaxvstorch._pairs.pair import Pair

app = typer.Typer(
    help="JAX and PyTorch side by side.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs to read.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(jaxvstorch.__version__)
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """JAX and PyTorch side by side."""


@app.command("list")
def list_pairs(as_json: AsJson = False) -> None:
    """List the topics and their pairs of functions."""
    # It imports every topic, and NumPy.
    from jaxvstorch._pairs import source
    from jaxvstorch._pairs.registry import PAIRS, topics

    if as_json:
        listed = [
            {
                "name": topic,
                "summary": source.summary(topic),
                "pairs": [_describe(pair) for pair in PAIRS if pair.topic == topic],
            }
            for topic in topics()
        ]
        terminal.show_json("list", {"topics": listed})
        return
    out = terminal.console()
    for number, topic in enumerate(topics()):
        heading = Text.assemble(
            *["\n"] * (number > 0), (topic, "bold"), f"  {source.summary(topic)}"
        )
        out.print(heading, soft_wrap=not out.is_terminal)
        table = Table.grid(padding=(0, 2))
        for pair in PAIRS:
            if pair.topic == topic:
                table.add_row(f"  {pair}", Text(", ".join(_remarks(pair)), style="dim"))
        terminal.show(out, table)


def _describe(pair: "Pair") -> dict[str, object]:
    return {
        "name": str(pair),
        "gradient": pair.gradient,
        "static": pair.static,
        "jit": pair.jit,
        "fullgraph": pair.fullgraph,
    }


def _remarks(pair: "Pair") -> list[str]:
    static = [f"static: {', '.join(pair.static)}"] if pair.static else []
    no_jit = [] if pair.jit else ["not under jax.jit"]
    breaks = [] if pair.fullgraph else ["torch.compile breaks the graph"]
    return static + no_jit + breaks


app.command()(show)
app.command("try")(try_pair)
app.command()(explain)
app.command()(error)
app.command("map")(map_names)
app.command()(port)
app.command()(diff)


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Check this machine: what is installed, what is wrong, and how to fix it.

    Exits with 1 if something is wrong.
    """
    from jaxvstorch._doctor import examine, report

    checks = examine()
    problems = [check for check in checks if check.problem]
    if as_json:
        document = {"healthy": not problems, "checks": [asdict(check) for check in checks]}
        terminal.show_json("doctor", document)
    else:
        report(terminal.console(), checks)
    raise typer.Exit(1 if problems else 0)
