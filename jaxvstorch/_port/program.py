"""Runs a program under a replay, in a process of its own, and writes records to a file.

``jaxvstorch port`` starts ``python -P -m jaxvstorch._port.program OPTIONS``, with options as JSON.
"""

import atexit
import importlib
import json
import os
import runpy
import signal
import sys
import threading
import traceback
import warnings
from contextlib import nullcontext, suppress
from dataclasses import asdict
from pathlib import Path
from time import perf_counter  # a program can replace it in its module
from types import ModuleType
from typing import Any

from jaxvstorch._frameworks.importing import BrokenInstallError, importing
from jaxvstorch._frameworks.installed import is_installed
from jaxvstorch._port.imports import package_of
from jaxvstorch._port.isolation import remove_port_frames, silence_jax
from jaxvstorch._port.notebook import is_cell, is_notebook, read_cells
from jaxvstorch._port.ranks import FirstRank
from jaxvstorch._port.records import Record, Records
from jaxvstorch._port.report_data import short

# Warnings that the program alone would not get: JAX's and Python's of each fork, in which JAX's
# threads are not used, and PyTorch's of the hooks on modules.
_WARNINGS = (
    r"os\.fork\(\) was called",
    r"This process \(pid=\d+\) is multi-threaded",
    r"Using `torch\.compile\(module\)` when there are global",
)


def main(options: dict[str, Any]) -> int:
    """Run the program, and return its own exit status."""
    records = Records(options["records"])
    interrupt = signal.getsignal(signal.SIGINT)
    if interrupt is signal.default_int_handler:  # until the program runs there is nothing to lose
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        with importing("port"):
            _import(bool(options["write"]), options["style"], options["of_jax"])
    except BrokenInstallError as error:
        records.begin(Record.BROKEN, text=str(error))
        return 1
    signal.signal(signal.SIGINT, interrupt)
    sys.unraisablehook = _interrupt_again
    atexit.register(silence_jax)  # before JAX's own function, which logs
    status = (_watch if options["of_jax"] else _replay)(options, records)
    records.finish()
    return status


def _interrupt_again(unraisable: Any) -> None:
    """Send Ctrl-C's signal again where Python drops it, as in JAX's callback on each collection."""
    if unraisable.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(unraisable)
        return
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.daemon = True
    timer.start()


def _import(drafting: bool, style: str, of_jax: bool) -> None:
    """Import all that is needed, before the program's folder can hide any of it."""
    if of_jax:
        importlib.import_module("jaxvstorch._port.torch_draft.finishing")
        return
    further = ["draft.styles.comparing"] if style != "nnx" else []
    further += ["draft.styles.equinox_models"] if style == "equinox" else []
    for name in ("replay", "reading", *(("draft.finishing", *further) if drafting else ())):
        importlib.import_module(f"jaxvstorch._port.{name}")


def _replay(options: dict[str, Any], records: Records) -> int:
    from jaxvstorch._port.replay import Replay

    def record_call(location: Any, call: Any) -> None:
        records.add(Record.CALL, location=asdict(location), call=asdict(call))
        if recording is not None:
            recording.record(location, call)

    process = os.getpid()
    forks: list[int] = []
    os.register_at_fork(after_in_parent=lambda: forks.append(1))
    recording = None
    if options["write"]:
        from jaxvstorch._port.draft.recording import Recording

        recording = Recording(options["file"])

    def around_spawned(function: Any) -> FirstRank:
        text = "Of the processes that torch.multiprocessing.spawn started, rank 0 was replayed."
        records.add(Record.NOTE, text=text)
        return FirstRank(function, options["records"], options["limit"])

    replay = Replay(options["limit"], record_call, around_spawned)
    records.begin(Record.BEGUN)
    status = _run(options, replay, recording, records)
    if os.getpid() != process:
        return status  # a fork ran on to the end of the program
    if forks:
        text = f"Not replayed: {len(forks)} forked process{'es' * (len(forks) > 1)}."
        records.add(Record.NOTE, text=text)
    records.add(Record.BEYOND, number=replay.report.beyond)
    try:
        _unreached(options["file"], replay, records)
        if recording is not None:
            recording.argument_types = replay.argument_types
            recording.shorter = replay.shorter_forms.hold
            from jaxvstorch._port.draft.finishing import write_draft

            write_draft(recording, Path(options["write"]), records, options["style"])
    except (Exception, KeyboardInterrupt) as error:  # the program can have replaced anything
        why = f"{type(error).__name__}: {error}"
        records.add(Record.NOTE, text=f"The report could not be completed: {why}")
    return status


def _watch(options: dict[str, Any], records: Records) -> int:
    """Run a program in JAX with its calls watched, and draft it in PyTorch."""
    from jaxvstorch._port.torch_draft.finishing import record_calls, write_draft
    from jaxvstorch._port.torch_draft.recording import Recording

    recording = Recording(options["file"], options["module"])
    records.begin(Record.BEGUN, framework="jax")
    status = _run(options, recording.watching(), None, records)
    try:
        record_calls(recording, records)
        if options["write"]:
            write_draft(recording, Path(options["write"]), records)
    except (Exception, KeyboardInterrupt) as error:  # the program can have replaced anything
        why = f"{type(error).__name__}: {error}"
        records.add(Record.NOTE, text=f"The report could not be completed: {why}")
    return status


