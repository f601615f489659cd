"""What a reader wrote in JAX, as PyTorch: names, indices and ``x.at[i].set(v)``."""

import ast
import copy
from collections.abc import Mapping
from typing import Any

from jaxvstorch._port.filling import span_of
from jaxvstorch._port.imports import imported
from jaxvstorch._port.map.rows import jax_rows, meaning
from jaxvstorch._port.report_data import Location

_SHORT = {"jax.numpy.": "jnp.", "jax.lax.": "lax.", "flax.nnx.": "nnx."}
_UPDATES = {"set": "=", "add": "+=", "multiply": "*=", "mul": "*=", "divide": "/=", "power": "**="}


def in_torch(node: ast.expr, file: str, known: Mapping[Location, ast.expr]) -> ast.expr:
    """An expression with PyTorch's constants, and with the PyTorch of each call that has one.

    Args:
        node: of a source file.
        file: which.
        known: the calls by their locations.
    """
    translated: Any = _InTorch(file, known).visit(copy.deepcopy(node))
    return translated  # type: ignore[no-any-return]


class _InTorch(ast.NodeTransformer):
    def __init__(self, file: str, known: Mapping[Location, ast.expr]) -> None:
        self.file = file
        self.known = known

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr) and hasattr(node, "lineno"):
            line, column, end_line, end_column = span_of(node)
            location = Location(self.file, line, end_line, column, end_column)
            if location in self.known:
                return copy.deepcopy(self.known[location])
        if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
            row = jax_rows().get(qualified(self.file, node) or "")
            row = row and meaning(row)
            if row is not None and row.made is None and row.expression is not None:
                return ast.parse(row.expression, mode="eval").body
        new: ast.AST = super().visit(node)
        return new


def qualified(file: str, node: ast.expr) -> str | None:
    """The map's name that an expression spells, by its file's imports."""
    name = imported(file, node)
    if name is None:
        return None
    for long, short in _SHORT.items():
        if name.startswith(long):
            return short + name.removeprefix(long)
    return name


def has_negative_step(index: ast.expr) -> bool:
    """Whether an index has a slice with a negative step, which PyTorch does not take."""
    return any(
        isinstance(part, ast.Slice) and isinstance(part.step, ast.UnaryOp)
        for part in ast.walk(index)
    )


def flipped(node: ast.Subscript, array: str) -> ast.expr | None:
    """``x[:, ::-1]`` as ``torch.flip(x, (1,))``; None where it does more than reverse axes.

    Args:
        node: the index.
        array: the name for its array.
    """
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    texts = [ast.unparse(part) for part in parts]
    if not {*texts} <= {":", "::-1", "..."} or "..." in texts[1:]:
        return None
    first = 1 - len(texts) if texts[0] == "..." else 0
    axes = range(first - 1, 0) if first < 0 else range(len(texts))
    reversed_axes = tuple(a for a, text in zip(axes, texts, strict=True) if text == "::-1")
    return ast.parse(f"torch.flip({array}, {reversed_axes})", mode="eval").body


def update(node: ast.Call) -> tuple[str, ast.expr, ast.expr] | None:
    """Of ``x.at[i].add(v)``: the method, the array and the index; None of any other call."""
    match node:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(value=ast.Attribute(value=x, attr="at"), slice=i), attr=method
            ),
        ):
            return method, x, i
    return None


def statement(method: str, target: str, value: str) -> str | None:
    """The statement in PyTorch for ``x.at[i].add(v)``, which changes its array."""
    return f"{target} {_UPDATES[method]} {value}" if method in _UPDATES else None


def accumulated(index: ast.expr, value: ast.expr, x: str, v: str) -> str | None:
    """``x.at[i].add(v)`` where an index occurs twice; None where PyTorch has no such call."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    if isinstance(value, ast.Constant) or any(
        isinstance(part, ast.Slice | ast.Constant) for part in parts
    ):
        return None
    indices = ast.unparse(ast.Tuple(parts, ast.Load()))
    return f"{x}.index_put_({indices}, {v}, accumulate=True)"
