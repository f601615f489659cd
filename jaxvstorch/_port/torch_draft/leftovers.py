"""Marks the names of JAX that a draft in PyTorch still has."""

import ast
from collections.abc import Iterator, Mapping

from jaxvstorch._port.draft.commenting import mark
from jaxvstorch._port.imports import qualified
from jaxvstorch._port.map.rows import jax_rows, meaning

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
