"""What PyTorch a file calls, as far as reading it tells: less than running it does."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jaxvstorch._port.filling import filled
from jaxvstorch._port.imports import bound, qualified
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.report import Place, PortCall, PortReport, PortStatus

# Methods that other objects have too: a name alone does not say that it is an array's.
_OTHERS = {
    name for kind in (str, list, dict, set, int, float, bytes, tuple) for name in dir(kind)
} | {"close", "train", "eval", "parameters", "step", "load", "to", "cuda", "cpu", "apply"}


@dataclass(frozen=True)
class Read:
    """A name of the map in a source file.

    Attributes:
        row: of the name.
        node: the expression that calls it, or that it is.
        place: where that stands.
    """

    row: Row
    node: ast.expr
    place: Place


def read(path: str) -> list[Read]:
    """The names of the map that a file holds, resolved by its imports.

    Raises:
        OSError, SyntaxError, UnicodeDecodeError, ValueError: it is no Python source.
    """
    tree = ast.parse(Path(path).read_bytes(), path)
    reader = _Reader(path)
    reader.visit(tree)
    return reader.found


def static_report(path: str) -> PortReport:
    """What each line would become, with nothing run."""
    report = PortReport()
    for one in read(path):
        row = meaning(one.row)
        becomes = filled(one.row.name, one.node if isinstance(one.node, ast.Call) else None)
        found = PortCall(one.row.name, becomes, PortStatus.READ, row.option("instead") or "")
        report.add(one.place, found)
    report.notes.append("Nothing was run: no value was compared, and methods are told by name.")
    return report


def unreached(report: PortReport, files: Iterator[str] | list[str]) -> None:
    """Add to a report the calls of these files on lines where nothing was called."""
    from jaxvstorch._port.naming import watched  # it needs PyTorch, and reading does not

    for file in files:
        try:
            found = read(file)
        except (OSError, SyntaxError, ValueError):  # a cell, say, or a file that is gone
            continue
        lines = {line for name, line in report.lines if name == file}
        for one in found:
            held = range(one.place.line, (one.place.end_line or one.place.line) + 1)
            called = isinstance(one.node, ast.Call) and one.row.name in watched()
            if called and not lines.intersection(held):
                report.add_unreached(one.place, PortCall(one.row.name, None, PortStatus.READ))


@dataclass
class _Reader(ast.NodeVisitor):
    path: str
    full: dict[str, str] = field(default_factory=dict)  # what a name was imported as
    found: list[Read] = field(default_factory=list)

    def visit_Import(self, node: ast.Import) -> None:
        self.full.update(bound(node))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.full.update(bound(node))

    def visit_Call(self, node: ast.Call) -> None:
        name = self._named(node.func)
        if name is None and isinstance(node.func, ast.Attribute):
            name = self._method(node.func)
        if name in rows():
            self._add(name, node)
            for part in [*node.args, *node.keywords]:
                self.visit(part)
            if isinstance(node.func, ast.Attribute):
                self.visit(node.func.value)
        else:
            self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = self._named(node)
        if name in rows():
            self._add(name, node)
        else:
            self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        # What stands in an annotation calls nothing.
        for part in [*node.decorator_list, *node.args.defaults, *node.body]:
            self.visit(part)

    def _named(self, node: ast.expr) -> str | None:
        name = qualified(node, self.full)
        return name and name.replace("torch.Tensor.", "Tensor.")

    def _method(self, node: ast.Attribute) -> str | None:
        value = node.value
        parent = isinstance(value, ast.Call) and ast.unparse(value.func) == "super"
        own = isinstance(value, ast.Name) and value.id in ("self", "cls")
        imported = self._named(value) is not None
        if parent or own or imported or node.attr in _OTHERS:
            return None
        return f"Tensor.{node.attr}"

    def _add(self, name: str, node: ast.expr) -> None:
        place = Place(self.path, node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
        self.found.append(Read(rows()[name], node, place))
