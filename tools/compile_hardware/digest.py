"""Whether what was compiled is still what the functions are."""

import ast
import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from jaxvstorch._frameworks.containers import leaves
from jaxvstorch._hardware.program import Program
from jaxvstorch._pairs import source


def digest(program: Program, framework: str) -> str:
    """Of the program's entry, its arguments, and the code that they go through.

    Of an array, the shape and the dtype count, and of what is no array, the value.

    Comments and docstrings are left out. Of what the function uses, only what stands in the same
    file counts.
    """
    given = [_told(value) for argument in program.arguments() for value in leaves(argument)]
    topic, _, name = program.pair.partition(".")
    parts = [repr(program), repr(given), *_code(topic, framework, name)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _told(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.shape, str(value.dtype)
    return value.__name__ if callable(value) else value  # a function's repr has its address


def _code(topic: str, framework: str, name: str) -> Iterator[str]:
    """The definitions that a function needs, its own first."""
    seen, rest = set(), [name]
    while rest:
        current = rest.pop(0)
        if current in seen:
            continue
        seen.add(current)
        try:
            tree = ast.parse(source.definition(topic, framework, current))
        except LookupError:
            continue  # it is no name of this file's own
        rest += sorted(_names(tree))
        if "." not in current:  # its rules of differentiation stand by themselves
            rest += [f"{current}.defvjp", f"{current}.defjvp"]
        yield ast.unparse(_without_docstrings(tree))


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _without_docstrings(tree: ast.AST) -> ast.AST:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree
