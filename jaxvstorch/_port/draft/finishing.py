"""Writes a draft and its test file, compares them with the program, and records what is left."""

import errno
import io
import os
import sys
import tempfile
import warnings
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path

from jaxvstorch._files import write_marked
from jaxvstorch._port.draft.commenting import count_marks, count_unverified
from jaxvstorch._port.draft.composing import compose
from jaxvstorch._port.draft.parity import compare_parts, left_to_do
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.styles import CannotWriteError
from jaxvstorch._port.draft.writing_tests import write_tests
from jaxvstorch._port.library.in_program import take_in
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.records import Record, Records
from jaxvstorch._port.report_data import short


def write_draft(recording: Recording, path: Path, records: Records, style: str = "nnx") -> None:
    """Write the draft, compare its complete parts with the program's, and write their tests."""
    with tempfile.TemporaryDirectory() as folder:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            take_in(recording, Path(folder))
        _write_draft(recording, path, records, style)


def _write_draft(recording: Recording, path: Path, records: Records, style: str) -> None:
    try:
        source = compose(recording, style=style)
        _require_unused(path)
        write_marked(source, path)
    except Exception as error:
        why = isinstance(error, OSError) and error.strerror
        if isinstance(error, CannotWriteError):
            why = f"--style {style} has no words yet for {error}. Without --style it is drafted."
        records.add(Record.FAILED_DRAFT, why=why or f"{type(error).__name__}: {error}")
        return
    if not (recording.codes or recording.instances or "__main__" in source):
        records.add(
            Record.NOTE,
            text="The draft is empty: nothing that ran is defined in the program's folder.",
        )
        return
    results = dict[str, str]()
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):  # the program alone prints
        warnings.simplefilter("ignore")
        for name, result in compare_parts(path, source, recording, style):
            records.add(Record.PARITY, name=name, result=result)
            results[name] = result
        left = left_to_do(count_marks(source), [*results.values()], count_unverified(source))
        records.add(Record.NOTE, text=f"The draft is in {short(str(path))}; {left}.")
        if tests := write_tests_beside(path, recording, results, style=style):
            records.add(Record.NOTE, text=tests)


def write_tests_beside(
    path: Path, recording: Recording, results: Mapping[str, str], of: str = "", style: str = "nnx"
) -> str | None:
    """Write the test file of a draft; a sentence on it, or why there is none."""
    try:
        return write_tests(path, recording, results, of, style)
    except OSError as error:
        return f"test_{path.name} is not written: {error.strerror}."
    except Exception as error:  # the draft counts without it
        return f"test_{path.name} is not written: {error_text(error)}."


def _require_unused(path: Path) -> None:
    """Check that the program imported nothing from a file, which an older draft can be."""
    modules = [getattr(module, "__dict__", {}) for module in list(sys.modules.values())]
    files = {str(names["__file__"]) for names in modules if names.get("__file__")}
    if os.path.realpath(path) in set(map(os.path.realpath, files)):
        raise FileExistsError(errno.EEXIST, "the program imports it: give another name")