def _run(options: dict[str, Any], replay: Any, recording: Any, records: Records) -> int:
    """Run the file as Python would, record how it ended, and print its error as Python would."""
    path, module = options["file"], options["module"]
    sys.argv = [options["typed"], *options["arguments"]]
    if not os.environ.get("PYTHONSAFEPATH"):  # this process itself was started with -P
        sys.path.insert(0, os.getcwd() if module else str(Path(path).resolve().parent))
    for message in _WARNINGS:
        warnings.filterwarnings("ignore", message=message)
    ended, status, begun = None, 0, perf_counter()
    try:
        with replay as code, nullcontext() if recording is None else recording.watching():
            if options["of_jax"]:
                _as_main(path, code, module)
            elif module:
                runpy.run_module(module, run_name="__main__", alter_sys=True)
            elif is_notebook(path):
                _run_cells(path)
            else:
                _as_main(path)
    except SystemExit as end:
        if end.code not in (None, 0):
            ended = f"The program called sys.exit({end.code!r})."
            status = end.code if isinstance(end.code, int) else 1
            if not isinstance(end.code, int):
                print(end.code, file=sys.stderr)
    except KeyboardInterrupt:
        ended, status = "The program was stopped.", 130
    except BaseException as error:
        remove_port_frames(error)
        _print(error)
        ended, status = _failure(error, path), 1
    records.add(Record.ENDED, how=ended, seconds=perf_counter() - begun)
    return status


def _print(error: BaseException) -> None:
    """Print an error as Python does at the end, also where the program's hook for it fails."""
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except BaseException as failure:
        print("Error in sys.excepthook:", file=sys.stderr)
        remove_port_frames(failure)
        failure.__context__ = None
        sys.__excepthook__(type(failure), failure, failure.__traceback__)
        print("\nOriginal exception was:", file=sys.stderr)
        sys.__excepthook__(type(error), error, error.__traceback__)


def _failure(error: BaseException, path: str) -> str:
    """How the program failed, in one sentence."""
    frame = _program_frame(error)
    line = f" at line {frame.lineno} of {short(frame.filename)}" if frame else ""
    try:
        first = (str(error).splitlines() or [""])[0]
    except Exception:
        first = "<exception str() failed>"  # Python's words
    root = _root(path)
    module = ".".join(Path(path).resolve().relative_to(root).with_suffix("").parts)
    relative = isinstance(error, ImportError) and "no known parent package" in first
    itself = isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]
    if "." in module and (relative or itself):
        first += f". Run a module of a package by its name: jaxvstorch port -m {module}"
        first += "" if root == Path.cwd() else f", in the folder {root}"
    return f"The program failed{line}: {type(error).__name__}: {first}"[:1_000]


def _root(path: str) -> Path:
    """The folder around the outermost package that a file belongs to, or the file's own folder."""
    folder = Path(path).resolve().parent
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


def _program_frame(error: BaseException) -> traceback.FrameSummary | None:
    """The innermost frame of the program's own files in an error, or else of any file."""
    frames = traceback.extract_tb(error.__traceback__)
    in_program = [
        f for f in frames if not (f.filename.startswith("<frozen") or is_installed(f.filename))
    ]
    return next(reversed(in_program or frames), None)


def _as_main(path: str, codes: Any = None, module: str | None = None) -> None:
    """Run a file as ``__main__``; ``runpy`` would put its whole path into ``sys.argv[0]``.

    Args:
        path: of the file.
        codes: what is run instead of it, such as the code of each cell.
        module: its name, if it is run as a module; its imports can be relative.
    """
    port_main, main = sys.modules["__main__"], ModuleType("__main__")
    main.__dict__.update(__file__=path, __builtins__=__builtins__, __cached__=None)
    if is_notebook(path):
        os.chdir(Path(path).parent)
        main.__dict__.update(display=print)
    if module and (package := package_of(path, module)):
        importlib.import_module(package)
        main.__package__ = package
    codes = codes or [compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)]
    sys.modules["__main__"] = main
    try:
        for code in codes:
            exec(code, main.__dict__)
    finally:
        sys.modules["__main__"] = port_main


def _run_cells(path: str) -> None:
    """Run a notebook's cells in order, in its folder, as Jupyter does."""
    os.chdir(Path(path).parent)
    port_main, main = sys.modules["__main__"], ModuleType("__main__")
    main.__dict__.update(__builtins__=__builtins__, display=print)
    sys.modules["__main__"] = main
    try:
        for cell in read_cells(path):
            exec(compile(cell.source, cell.file, "exec", dont_inherit=True), main.__dict__)
    finally:
        sys.modules["__main__"] = port_main


def _unreached(path: str, replay: Any, records: Records) -> None:
    """Record the calls in the program's own files that it did not make."""
    from jaxvstorch._port.reading import add_unreached

    folder = str(_root(path))
    files = {path, *(file for file, _ in replay.report.lines if file.startswith(folder))}
    own = [file for file in sorted(files) if not (is_installed(file) or is_cell(file))]
    add_unreached(replay.report, own)
    for (file, number), line in sorted(replay.report.unreached.items()):
        for call in line.calls:
            location = {"file": file, "line": number}
            records.add(Record.UNREACHED, location=location, call=asdict(call))


if __name__ == "__main__":
    code = main(json.loads(sys.argv[1]))
    with suppress(Exception):  # the program may have closed it
        sys.stdout.flush()
    sys.exit(code)
