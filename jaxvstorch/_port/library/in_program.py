"""Takes what a program uses of other packages into its draft, as files beside its own."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path

from jaxvstorch._port.draft.recorded import FirstCall
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.library.extracting import extracted_classes
from jaxvstorch._port.library.running import run_file
from jaxvstorch._port.map.running.describe import error_text

_LIMIT = 2  # calls of one function on one line that are repeated


def take_in(recording: Recording, folder: Path) -> None:
    """Add the classes of other packages whose modules a program made and called itself.

    Args:
        recording: of the program's run; it gets what the classes showed, or why it does not.
        folder: for the files.
    """
    by_package = dict[str, list[FirstCall]]()
    for cls, calls in recording.of_libraries.items():
        package = cls.__module__.partition(".")[0]
        by_package.setdefault(package, []).extend(calls)
    for package, calls in by_package.items():
        if not calls:
            recording.left_out[package] = "the program's own lines were not seen to call it"
            continue
        try:
            _take_in(recording, package, calls, folder)
        except Exception as error:
            recording.left_out[package] = error_text(error)


def _take_in(recording: Recording, package: str, calls: Sequence[FirstCall], folder: Path) -> None:
    paths = {code.co_filename for code in recording.codes} | {str(recording.file)}
    model = extracted_classes(calls, read=list(_attributes(paths)))
    file = folder / f"from_{package}.py"
    inner, _ = run_file(model, file, _LIMIT)
    taken = {name for path in paths for name in _defined(path)} & set(_defined(file))
    if taken:
        raise ValueError(f"the program has another {min(taken)}")
    recording.extracted[str(file)] = f"{', '.join({c.name: None for c in calls})} of {package}"
    for name in (
        "calls",
        "argument_types",
        "codes",
        "constructions",
        "construction_types",
        "lines",
        "made_at",
        "shorter",
    ):
        getattr(recording, name).update(getattr(inner, name))
    recording.passing |= inner.passing
    recording.builders |= inner.builders
    own = {type(call.function): call.function for call in calls}
    recording.instances = own | recording.instances | inner.instances  # type: ignore[assignment]
    recording.first_calls |= inner.first_calls
    for call in inner.first_calls.values():
        given = call.made_with
        for value in [*given.args, *given.kwargs.values()] if given else ():
            if is_dataclass(value):
                recording.settings[type(value).__name__] = [f.name for f in fields(value)]


def _attributes(paths: set[str]) -> Iterator[str]:
    """The names of the attributes that files read."""
    for path in sorted(paths):
        for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                yield node.attr


def _defined(path: str | Path) -> Iterator[str]:
    """The names of the classes and functions at the top of a file."""
    for node in ast.parse(Path(path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name
