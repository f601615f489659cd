"""Digests that show whether the functions have changed since they were compiled."""

import ast
import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from jaxvstorch._frameworks.containers import leaves
from jaxvstorch._hardware.program import Program
from jaxvstorch._pairs import source


def digest(program: Program, framework: str) -> str:
    """A digest of a program, its arguments, and its code.

    Arrays count by shape and dtype, other arguments by value. The code is the function and what it
    uses of the same file, without comments and docstrings.
    """
    values = [value for argument in program.arguments() for value in leaves(argument)]
    topic, _, name = program.pair.partition(".")
    parts = [repr(program), repr([*map(_described, values)]), *_code(topic, framework, name)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _described(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.shape, str(value.dtype)
    return value.__name__ if callable(value) else value  # a function's repr has its address


def _code(topic: str, framework: str, name: str) -> Iterator[str]:
    """The definitions that a function needs, beginning with the function."""
    seen, pending = set(), [name]
    while pending:
        current = pending.pop(0)
        if current in seen:
            continue
        seen.add(current)
        try:
            tree = ast.parse(source.definition(topic, framework, current))
        except LookupError:
            continue  # another file defines it
        pending += sorted(_names(tree))
        if "." not in current:  # its differentiation rules are statements of their own
            pending += [f"{current}.defvjp", f"{current}.defjvp"]
        yield ast.unparse(_without_docstrings(tree))


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _without_docstrings(tree: ast.AST) -> ast.AST:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree
