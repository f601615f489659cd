"""All lines of the map, by name: PyTorch's, and JAX's."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from jaxvstorch._port.map.row import LineError, Row, parse

FOLDER = Path(__file__).with_name("rows")
TURNED = "turned.txt"  # the lines of rows/jax that PyTorch's lines give


@cache
def groups() -> dict[str, list[Row]]:
    """The rows of each file, by the title in its first line."""
    by_title = {}
    for file in sorted(FOLDER.glob("*.txt")):
        lines = file.read_text(encoding="utf-8").splitlines()
        names = [line.partition(" ")[0].partition("(")[0] for line in lines if _is_row(line)]
        by_title[lines[0].removeprefix("# ")] = [rows()[name] for name in names]
    return by_title


def _is_row(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


@cache
def rows() -> dict[str, Row]:
    """The row of each name of PyTorch, in the order of the files.

    Raises:
        LineError: a line is malformed, or a name has two lines.
    """
    return _with_forms(read(sorted(FOLDER.glob("*.txt"))))


@cache
def jax_rows() -> dict[str, Row]:
    """The row of each name of JAX; one written by hand comes before one turned around.

    Raises:
        LineError: a line is malformed, or a name has two lines.
    """
    folder = FOLDER / "jax"
    by_hand = read(sorted(file for file in folder.glob("*.txt") if file.name != TURNED))
    return _with_forms(read([folder / TURNED]) | by_hand)


def read(files: Iterable[Path]) -> dict[str, Row]:
    """The rows of some files, by name.

    Raises:
        LineError: a line is malformed, or a name has two lines.
    """
    by_name: dict[str, Row] = {}
    for file in files:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            if not _is_row(line):
                continue
            try:
                row = parse(line)
            except LineError as error:
                raise LineError(f"{file.name}:{number}: {error}") from None
            if row.name in by_name:
                raise LineError(f"{file.name}:{number}: {row.name} has a line already")
            by_name[row.name] = row
    return by_name


def _with_forms(by_name: dict[str, Row]) -> dict[str, Row]:
    """The same rows, of which each form leads to another one."""
    for row in by_name.values():
        if row.form_of and row.form_of not in by_name:
            raise LineError(f"{row.name} = {row.form_of}, which the map does not have")
    return by_name


def meaning(row: Row) -> Row:
    """The row whose expression says what a name is; a form has the one that it is a form of."""
    while row.form_of:
        row = (rows() if row.framework == "torch" else jax_rows())[row.form_of]
    return row
