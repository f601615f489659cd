"""``jaxvstorch diff``: each place where two implementations part."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jaxvstorch import _frameworks
from jaxvstorch._command import BadInputError, terminal
from jaxvstorch._command.files import check_page, write_page
from jaxvstorch._frameworks.importing import (
    BrokenInstallError,
    MissingFrameworkError,
    importing,
)

if TYPE_CHECKING:
    from jaxvstorch._diff.difference import Diff


def diff(
    first: Annotated[
        str,
        typer.Argument(
            metavar="FIRST.py:name", help="The side that counts as right. Or package.module:name."
        ),
    ],
    second: Annotated[
        str, typer.Argument(metavar="SECOND.py:name", help="The other side, such as its port.")
    ],
    arg: Annotated[
        list[str] | None,
        typer.Option(
            "--arg",
            metavar="TEXT",
            help="One argument, for both sides; repeat the option for more, in order. Write an "
            "array as dtype and shape, such as f32[8,128], for random numbers: integers are 0 to "
            "9. Or write a Python literal, or a tuple, list or dictionary of these.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed for the arrays, and for the weights of new modules.")
    ] = 0,
    weights: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SECOND=FIRST",
            help="A weight's name on the second side, and its name on the first; repeat the option "
            "for more. Needed only where neither numbers nor names nor shapes tell.",
        ),
    ] = None,
    gradient: Annotated[
        bool, typer.Option("--gradient", help="Compare the backward pass too.")
    ] = False,
    float64: Annotated[
        bool,
        typer.Option(
            "--float64/--own-dtypes",
            help="Run in float64 where both sides can, or in the dtypes that they have, which "
            "takes less memory.",
        ),
    ] = True,
    steps: Annotated[
        int,
        typer.Option(
            min=0,
            help="Compare this many training steps, each on arrays of its own: FIRST and SECOND "
            "are steps, as diff_training takes them.",
        ),
    ] = 0,
    html: Annotated[
        Path | None, typer.Option(metavar="OUT.html", help="Also write a web page, as one file.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, for programs to read.")
    ] = False,
) -> None:
    """Find each place where two implementations part, such as a model and its port.

    jaxvstorch diff model.py:Net port.py:net --arg 'f32[8,128]'
    jaxvstorch diff a.py:gelu b.py:gelu --arg 'f32[16]' --html report.html

    Both sides run on the same arguments. A name stands for a function, a method,
    a module made at top level, or a tuple (function, weights). A class of modules
    is called, without arguments or with rngs or key alone; --seed seeds it.
    With --steps, it stands for a training step: a function of PyTorch, or a tuple
    (step, state, ...) of JAX.

    What the sides print goes to standard error. The exit status is 0 if they are
    the same, 1 if they differ, 2 if they could not be compared.
    """
    try:
        if gradient and steps:
            raise BadInputError("--steps compares gradients too: leave out --gradient")
        if steps and not float64:
            raise BadInputError("--steps runs in float64 where it can: leave out --own-dtypes")
        options = {"gradient": gradient, "float64": float64, "steps": steps}
        report = _run((first, second), arg or [], seed, weights or [], html, options)
    except (BadInputError, BrokenInstallError, MissingFrameworkError) as error:
        _say(str(error))
        raise typer.Exit(2) from error
    except KeyboardInterrupt:
        _say("stopped.")
        raise typer.Exit(130) from None
    _show(report, as_json)
    raise typer.Exit(0 if report.same else 1)


def _run(
    targets: tuple[str, str],
    arguments: list[str],
    seed: int,
    weights: list[str],
    html: Path | None,
    options: dict[str, Any],
) -> "Diff":
    """Compare, and write the page."""
    from jaxvstorch._command.output import stdout_to_stderr
    from jaxvstorch._command.texts import parse_arguments

    if html is not None:
        for target in targets:
            check_page(html, target)
    asked = parse_arguments(arguments)
    if asked.kwargs:
        name = next(iter(asked.kwargs))
        raise BadInputError(f"--arg {name}=…: diff passes arguments by position: leave out {name}=")
    names = dict(map(_names_of_weight, weights))
    for framework in _frameworks.FRAMEWORKS:
        _frameworks.require(framework, wanted_by="jaxvstorch diff")
    with stdout_to_stderr():
        with importing("jaxvstorch diff"):
            from jaxvstorch._command.compared import compared
        report = compared(targets, asked, seed, names, **options)
    if html is not None:
        from jaxvstorch._diff.rendering.html import page

        write_page(html, page(report, targets))
    return report


def _names_of_weight(text: str) -> tuple[str, str]:
    second, equals, first = (part.strip() for part in text.partition("="))
    if not (second and equals and first):
        raise BadInputError(
            f"--weights {text!r}: expected the second side's name and the first's, as in "
            "head.kernel=head.weight"
        )
    return second, first


def _show(report: "Diff", as_json: bool) -> None:
    if as_json:
        print(json.dumps(report.to_dict(), indent=1))
        return
    out = terminal.console()
    for line in str(report).split("\n"):
        out.print(line, soft_wrap=True)


def _say(message: str) -> None:
    """Print one line to standard error."""
    one_line = " ".join(message.split())
    terminal.console(stderr=True).print(f"jaxvstorch: {one_line}", soft_wrap=True)
