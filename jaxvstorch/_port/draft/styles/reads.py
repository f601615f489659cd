"""Reads weights and buffers as Equinox has them, in what was written for NNX."""

import ast
from collections.abc import Set


class Reads(ast.NodeTransformer):
    """Writes lists as such, and reads weights by PyTorch's names."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("list"), [ast.List() | ast.ListComp() as inner], []):
                return inner
            case ast.Call(ast.Name("jnp.asarray"), [ast.Call() as inner], []):
                return inner
            case ast.Call(ast.Attribute(of, "moveaxis"), [ast.Attribute(_, "weight") as held, *_]):
                if ast.unparse(of) == "jnp":
                    return held
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        match node:  # flax's kernel is PyTorch's weight, transposed
            case ast.Attribute(ast.Attribute(of, "kernel"), "T"):
                return ast.Attribute(of, "weight", ast.Load())
            case ast.Attribute(ast.Attribute(of, "weight") as held, "T") if hasattr(held, "kernel"):
                return held
        if node.attr in ("kernel", "embedding", "scale") and ast.unparse(node.value) != "self":
            return ast.Attribute(node.value, "weight", node.ctx)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        whole = isinstance(node.slice, ast.Constant) and node.slice.value is ...
        if isinstance(node.value, ast.Attribute) and whole:
            inner = self.visit(node.value)
            if node.value.attr == "kernel":
                inner.kernel = True
            return inner  # type: ignore[no-any-return]
        return self.generic_visit(node)


class ReadsBuffers(ast.NodeTransformer):
    """Reads the arrays of buffers."""

    def __init__(self, buffers: Set[str]) -> None:
        self.buffers = buffers

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        of_self = isinstance(node.value, ast.Name) and node.value.id == "self"
        if of_self and node.attr in self.buffers and isinstance(node.ctx, ast.Load):
            return ast.Attribute(node, "array", ast.Load())
        return node


def as_layer(layer: ast.expr) -> ast.expr:
    """A layer of a sequence: a function becomes one."""
    if isinstance(layer, ast.Starred):
        return layer
    made = isinstance(layer, ast.Call) and ast.unparse(layer.func) != "partial"
    if made or isinstance(layer, ast.Name):
        return layer
    return ast.Call(ast.parse("eqx.nn.Lambda", mode="eval").body, [layer], [])
