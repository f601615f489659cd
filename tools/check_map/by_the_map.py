"""Computes a probe's PyTorch expression in JAX, with the map's lines for its names."""

import ast
from typing import Any

import jax
import jax.numpy as jnp

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.map.running.namespace import namespace

FIELDS = {"values": 0, "indices": 1, "pivots": 1}  # of PyTorch's pairs; the lines return tuples


class NoLineError(LookupError):
    """The map has no line for a name, or says that it has no counterpart."""


def by_the_map(expression: str) -> Any:
    """What an expression gives with the map's lines for its names.

    Raises:
        NoLineError: the map has no line for one of its names.
    """
    tree = ast.fix_missing_locations(_Methods().visit(ast.parse(expression, mode="eval")))
    return eval(compile(tree, expression, "eval"), dict(SCOPE))


class _Methods(ast.NodeTransformer):
    """Calls of methods become calls of the map's lines: JAX has methods of the same names."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and not _of_module(node.func):
            name = ast.Constant(f"Tensor.{node.func.attr}")
            line = ast.Call(ast.Name("_Name", ast.Load()), [name], [])
            return ast.Call(line, [node.func.value, *node.args], node.keywords)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr in FIELDS:
            return ast.Subscript(node.value, ast.Constant(FIELDS[node.attr]), ast.Load())
        return node


def _of_module(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in ("torch", "F")


class _Name:
    """A name of PyTorch, called as the map's line says."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, part: str) -> "_Name":
        return _Name(f"{self._name}.{part}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = {name: _constant(value) for name, value in kwargs.items()}
        row = _row(self._name)
        return _value(row)(*_sizes_in_a_tuple(row, [_constant(value) for value in args]), **given)


def _row(name: str) -> Row:
    row = meaning(rows()[name]) if name in rows() else None
    if row is None or row.expression is None:
        raise NoLineError(name)
    return row


def _sizes_in_a_tuple(row: Row, args: list[Any]) -> list[Any]:
    """PyTorch's methods take sizes one by one too, and a line takes them as one tuple."""
    last = len(row.taken()) - 1
    one_by_one = len(args) > last + 1 and all(isinstance(value, int) for value in args[last:])
    return [*args[:last], tuple(args[last:])] if one_by_one and "*" not in row.call else args


def _value(row: Row) -> Any:
    return eval(row.source(row.expression or ""), namespace())


def _constant(value: Any) -> Any:
    return _value(_row(value._name)) if isinstance(value, _Name) else value


def _array(value: Any, dtype: Any = None) -> jax.Array:
    return jnp.asarray(value, _constant(dtype))


SCOPE = {
    "torch": _Name("torch"), "F": _Name("torch.nn.functional"), "t": _array, "_Name": _Name,
    "grad": lambda function, x: jax.grad(function)(x),
}  # fmt: skip
