"""Results files: read and checked, and written. No framework is needed."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.report.entries import HEADER
from benchmarks.report.schema import Results
from jaxvstorch._files import write_whole

AGAIN = "measure again with `nox -s bench`"


class ResultsError(ValueError):
    """A file is no results file that this version can read; the message says why."""


class _Header(msgspec.Struct):
    name: str
    version: int


class _Opening(msgspec.Struct):
    """What is read first: a file of another version may differ in everything else."""

    schema: _Header


def read(path: Path | str) -> Results:
    """Read one results file.

    Raises:
        ResultsError: there is no such file, or it is empty, cut off, or of another schema.
    """
    try:
        if Path(path).is_char_device():  # such as /dev/zero, which has no end
            raise ResultsError(f"{path}: is a device: give a file that `nox -s bench` wrote")
        data = Path(path).read_bytes()
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error}") from error
    try:
        _check_header(data)
        return msgspec.json.decode(data, type=Results)
    except ResultsError as error:
        raise ResultsError(f"{path}: {error}") from None
    except msgspec.ValidationError as error:
        raise ResultsError(
            f"{path}: {error}: it has changed since it was written; {AGAIN}"
        ) from error
    except RecursionError as error:
        raise ResultsError(f"{path}: it is nested too deeply; {AGAIN}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        what = f"not JSON, or cut off: {error}" if data.strip() else "empty"
        raise ResultsError(f"{path}: {what}; {AGAIN}") from error


def _check_header(data: bytes) -> None:
    give = "give a file that `nox -s bench` wrote"
    try:
        header = msgspec.json.decode(data, type=_Opening).schema
    except msgspec.ValidationError as error:
        raise ResultsError(f"{error}: {give}") from error
    if header.name != HEADER.name:
        raise ResultsError(f"its schema is {header.name!r}: {give}")
    if header.version != HEADER.version:
        cure = "read it with a newer jaxvstorch" if header.version > HEADER.version else AGAIN
        versions = f"version {header.version}, and {HEADER.version} is read here"
        raise ResultsError(f"its schema is {versions}: {cure}")


def read_all(folder: Path | str) -> tuple[dict[str, Results], list[str]]:
    """Every results file of a folder by its name without ``.json``, and what could not be read."""
    files: dict[str, Results] = {}
    problems = []
    for path in sorted(Path(folder).glob("*.json")):
        try:
            files[path.stem] = read(path)
        except ResultsError as error:
            problems.append(str(error))
    return files, problems


def write(results: Results, path: Path) -> None:
    """Write a results file that ``read`` takes."""
    write_document(msgspec.structs.asdict(results), path)


def write_document(document: Mapping[str, Any], path: Path) -> None:
    """Write what is to be in a results file, with one record a line: so a diff can be read.

    Raises:
        ResultsError: the path cannot be written.
    """
    write_text("{\n" + ",\n".join(map(_entry, document, document.values())) + "\n}\n", path)


def _entry(name: str, value: Any) -> str:
    if name == "records" and value:
        lines = ",\n".join(f"  {_one_line(part)}" for part in value)
        return f' "{name}": [\n{lines}\n ]'
    return f' "{name}": {_one_line(value)}'


def _one_line(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()


def check_writable(path: Path) -> None:
    """Check that a file can be written, before anything is measured.

    Raises:
        ResultsError: the path cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.open("ab").close()  # refuses a folder, and what may only be read
        if path.is_file() or not path.exists():  # it is written beside it first
            tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise ResultsError(f"{path}: cannot be written: {error.strerror}") from error


def write_text(text: str, path: Path) -> None:
    """Write a file, and the folders that it needs.

    Raises:
        ResultsError: the path cannot be written; what was there is as it was.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(text, path)
    except OSError as error:
        raise ResultsError(f"{path}: cannot be written: {error.strerror}") from error
