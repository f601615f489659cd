"""Runs a program under a replay, in a process of its own, and writes records to a file.

``jaxvstorch port`` starts ``python -P -m jaxvstorch._port.program OPTIONS``, with options as JSON.
"""

import errno
import importlib
import json
import os
import sys
import time
import traceback
import warnings
from contextlib import nullcontext
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import Any

from jaxvstorch._files import write_marked
from jaxvstorch._frameworks.importing import BrokenInstallError, importing
from jaxvstorch._frameworks.installed import is_installed
from jaxvstorch._port.isolation import remove_port_frames
from jaxvstorch._port.report_data import short


class Record(StrEnum):
    """The kinds of records that the process writes."""

    BROKEN = "broken"
    BEGUN = "begun"
    CALL = "call"
    ENDED = "ended"
    BEYOND = "beyond"
    UNREACHED = "unreached"
    NOTE = "note"
    PARITY = "parity"
    FAILED_DRAFT = "failed draft"


# Warnings that the program alone would not get: JAX's and Python's of each fork, in which JAX's
# threads are not used, and PyTorch's of the hooks on modules.
_WARNINGS = (
    r"os\.fork\(\) was called",
    r"This process \(pid=\d+\) is multi-threaded",
    r"Using `torch\.compile\(module\)` when there are global",
)


def main(options: dict[str, Any]) -> int:
    """Run the program, and return its own exit status."""
    with open(options["records"], "a", buffering=1, encoding="utf-8") as file:

        def record(kind: Record, **values: Any) -> None:
            file.write(json.dumps({"kind": kind, **values}) + "\n")

        try:
            with importing("port"):
                _import(drafting=bool(options["write"]))
        except BrokenInstallError as error:
            record(Record.BROKEN, text=str(error))
            return 1
        return _replay(options, record)


def _import(drafting: bool) -> None:
    """Import all that is needed, before the program's folder can hide any of it."""
    draft = ("draft.recording", "draft.composing", "draft.parity")
    for name in ("replay", "reading", *(draft if drafting else ())):
        importlib.import_module(f"jaxvstorch._port.{name}")


def _replay(options: dict[str, Any], record: Any) -> int:
    from jaxvstorch._port.replay import Replay

    def record_call(location: Any, call: Any) -> None:
        record(Record.CALL, location=asdict(location), call=asdict(call))
        if recording is not None:
            recording.record(location, call)

    process = os.getpid()
    forks: list[int] = []
    os.register_at_fork(after_in_parent=lambda: forks.append(1))
    recording = None
    if options["write"]:
        from jaxvstorch._port.draft.recording import Recording

        recording = Recording(options["file"])
    replay = Replay(options["limit"], record_call)
    record(Record.BEGUN)
    status = _run(options, replay, recording, record)
    if os.getpid() != process:
        return status  # a fork ran on to the end of the program
    if forks:
        record(
            Record.NOTE,
            text=f"Forked processes, of which there were {len(forks)}, were not replayed.",
        )
    record(Record.BEYOND, number=replay.report.beyond)
    _unreached(options["file"], replay, record)
    if recording is not None:
        recording.argument_types = replay.argument_types
        _draft(recording, Path(options["write"]), record)
    return status


def _run(options: dict[str, Any], replay: Any, recording: Any, record: Any) -> int:
    """Run the file as Python would, record how it ended, and print its error as Python would."""
    path = options["file"]
    sys.argv = [options["typed"], *options["arguments"]]
    if not os.environ.get("PYTHONSAFEPATH"):  # this process itself was started with -P
        sys.path.insert(0, str(Path(path).resolve().parent))
    for message in _WARNINGS:
        warnings.filterwarnings("ignore", message=message)
    ended, status, begun = None, 0, time.perf_counter()
    try:
        with replay, nullcontext() if recording is None else recording.watching():
            _as_main(path)
    except SystemExit as end:
        if end.code not in (None, 0):
            ended = f"The program ended itself by sys.exit({end.code!r})."
            status = end.code if isinstance(end.code, int) else 1
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr)
    except KeyboardInterrupt:
        ended, status = "The program was stopped.", 130
    except BaseException as error:
        remove_port_frames(error)
        sys.excepthook(type(error), error, error.__traceback__)
        frame = _program_frame(error)
        line = f" at line {frame.lineno} of {short(frame.filename)}" if frame else ""
        first = (str(error).splitlines() or [""])[0]
        ended, status = f"The program failed{line}: {type(error).__name__}: {first}", 1
    record(Record.ENDED, how=ended, seconds=time.perf_counter() - begun)
    return status


def _program_frame(error: BaseException) -> traceback.FrameSummary | None:
    """The innermost frame of the program's own files in an error, or else of any file."""
    frames = traceback.extract_tb(error.__traceback__)
    in_program = [
        f for f in frames if not (f.filename.startswith("<frozen") or is_installed(f.filename))
    ]
    return next(reversed(in_program or frames), None)


def _as_main(path: str) -> None:
    """Run a file as ``__main__``; ``runpy`` would put its whole path into ``sys.argv[0]``."""
    port_main, main = sys.modules["__main__"], ModuleType("__main__")
    main.__dict__.update(__file__=path, __builtins__=__builtins__, __cached__=None)
    code = compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
    sys.modules["__main__"] = main
    try:
        exec(code, main.__dict__)
    finally:
        sys.modules["__main__"] = port_main


def _unreached(path: str, replay: Any, record: Any) -> None:
    """Record the calls in the program's own files that it did not make."""
    from jaxvstorch._port.reading import add_unreached

    folder = str(Path(path).resolve().parent)
    files = {path, *(file for file, _ in replay.report.lines if file.startswith(folder))}
    add_unreached(replay.report, [file for file in sorted(files) if not is_installed(file)])
    for (file, number), line in sorted(replay.report.unreached.items()):
        for call in line.calls:
            location = {"file": file, "line": number}
            record(Record.UNREACHED, location=location, call=asdict(call))


def _draft(recording: Any, path: Path, record: Any) -> None:
    """Write the draft, and compare its complete parts with the program's."""
    from jaxvstorch._port.draft.composing import compose, count_marks
    from jaxvstorch._port.draft.parity import compare_parts

    try:
        source = compose(recording)
        _require_unused(path)
        write_marked(source, path)
    except Exception as error:
        why = isinstance(error, OSError) and error.strerror
        record(Record.FAILED_DRAFT, why=why or f"{type(error).__name__}: {error}")
        return
    if not recording.codes and not recording.classes:
        record(
            Record.NOTE, text="The draft is empty: nothing that ran is defined beside the program."
        )
        return
    count = count_marks(source)
    places = "1 place is" if count == 1 else f"{count} places are"
    left = f"{places} marked as left to do" if count else "nothing is left to do in it"
    record(Record.NOTE, text=f"The draft is in {short(str(path))}; {left}.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the program alone prints
        for name, result in compare_parts(path, source, recording.first_calls):
            record(Record.PARITY, name=name, result=result)


def _require_unused(path: Path) -> None:
    """Check that the program imported nothing from a file, which an older draft can be."""
    modules = [getattr(module, "__dict__", {}) for module in list(sys.modules.values())]
    files = {str(names["__file__"]) for names in modules if names.get("__file__")}
    if os.path.realpath(path) in set(map(os.path.realpath, files)):
        raise FileExistsError(errno.EEXIST, "the program imports it: give another name")


if __name__ == "__main__":
    code = main(json.loads(sys.argv[1]))
    sys.stdout.flush()
    sys.exit(code)
