"""The code cells of a notebook, each as a file that ``linecache`` knows."""

import ast
import json
import linecache
import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path

SUFFIX = ".ipynb"
# A line of IPython's: %magic, !command, names = !command, name?
_MAGIC = re.compile(r"\s*(?:[\w.,\[\]' ]+=\s*)?[%!]|\s*\?|.*\?\s*$")
# Cell magics whose cell is Python all the same.
_AROUND_PYTHON = ("capture", "prun", "python", "python3", "time", "timeit")


@dataclass
class Cell:
    """A code cell.

    Attributes:
        file: its name, such as ``book.ipynb, cell 3``, by its number among the code cells.
        source: its Python, with ``pass`` for each line that is IPython's.
        left_out: the lines that are IPython's, with where they are.
    """

    file: str
    source: str
    left_out: list[str] = field(default_factory=list)


def is_notebook(path: str | Path) -> bool:
    """Whether a file is a notebook, by its name."""
    return Path(path).suffix == SUFFIX


def is_cell(file: str) -> bool:
    """Whether a file is a notebook's cell."""
    return f"{SUFFIX}, cell " in file


def read_cells(path: str | Path) -> list[Cell]:
    """The code cells of a notebook, which ``linecache`` knows from now on.

    Raises:
        OSError, UnicodeDecodeError: the file cannot be read.
        SyntaxError: a cell is not Python.
        ValueError: the file is no notebook, or one of another language.
    """
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        language = document["metadata"].get("kernelspec", {}).get("language", "python")
        sources = [_text(c["source"]) for c in document["cells"] if c["cell_type"] == "code"]
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError("it is no notebook of nbformat 4") from error
    if language.lower() != "python":
        raise ValueError(f"its language is {language}")
    cells = [_cell(f"{path}, cell {n}", text) for n, text in enumerate(sources, start=1)]
    for cell in cells:
        lines = cell.source.splitlines(keepends=True)
        linecache.cache[cell.file] = (len(cell.source), None, lines, cell.file)
    return cells


def _text(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


def _cell(file: str, text: str) -> Cell:
    cell, lines = Cell(file, text), text.splitlines()
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if lines and (magic := re.match(r"\s*%%(\w+)", lines[first])):
        whole = magic[1] not in _AROUND_PYTHON
        _leave_out(cell, lines, first, len(lines) if whole else first + 1)
    for _ in range(len(lines) + 1):
        cell.source = "\n".join(lines) + "\n"
        try:
            with warnings.catch_warnings(action="ignore"):
                ast.parse(cell.source, file)
        except SyntaxError as error:  # no Python has one of IPython's lines
            i = (error.lineno or 0) - 1
            if not (0 <= i < len(lines) and _MAGIC.match(lines[i])):
                raise
            end = i + 1
            while end < len(lines) and lines[end - 1].endswith("\\"):
                end += 1
            _leave_out(cell, lines, i, end)
        else:
            break
    return cell


def _leave_out(cell: Cell, lines: list[str], begin: int, end: int) -> None:
    """Put ``pass`` for a line that is IPython's, and nothing for the lines that it goes on in."""
    line = lines[begin]
    said, where = line.strip(" \\"), cell.file.rpartition(", ")[2]
    cell.left_out.append(f"{said} ({where}, line {begin + 1})")
    indentation = line[: len(line) - len(line.lstrip())]
    lines[begin:end] = [f"{indentation}pass", *[""] * (end - begin - 1)]
