"""Paths of attributes in a program's expressions."""

import ast
from collections.abc import Collection


def path_of(node: ast.expr, variables: Collection[str] = ()) -> list[str]:
    """The attributes of ``self.a.b``, or of a variable after its name; empty for anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    if isinstance(node, ast.Name) and node.id in variables:
        return [node.id, *names] if names else []
    return names if isinstance(node, ast.Name) and node.id == "self" else []


def root_of(node: ast.expr) -> str:
    """The name of the variable that attributes and items are of."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
