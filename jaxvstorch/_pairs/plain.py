"""Code without jaxtyping: its annotations name arrays, and say nothing of their shapes."""

import ast
from collections.abc import Iterable

from jaxvstorch._pairs import source

_WIDTH = 80  # columns of a signature on one line


def without_shapes(text: str) -> str:
    """A module with ``Array`` where an annotation was ``Float[Array, "n"]``.

    A signature that then fits one line stands on one. The import of jaxtyping stays.
    """
    tree, lines = ast.parse(text), text.splitlines()
    names = {name for name, line in source.imports(tree.body) if line.startswith("from jaxtyping")}
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    changed = [node for node in statements if _has_shape(_annotations(node), names)]
    _WithoutShapes(names).visit(tree)
    for node in sorted(changed, key=lambda node: node.lineno, reverse=True):
        first, end, indent = node.lineno - 1, node.end_lineno, " " * node.col_offset
        new = [ast.unparse(node)]
        if isinstance(node, ast.FunctionDef):
            end = next(i for i in range(first, len(lines)) if lines[i].endswith(":")) + 1
            new = _signature(node, _WIDTH - len(indent))
        lines[first:end] = [indent + line for line in new]
    return "\n".join(lines)


def _annotations(node: ast.stmt) -> list[ast.AST]:
    """Where a statement may hold annotations; a function's body has statements of its own."""
    if isinstance(node, ast.FunctionDef):
        return [node.args, *([node.returns] if node.returns else [])]
    return [node] if isinstance(node, ast.Assign | ast.AnnAssign) else []


def _has_shape(nodes: Iterable[ast.AST], names: set[str]) -> bool:
    return any(_is_shaped(inner, names) for node in nodes for inner in ast.walk(node))


def _is_shaped(node: ast.AST, names: set[str]) -> bool:
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id in names
    )


class _WithoutShapes(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if _is_shaped(node, self.names) and isinstance(node.slice, ast.Tuple):
            return node.slice.elts[0]
        return self.generic_visit(node)


def _signature(node: ast.FunctionDef, width: int) -> list[str]:
    """A function's head, on one line, or on three with its parameters on one."""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    parameters = ast.unparse(node.args)
    line = f"def {node.name}({parameters}){returns}:"
    if len(line) <= width:
        return [line]
    return [f"def {node.name}(", f"    {parameters}", f"){returns}:"]
