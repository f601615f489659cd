"""Reads the calls of PyTorch in a file, without running it; a run shows more."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jaxvstorch._port.filling import filled
from jaxvstorch._port.imports import bound, qualified
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.notebook import is_notebook, read_cells
from jaxvstorch._port.report import PortReport
from jaxvstorch._port.report_data import Location, PortCall, PortStatus

# Methods that other objects have too, so the name alone does not show an array.
_AMBIGUOUS = {
    name for kind in (str, list, dict, set, int, float, bytes, tuple) for name in dir(kind)
} | {"close", "train", "eval", "parameters", "step", "load", "to", "cuda", "cpu", "apply"}


@dataclass(frozen=True)
class NameUse:
    """A use of one of the map's names in a source file.

    Attributes:
        row: the name's row of the map.
        node: the expression that calls it or names it.
        location: of the expression.
    """

    row: Row
    node: ast.expr
    location: Location


def read(path: str) -> list[NameUse]:
    """Each use of the map's names in a file or a notebook, resolved by its imports.

    Raises:
        OSError, SyntaxError, UnicodeDecodeError, ValueError: it is not Python source.
    """
    reader = _Reader(path)
    if is_notebook(path):
        for cell in read_cells(path):
            reader.path = cell.file
            reader.visit(ast.parse(cell.source, cell.file))
    else:
        reader.visit(ast.parse(Path(path).read_bytes(), path))
    return reader.uses


def static_report(path: str) -> PortReport:
    """What each line would become, with nothing run."""
    report = PortReport()
    for use in read(path):
        name, note = use.row.name, meaning(use.row).option("instead") or ""
        becomes = filled(name, use.node if isinstance(use.node, ast.Call) else None)
        report.add(use.location, PortCall(name, becomes, PortStatus.READ, note))
    report.notes.append(
        "Nothing was run: no values were compared, and methods are recognized by name."
    )
    return report


def add_unreached(report: PortReport, files: Iterator[str] | list[str]) -> None:
    """Add to a report the calls of these files on lines where nothing was called."""
    from jaxvstorch._port.naming import watched  # it needs PyTorch, and reading does not

    for file in files:
        try:
            uses = read(file)
        except (OSError, SyntaxError, ValueError, RecursionError):  # a cell, or a file that is gone
            continue
        for use in uses:
            location, name = use.location, use.row.name
            spanned = range(location.line, (location.end_line or location.line) + 1)
            is_call = isinstance(use.node, ast.Call) and name in watched()
            if is_call and not any((location.file, line) in report.lines for line in spanned):
                report.add_unreached(location, PortCall(name, None, PortStatus.READ))


@dataclass
class _Reader(ast.NodeVisitor):
    path: str
    full_names: dict[str, str] = field(default_factory=dict)  # of what the file imports
    uses: list[NameUse] = field(default_factory=list)

    def visit_Import(self, node: ast.Import) -> None:
        self.full_names.update(bound(node))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.full_names.update(bound(node))

    def visit_Call(self, node: ast.Call) -> None:
        name = self._full_name(node.func)
        if name is None and isinstance(node.func, ast.Attribute):
            name = self._method(node.func)
        if name is not None and name in rows():
            self._add(name, node)
            for part in [*node.args, *node.keywords]:
                self.visit(part)
            if isinstance(node.func, ast.Attribute):
                self.visit(node.func.value)
        else:
            self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = self._full_name(node)
        if name is not None and name in rows():
            self._add(name, node)
        else:
            self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        # Annotations call nothing.
        for part in [*node.decorator_list, *node.args.defaults, *node.body]:
            self.visit(part)

    def _full_name(self, node: ast.expr) -> str | None:
        name = qualified(node, self.full_names)
        return name and name.replace("torch.Tensor.", "Tensor.")

    def _method(self, node: ast.Attribute) -> str | None:
        value = node.value
        parent = isinstance(value, ast.Call) and ast.unparse(value.func) == "super"
        is_self = isinstance(value, ast.Name) and value.id in ("self", "cls")
        imported = self._full_name(value) is not None
        if parent or is_self or imported or node.attr in _AMBIGUOUS:
            return None
        return f"Tensor.{node.attr}"

    def _add(self, name: str, node: ast.expr) -> None:
        location = Location(
            self.path, node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
        )
        self.uses.append(NameUse(rows()[name], node, location))
