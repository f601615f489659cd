"""Compiles a program so that its calls are watched, and what its names hold is noted."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from jaxvstorch._port.from_jax.watching import WATCHER, Instrument


def _flat(body: list[Any]) -> list[ast.stmt]:
    return [s for part in body for s in (part if isinstance(part, list) else [part])]


def _is_preamble(node: ast.stmt) -> bool:
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return future or isinstance(node, ast.Expr)


class Noting(Instrument):
    """Notes what names hold, too.

    Args:
        file: the program's.
        before: how many lines the program's files before it have.
        renamed: what the draft calls names of the file's top level.
    """

    def __init__(self, file: str, before: int, renamed: Mapping[str, str]) -> None:
        super().__init__(file)
        self.before, self.renamed = before, renamed
        self._line = 0

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self.generic_visit(node)
        first = next((i for i, s in enumerate(node.body) if not _is_preamble(s)), len(node.body))
        node.body.insert(first, ast.parse(f"{WATCHER}.began(globals())").body[0])
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        outer, self._line = self._line, node.lineno + self.before
        super().visit_FunctionDef(node)
        note = ast.parse(f"{WATCHER}.entered({self._line}, locals())").body[0]
        self._line, node.body = outer, _flat(node.body)
        for part in ast.walk(note):
            ast.copy_location(part, node.body[0])
        after = 1 if ast.get_docstring(node) is not None else 0
        node.body.insert(after, note)
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        names = [n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)
                 and isinstance(n.ctx, ast.Store)]  # fmt: skip
        self.generic_visit(node)
        return [node, *self._noted(names, node)]

    def visit_For(self, node: Any) -> Any:
        names = [n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)]
        super().visit_For(node)
        node.body = [*self._noted(names, node), *_flat(node.body)]
        node.orelse = _flat(node.orelse)
        return node

    def _noted(self, names: list[str], node: ast.stmt) -> Iterator[ast.stmt]:
        for name in names:
            new = name if self._line else self.renamed.get(name, name)
            text = f"{WATCHER}.assigned({self._line}, {new!r}, {name})"
            note = ast.parse(text).body[0]
            for part in ast.walk(note):
                ast.copy_location(part, node)
            yield note
