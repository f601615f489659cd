"""What statements of a program's training read, store and call."""

import ast
from collections.abc import Iterable, Sequence

_CLIPPED = ("clip_grad_norm_", "clip_grad_value_")


class FieldNames(ast.NodeTransformer):
    """Replaces ``args.beta`` by ``beta``."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if is_name(node.value, self.name):
            return ast.copy_location(ast.Name(node.attr, ast.Load()), node)
        return self.generic_visit(node)


def is_name(node: ast.expr, name: str) -> bool:
    """Whether an expression is a name."""
    return isinstance(node, ast.Name) and node.id == name


def names_in(
    node: ast.AST, context: type[ast.expr_context], without: Iterable[ast.AST] = ()
) -> set[str]:
    """The names that a tree reads or stores, outside some parts of it."""
    if any(node is part for part in without):
        return set()
    names = {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, context) else set()
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        names.add(node.target.id)
    return names.union(*(names_in(n, context, without) for n in ast.iter_child_nodes(node)))


def names_in_order(node: ast.AST) -> list[str]:
    """The names that a tree reads, in the order of the source."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    return [n.id for n in sorted(names, key=lambda n: (n.lineno, n.col_offset))]


def first_reads(body: Sequence[ast.stmt]) -> set[str]:
    """The names that statements read before they store them."""
    read, stored = set[str](), set[str]()
    for node in body:
        read |= names_in(node, ast.Load) - stored
        stored |= names_in(node, ast.Store)
    return read


def stepped(node: ast.stmt) -> str | None:
    """The name whose ``step`` a statement calls."""
    match node:
        case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="step"))):
            return name
    return None


def clips_gradients(node: ast.stmt) -> bool:
    """Whether a statement clips gradients."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func).endswith(_CLIPPED)
