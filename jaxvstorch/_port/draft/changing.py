"""Finds what a compiled function would keep from its first call: Python's values that change."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

from torch.nn import Module

_GIVE_OTHERS = ("random.", "numpy.random.", "time.", "datetime.", "secrets.")
Naming = Callable[[ast.expr], str | None]


def changing(
    nodes: Iterable[ast.AST],
    tree: ast.Module,
    modules: Iterable[Module],
    naming: Naming,
    taken: Collection[str],
) -> str | None:
    """What gives another value at each call, such as ``next(betas)``; None if nothing does.

    Args:
        nodes: statements of a file.
        tree: of the file.
        modules: those that the statements call.
        naming: the full name of a function in the file.
        taken: the names of the arrays and modules that the compiled function takes.
    """
    functions = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    stored = _stored_in(tree, taken)
    for node in _with_called(nodes, functions):
        if (text := _other_each_time(node, naming)) or (text := _stored(node, stored)):
            return text
    kinds = {type(part) for module in modules for part in module.modules()}
    for kind in sorted(kinds, key=lambda k: k.__qualname__):
        if kind.__module__.startswith("torch."):
            continue
        forward, names = _forward(kind)
        for node in ast.walk(forward):
            if text := _other_each_time(node, _naming_in(names)):
                return text
    return None


def _with_called(
    nodes: Iterable[ast.AST], functions: Mapping[str, ast.FunctionDef]
) -> Iterator[ast.AST]:
    """All nodes of statements, and of the functions of the file that they call."""
    seen, waiting = set[str](), [*nodes]
    while waiting:
        for node in ast.walk(waiting.pop()):
            yield node
            name = node.func.id if isinstance(node, ast.Call) and _is_name(node.func) else ""  # type: ignore[attr-defined]
            if name in functions and name not in seen:
                seen.add(name)
                waiting += functions[name].body


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name)


def _other_each_time(node: ast.AST, naming: Naming) -> str | None:
    if not isinstance(node, ast.Call):
        return None
    is_next = ast.unparse(node.func) == "next" and len(node.args) == 1
    given = is_next or (naming(node.func) or "").startswith(_GIVE_OTHERS)
    return ast.unparse(node) if given else None


def _stored_in(tree: ast.AST, taken: Collection[str]) -> set[str]:
    """The items and attributes that statements store, such as ``options['beta']``."""
    kept = {*taken, "self"}  # what an object keeps is named apart
    return {
        ast.unparse(n) for n in ast.walk(tree)
        if isinstance(n, ast.Subscript | ast.Attribute) and isinstance(n.ctx, ast.Store)
        and isinstance(n.value, ast.Name) and n.value.id not in kept
        and (isinstance(n, ast.Attribute) or isinstance(n.slice, ast.Constant))
    }  # fmt: skip


def _stored(node: ast.AST, stored: Collection[str]) -> str | None:
    read = isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Load)
    return ast.unparse(node) if read and ast.unparse(node) in stored else None


def _forward(kind: type[Module]) -> tuple[ast.AST, Mapping[str, Any]]:
    try:
        source = textwrap.dedent(inspect.getsource(kind.forward))
        return ast.parse(source), kind.forward.__globals__
    except (OSError, TypeError, SyntaxError, AttributeError):
        return ast.Module([], []), {}


def _naming_in(names: Mapping[str, Any]) -> Naming:
    def naming(node: ast.expr) -> str | None:
        root, _, rest = ast.unparse(node).partition(".")
        value = names.get(root)
        if isinstance(value, ModuleType):
            return f"{value.__name__}.{rest}"
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__name__', '')}"

    return naming
