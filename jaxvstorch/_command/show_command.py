"""``jaxvstorch show``: the source of examples, to read and to paste. Imports no framework."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import jaxvstorch
from jaxvstorch import _frameworks
from jaxvstorch._command import BadInputError, terminal
from jaxvstorch._command.files import check_page
from jaxvstorch._files import write_whole

if TYPE_CHECKING:
    from jaxvstorch._pairs.pair import Pair

_HEAD = '''\
"""{pair} in {title}, from jaxvstorch {version}: https://jaxvstorch.github.io/jaxvstorch

License: Apache-2.0
"""
'''


def show(
    name: Annotated[
        str, typer.Argument(help="A pair, such as branching.select_where, or a topic.")
    ],
    framework: Annotated[
        str | None, typer.Option(metavar="jax|torch", help="Show only one half.")
    ] = None,
    shapes: Annotated[
        bool,
        typer.Option("--shapes", help="Keep the shapes in the annotations; they need jaxtyping."),
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option(metavar="OUT.py", help="Write the half into a file; needs --framework."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, for programs to read.")
    ] = False,
) -> None:
    """Show the source of a pair in both frameworks, or of every pair of a topic.

    jaxvstorch show branching.select_where --framework jax --file select.py

    Each half comes with the imports, constants and helpers that it uses, so it
    runs where you paste it.
    """
    from jaxvstorch._pairs.registry import PAIRS, unknown  # it imports every topic, and NumPy

    try:
        if framework not in (None, *_frameworks.FRAMEWORKS):
            raise BadInputError(f"--framework must be jax or torch, not {framework!r}")
        pairs = [pair for pair in PAIRS if name in (str(pair), pair.topic)]
        if not pairs:
            raise BadInputError(unknown(name))
        chosen = [framework] if framework else list(_frameworks.FRAMEWORKS)
        if file is not None and as_json:
            raise BadInputError("--json prints, and --file writes: use one of them")
        if file is not None:
            _write(file, pairs, framework, shapes)
        elif as_json:
            terminal.show_json("show", {"pairs": [_to_dict(p, chosen, shapes) for p in pairs]})
        else:
            _print(pairs, chosen, shapes)
    except BadInputError as error:
        terminal.console(stderr=True).print(f"jaxvstorch: {error}", soft_wrap=True)
        raise typer.Exit(2) from error


def _print(pairs: "list[Pair]", chosen: list[str], shapes: bool) -> None:
    out = terminal.console()
    for number, pair in enumerate(pairs):
        if number:
            out.file.write("\n" if out.is_terminal else "\n\n")
        halves = {
            f"{_frameworks.TITLES[framework]}: {pair}": pair.source(framework, shapes=shapes)
            for framework in chosen
        }
        terminal.show_sources(out, halves)


def _to_dict(pair: "Pair", chosen: list[str], shapes: bool) -> dict[str, object]:
    sources = {framework: pair.source(framework, shapes=shapes) for framework in chosen}
    return {"name": str(pair), "topic": pair.topic, "sources": sources}


def _write(file: Path, pairs: "list[Pair]", framework: str | None, shapes: bool) -> None:
    """Write a module that holds one half."""
    first, *others = pairs
    if others:
        raise BadInputError(
            f"--file takes one pair, but {first.topic} is a topic: name a pair, such as {first}"
        )
    if framework is None:
        raise BadInputError(f"--file writes one half of {first}: add --framework jax or torch")
    check_page(file, option="--file")
    text, other = (_module(first, framework, each) for each in (shapes, not shapes))
    try:
        # A device or a pipe is written to, and not read.
        if file.is_file() and file.read_bytes() not in (text.encode(), other.encode()):
            raise BadInputError(f"--file {file} exists with other contents: give another name")
        write_whole(text, file)
    except OSError as error:
        raise BadInputError(f"--file {file} cannot be written: {error.strerror}") from error


def _module(pair: "Pair", framework: str, shapes: bool) -> str:
    title, version = _frameworks.TITLES[framework], jaxvstorch.__version__
    head = _HEAD.format(pair=pair, title=title, version=version)
    return f"{head}\n{pair.source(framework, shapes=shapes)}\n"
