"""Marks what a draft in PyTorch has left of JAX, and the names that it uses and does not make."""

import ast
from collections.abc import Iterator, Mapping

from jaxvstorch._port.draft.commenting import mark
from jaxvstorch._port.imports import qualified
from jaxvstorch._port.map.rows import jax_rows, meaning

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_NESTED = (ast.stmt, ast.ExceptHandler, ast.match_case)
_SHORT = {"jax.numpy.": "jnp.", "jax.lax.": "lax.", "flax.nnx.": "nnx."}  # in the map's names


def mark_leftovers(node: ast.AST, names: Mapping[str, str]) -> None:
    """Put a mark above each statement that reads a name of JAX.

    Args:
        node: what has statements, changed in place.
        names: the full names of what the program imports of JAX and its libraries, by name.
    """
    for field, statements in ast.iter_fields(node):
        if not isinstance(statements, list):
            continue
        new = list[ast.AST]()
        for part in statements:
            if isinstance(part, _NESTED):
                mark_leftovers(part, names)
            if isinstance(part, ast.stmt):
                new += [mark(_sentence(name)) for name in dict.fromkeys(_read(part, names))]
            new.append(part)
        setattr(node, field, new)


def _read(node: ast.AST, names: Mapping[str, str]) -> Iterator[str]:
    """The full names of JAX that a statement reads, without those inside of it."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, _NESTED):
            continue
        full = qualified(part, names) if isinstance(part, ast.Name | ast.Attribute) else None
        if full is not None:
            yield full
        else:
            yield from _read(part, names)


def _sentence(name: str) -> str:
    for long, short in _SHORT.items():
        name = short + name.removeprefix(long) if name.startswith(long) else name
    row = jax_rows().get(name)
    instead = row and meaning(row).option("instead")
    return f"{name}: {instead or 'it has no counterpart here'}"


def mark_unbound(node: ast.AST, names: set[str]) -> None:
    """Put a mark above each statement that reads one of some names, unless its function makes it.

    Args:
        node: what has statements, changed in place.
        names: those that nothing in the draft makes.
    """
    for field, statements in ast.iter_fields(node):
        if not isinstance(statements, list):
            continue
        new = list[ast.AST]()
        for part in statements:
            if isinstance(part, _NESTED):
                inside = names - _bound(part) if isinstance(part, _SCOPES) else names
                mark_unbound(part, inside)
            if isinstance(part, ast.stmt):
                read = [n.id for n in _own_names(part) if n.id in names]
                new += [mark(f"{name}: the draft has no such name") for name in dict.fromkeys(read)]
            new.append(part)
        setattr(node, field, new)


def _own_names(node: ast.AST) -> Iterator[ast.Name]:
    """The names that a statement reads, without those of statements inside of it."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            yield part
        elif isinstance(part, ast.Lambda | ast.ListComp | ast.GeneratorExp | ast.DictComp):
            bound = _bound(part)
            yield from (name for name in _own_names(part) if name.id not in bound)
        elif not isinstance(part, _NESTED):
            yield from _own_names(part)


def _bound(scope: ast.AST) -> set[str]:
    """The names that a function makes: its parameters, and what it assigns or defines."""
    parts = list(ast.walk(scope))
    return {
        *(n.id for n in parts if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)),
        *(n.arg for n in parts if isinstance(n, ast.arg)),
        *(n.name for n in parts if isinstance(n, ast.FunctionDef | ast.ClassDef)),
    }
