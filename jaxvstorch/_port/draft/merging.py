"""Reads what a program has in several files, which a draft has in one, by its own names."""

import ast
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from jaxvstorch._port.draft.commenting import is_marker
from jaxvstorch._port.draft.rewriting import names_bound


def imported_modules(tree: ast.AST, file: str, folder: Path) -> dict[str, str]:
    """The files of the program that a file imports as a whole: by the text of each, its name.

    Args:
        tree: of the file.
        file: its path.
        folder: where Python looks for the program's files.
    """
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            of, level = getattr(node, "module", None) or "", getattr(node, "level", 0)
            beside = Path(file).parents[level - 1] if level else folder
            for alias in node.names:
                path = beside.joinpath(*filter(None, of.split(".")), *alias.name.split("."))
                if path.with_suffix(".py").is_file():
                    modules[alias.asname or alias.name] = path.name
    return modules


def with_imports_decided(tree: ast.Module) -> ast.Module:
    """A file after its run, without the ``try`` around imports that one of PyTorch may lack."""
    body: list[ast.stmt] = []
    for node in tree.body:
        if not isinstance(node, ast.Try) or not all(_binds_plainly(part) for part in node.body):
            body.append(node)
        elif all(map(_is_imported, node.body)):
            body += [*node.body, *node.orelse]
        else:
            body += node.handlers[0].body if node.handlers else []
    tree.body = body
    return tree


def _binds_plainly(node: ast.stmt) -> bool:
    """Whether a statement imports from elsewhere or binds a constant."""
    if isinstance(node, ast.Assign):
        return isinstance(node.value, ast.Constant)
    return (
        is_marker(node)
        or isinstance(node, ast.Import)
        or (isinstance(node, ast.ImportFrom) and not node.level)
    )


def _is_imported(node: ast.stmt) -> bool:
    """Whether what a statement imports is there; what imports nothing is."""
    for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
        module = node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
        full = f"{module}.{alias.name}" if isinstance(node, ast.ImportFrom) else module
        if full not in sys.modules and not hasattr(sys.modules.get(module), alias.name):
            return False
    return True


def attributes_of(tree: ast.AST, modules: Collection[str]) -> Iterator[tuple[str, str]]:
    """The text of a module and the name of each attribute that a tree reads of it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (text := ast.unparse(node.value)) in modules:
            yield text, node.attr


class Merged(ast.NodeTransformer):
    """Writes ``load`` for ``data.load``, and for what is imported ``as`` another name.

    Args:
        modules: the texts of the program's files that are imported as a whole.
        aliases: the own names of what has another one.
        drafted: the names that the draft defines.
    """

    def __init__(
        self, modules: Collection[str], aliases: Mapping[str, str], drafted: Collection[str]
    ) -> None:
        self.modules, self.aliases, self.drafted = modules, aliases, drafted

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, own = self.modules, names_bound(node)
        self.modules = [text for text in outer if text.partition(".")[0] not in own]
        self.generic_visit(node)
        self.modules = outer
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr in self.drafted and ast.unparse(node.value) in self.modules:
            return ast.copy_location(ast.Name(node.attr, node.ctx), node)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.aliases.get(node.id, node.id)
        return node
