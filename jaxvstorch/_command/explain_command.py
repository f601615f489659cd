"""The options of ``jaxvstorch explain``. What it needs is imported when it runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jaxvstorch._command import BadInputError, terminal
from jaxvstorch._frameworks.importing import BrokenInstallError, MissingFrameworkError

if TYPE_CHECKING:
    from jaxvstorch._command.output import Shown
    from jaxvstorch._command.request import Request
    from jaxvstorch._explain.ledger_rows import Ledger

Explained = tuple["Shown", "Ledger | None"]


def explain(
    target: Annotated[
        str, typer.Argument(metavar="FILE.py:function", help="Or package.module:Class.method.")
    ],
    arg: Annotated[
        list[str] | None,
        typer.Option(
            "--arg",
            metavar="[NAME=]TEXT",
            help="One argument; repeat the option for more, in order. Write an array as dtype and "
            "shape, such as f32[8,128] or i64[]. Or write a Python literal, or a tuple, list or "
            "dictionary of these.",
        ),
    ] = None,
    static: Annotated[
        list[str] | None,
        typer.Option(
            "--static",
            metavar="NAME=VALUE",
            help="A keyword argument that is static in JAX. VALUE is a Python literal, the name of "
            "a function in the file, such as relu or jax.nn.relu, or else a string. Quotes force "
            "a string.",
        ),
    ] = None,
    call: Annotated[
        list[str] | None,
        typer.Option(
            "--call",
            metavar="TEXT",
            help="All arguments of one call, such as 'f32[8], 3, axis=0'. Repeat the option for a "
            "ledger: all calls run, and explain explains the first.",
        ),
    ] = None,
    framework: Annotated[
        str | None,
        typer.Option(
            metavar="jax|torch|both",
            help="Needed only if the function does not show it. both is for a function that names "
            "no framework, and shows what each compiler makes of its lines.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed for the random numbers in the arrays.")
    ] = 0,
    stages: Annotated[
        bool, typer.Option("--stages", help="Also compile, and show the later stages.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(metavar="OUT.html", help="Also write a web page, as one file."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, for programs to read.")
    ] = False,
    fail_on: Annotated[
        str | None,
        typer.Option(
            metavar="KIND,…",
            help="Exit with 1 if explain finds one of: break, impure, frozen, unrolled, callback, "
            "failed, retrace (which needs --call twice).",
        ),
    ] = None,
) -> None:
    """Explain line by line what jax.jit or torch.compile makes of a function.

    jaxvstorch explain model.py:layer --arg 'f32[8,128]' --static activation=relu

    What the function prints goes to standard error. The exit status is 0 if the
    function was explained, 1 if something that --fail-on names was found, 2 if
    the command failed.
    """
    from jaxvstorch._command.request import Request

    texts = (tuple(arg or ()), tuple(static or ()), tuple(call or ()))
    request = Request(*texts, framework=framework, seed=seed, stages=stages)
    try:
        violations = _run(target, request, html, as_json, fail_on)
    except (BadInputError, BrokenInstallError, MissingFrameworkError) as error:
        _say(str(error))
        raise typer.Exit(2) from error
    except KeyboardInterrupt:
        _say("stopped.")
        raise typer.Exit(130) from None
    for violation in violations:
        _say(f"--fail-on: {violation}")
    raise typer.Exit(1 if violations else 0)


def _run(
    target: str, request: "Request", html: Path | None, as_json: bool, fail_on: str | None
) -> list[str]:
    """Explain and print; return what was found that ``--fail-on`` names."""
    from jaxvstorch._command import output
    from jaxvstorch._command.files import check_page, write_page

    wanted = output.kinds(fail_on, len(request.calls))
    if html is not None:
        check_page(html, target)
    with output.stdout_to_stderr():
        shown, ledger = _explained(target, request)
    if html is not None:
        write_page(html, output.page_of(shown, ledger))
    output.show(shown, ledger, as_json)
    return output.violations(wanted, shown, ledger)


def _explained(target: str, request: "Request") -> Explained:
    from jaxvstorch._command import in_both
    from jaxvstorch._command import request as requests
    from jaxvstorch._command import target as targets
    from jaxvstorch._explain.framework_of import BOTH

    with targets.load(target) as loaded:
        try:
            if request.framework == BOTH:
                return in_both.explained(loaded, request), None
            prepared = requests.prepare(loaded, request)
            ledger = requests.recorded(prepared) if request.calls else None
            return requests.explained(prepared, request.stages), ledger
        except SystemExit as end:
            raise BadInputError(f"{target} called sys.exit({end.code!r})") from end


def _say(message: str) -> None:
    """Print one line to standard error."""
    one_line = " ".join(message.split())
    terminal.console(stderr=True).print(f"jaxvstorch: {one_line}", soft_wrap=True)
