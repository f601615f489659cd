"""All lines of the map, by name: PyTorch's, and JAX's. A line is parsed when it is asked for."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jaxvstorch._port.map.row import LineError, Row, parse

FOLDER = Path(__file__).with_name("rows")
TURNED = "turned.txt"  # the lines of rows/jax that PyTorch's lines give


class _Line(NamedTuple):
    file: Path
    number: int
    text: str


class Rows(Mapping[str, Row]):
    """The rows of some files, by name, in the order of the files.

    Raises:
        LineError: a name has two lines; or, when it is asked for, its line is malformed.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self._lines: dict[str, _Line] = {}
        self._rows: dict[str, Row] = {}
        for file in files:
            for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
                if not text.strip() or text.startswith("#"):
                    continue
                name = text.partition(" ")[0].partition("(")[0]
                if name in self._lines:
                    raise LineError(f"{file.name}:{number}: {name} has a line already")
                self._lines[name] = _Line(file, number, text)

    def __getitem__(self, name: str) -> Row:
        if name not in self._rows:
            line = self._lines[name]
            try:
                self._rows[name] = parse(line.text)
            except LineError as error:
                raise LineError(f"{line.file.name}:{line.number}: {error}") from None
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def groups(self) -> dict[str, list[str]]:
        """The names in each file, by the title in its first line."""
        by_file: dict[Path, list[str]] = {}
        for name, line in self._lines.items():
            by_file.setdefault(line.file, []).append(name)
        return {_title(file): names for file, names in by_file.items()}

    def forms_of(self, name: str) -> list[str]:
        """The names that are another form of a name."""
        return [form for form, line in self._lines.items() if line.text == f"{form} = {name}"]

    def with_expression(self, expression: str) -> list[str]:
        """The names whose line has an expression."""
        return [
            name
            for name, line in self._lines.items()
            if line.text.partition(" => ")[2].partition(" ; ")[0].strip() == expression
        ]


def _title(file: Path) -> str:
    with file.open(encoding="utf-8") as lines:
        return next(lines).strip().removeprefix("# ")


@cache
def rows() -> Rows:
    """The rows of PyTorch's names."""
    return Rows(sorted(FOLDER.glob("*.txt")))


@cache
def jax_rows() -> Rows:
    """The rows of JAX's names, and of libraries that are written in JAX."""
    return Rows(sorted((FOLDER / "jax").glob("*.txt")))


def row_of(name: str) -> Row:
    """The row of a name of either framework.

    Raises:
        KeyError: the map does not have it.
    """
    return rows()[name] if name in rows() else jax_rows()[name]


def meaning(row: Row) -> Row:
    """The row whose expression says what a name is; a form has the one that it is a form of.

    Raises:
        LineError: the map does not have the name that it is a form of.
    """
    while row.form_of:
        try:
            row = row_of(row.form_of)
        except KeyError:
            raise LineError(f"{row.name} = {row.form_of}, which the map does not have") from None
    return row
