"""``jaxvstorch port``: what each line of a PyTorch program becomes in JAX, tried as it runs."""

import json
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jaxvstorch import _frameworks
from jaxvstorch._command import BadInputError, terminal
from jaxvstorch._command.files import check_page, write_page
from jaxvstorch._command.port_model import port_model
from jaxvstorch._command.target import module_file
from jaxvstorch._frameworks.importing import BrokenInstallError, MissingFrameworkError
from jaxvstorch._port import LIMIT, STYLES, missing_for
from jaxvstorch._port.imports import is_of_jax
from jaxvstorch._port.notebook import is_notebook, read_cells

if TYPE_CHECKING:
    from jaxvstorch._port.report import PortReport

SECONDS = 300.0  # that a program may run


def port(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.py", help="A program or a notebook in PyTorch or JAX; see -m."
        ),
    ],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- ARGUMENTS", help="The program's own arguments, after --."),
    ] = None,
    module: Annotated[
        bool,
        typer.Option(
            "-m",
            help="FILE.py is a module's name, as for python -m; or a model, as PACKAGE:MODEL.",
        ),
    ] = False,
    config: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SETTINGS",
            help="A model's settings, repeatable: tiny cuts its sizes; FILE.json; KEY=VALUE.",
        ),
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--arg", help="What a model is called with, repeatable, such as 'f32[2,3,64,64]'."
        ),
    ] = None,
    static: Annotated[
        bool,
        typer.Option("--static", help="Only read the file and run nothing; the report says less."),
    ] = False,
    write: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.py",
            help="Also write a draft of the port, and its tests beside it, as test_OUT.py.",
        ),
    ] = None,
    style: Annotated[
        str, typer.Option(metavar="STYLE", help="The draft's style: nnx, equinox or functions.")
    ] = "nnx",
    html: Annotated[
        Path | None, typer.Option(metavar="OUT.html", help="Also write a web page, as one file.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, for programs to read.")
    ] = False,
    limit: Annotated[
        int, typer.Option(min=1, help="How many calls of one function on one line to replay.")
    ] = LIMIT,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            show_default=f"{SECONDS:g}",
            help="Stop the program after this time, in seconds.",
        ),
    ] = None,
) -> None:
    """Run a PyTorch program, repeat its calls in JAX, and report line by line.

    jaxvstorch port train.py -- --epochs 1
    jaxvstorch port -m package.train
    jaxvstorch port -m transformers:ViTModel --config tiny --write draft.py

    A program in JAX is repeated in PyTorch, and its draft is one in PyTorch.

    The program runs as it would alone; its output goes to standard error. The
    exit status is 0 if it ran to its end, 1 if it failed or was stopped (the
    report shows what was replayed until then), 2 if nothing could be replayed,
    or the draft or the page could not be written. None of the files that are
    written replaces one of yours.
    """
    try:
        name = str(file) if module else None
        of_model = name is not None and ":" in name
        if (config or inputs) and not of_model:
            raise BadInputError("--config and --arg are of a model: give it as -m PACKAGE:MODEL")
        if name is not None and not of_model:
            file = module_file(name)
        if not of_model:
            _check(file, write, static)
        _check_outputs(file, write, html)
        if style not in STYLES:
            raise BadInputError(f"--style {style}: expected {' or '.join(STYLES)}")
        if missing := missing_for(style):
            raise BadInputError(f"--style {style}: {missing}")
        if style != "nnx" and write is None:
            raise BadInputError("--style is of a draft: give --write OUT.py")
        if style != "nnx" and not of_model and is_of_jax(str(file), name):
            raise BadInputError(f"--style is of a draft in JAX: that of {file} is in PyTorch")
        if name is not None and of_model:
            if static or arguments or seconds is not None:
                others = "--static, --seconds and -- are of programs"
                raise BadInputError(f"-m {name} is a model: {others}")
            report = port_model(name, config or [], inputs or [], limit, write, style)
        elif static:
            report = _read(file)
        else:
            run = {"limit": limit, "seconds": seconds or SECONDS, "write": write, "module": name}
            run |= {"style": style}
            report = _run(file, arguments or [], **run)
        if not of_model:
            _require_calls(report, file, static)
    except (BadInputError, BrokenInstallError, MissingFrameworkError) as error:
        _say(error)
        raise typer.Exit(2) from error
    _show(report, as_json)
    if report.failed_draft:
        _say(f"--write {write} cannot be written: {report.failed_draft}")
    try:
        if html is not None:
            from jaxvstorch._port.rendering.html import page

            write_page(html, page(report))
    except BadInputError as error:
        _say(error)
        raise typer.Exit(2) from error
    raise typer.Exit(2 if report.failed_draft else 1 if report.ended else 0)


