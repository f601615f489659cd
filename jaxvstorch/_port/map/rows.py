"""All lines of the map, by name."""

from functools import cache
from pathlib import Path

from jaxvstorch._port.map.row import LineError, Row, parse

FOLDER = Path(__file__).with_name("rows")


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
    """Each name's row, in the order of the files.

    Raises:
        LineError: a line is malformed, or a name has two lines.
    """
    by_name: dict[str, Row] = {}
    for file in sorted(FOLDER.glob("*.txt")):
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
    for row in by_name.values():
        if row.form_of and row.form_of not in by_name:
            raise LineError(f"{row.name} = {row.form_of}, which the map does not have")
    return by_name


def meaning(row: Row) -> Row:
    """The row whose expression says what a name is; a form has the one that it is a form of."""
    while row.form_of:
        row = rows()[row.form_of]
    return row