def _read(file: Path) -> "PortReport":
    from jaxvstorch._port.reading import static_report

    try:
        return static_report(str(file))
    except RecursionError as error:
        raise BadInputError(f"{file} is nested too deeply to be read") from error


def _run(file: Path, arguments: list[str], **options: Any) -> "PortReport":
    from jaxvstorch._port.process import replayed
    from jaxvstorch._port.ranks import is_later_rank, run_as_it_is

    if is_later_rank():
        run_as_it_is(
            [*(("-m", options["module"]) if options["module"] else (str(file),)), *arguments]
        )
    for name in _frameworks.FRAMEWORKS:
        _frameworks.require(name, wanted_by="jaxvstorch port")
    report = replayed(str(file), arguments, **options)
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        report.notes.append(f"Rank 0 of {os.environ['WORLD_SIZE']} was replayed.")
    return report


def _require_calls(report: "PortReport", file: Path, static: bool) -> None:
    if report.lines:
        return
    if report.ended:
        raise BadInputError(f"nothing of {file} was replayed. {report.ended}")
    calls = "names" if static else "called"
    is_jax = "jax" in file.read_text(encoding="utf-8", errors="replace")
    how = " To port a JAX function, call jaxvstorch.port in Python." if is_jax else ""
    raise BadInputError(f"{file} {calls} nothing from PyTorch that port can replay.{how}")


def _show(report: "PortReport", as_json: bool) -> None:
    if as_json:
        print(json.dumps(report.to_dict(), indent=1))
        return
    from jaxvstorch._port.rendering.text import lines

    out = terminal.console()
    for line in lines(report):
        out.print(line, soft_wrap=True)


def _say(message: object) -> None:
    terminal.console(stderr=True).print(f"jaxvstorch: {message}", soft_wrap=True)


def _check(file: Path, write: Path | None, static: bool) -> None:
    """Refuse what cannot be read before anything runs."""
    if file.is_dir():
        raise BadInputError(f"{file} is a folder: give the program's file")
    if file.exists() and not file.is_file():  # a pipe is empty when it is read again
        raise BadInputError(f"{file} is not a file on a disk: give the program's file")
    try:
        with warnings.catch_warnings(action="ignore"):  # the program gets them
            if is_notebook(file):
                read_cells(file)
            else:
                compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
    except FileNotFoundError:
        raise BadInputError(f"there is no file {file}") from None
    except OSError as error:
        raise BadInputError(f"{file} cannot be read: {error.strerror}") from error
    except (RecursionError, MemoryError) as error:
        raise BadInputError(f"{file} is nested too deeply for Python") from error
    except (SyntaxError, ValueError) as error:
        what = "notebook in Python" if is_notebook(file) else "Python program"
        raise BadInputError(f"{file} is not a {what}: {error}") from error
    if write is not None and is_notebook(file) and not is_of_jax(str(file)):
        raise BadInputError(
            f"--write needs a program: `jupyter nbconvert --to script {file}` makes one"
        )
    if static and write is not None:
        raise BadInputError("--write needs a run: leave out --static")


def _check_outputs(file: Path, write: Path | None, html: Path | None) -> None:
    """Refuse what cannot be written before anything runs."""
    if write is not None and write.suffix != ".py":
        raise BadInputError(f"--write {write}: a draft is a Python file, whose name ends in .py")
    if write is not None and html is not None and write.absolute() == html.absolute():
        raise BadInputError(f"--write and --html are both {write}: give two names")
    for option, path in (("--write", write), ("--html", html)):
        if path is not None:
            check_page(path, f"{file}:", option)
