"""Writes a call of ``nn.Sequential`` as calls of its layers, one after the other."""

import ast
import copy
from collections.abc import Callable, Iterator

import torch

from jaxvstorch._port.draft.helpers import bound_in
from jaxvstorch._port.draft.styles import CannotWriteError
from jaxvstorch._port.draft.styles.program import Modules
from jaxvstorch._port.draft.styles.resolving import Resolving


def unrolled(
    node: ast.stmt, resolving: Resolving, alike: Callable[[Modules], bool]
) -> Iterator[ast.stmt]:
    """A statement, after those that run the sequences that it calls.

    Args:
        node: the statement.
        resolving: what its names stand for.
        alike: whether one call in a loop does for modules of one class.
    """
    simple = isinstance(node, ast.Assign | ast.Return | ast.Expr | ast.AugAssign | ast.AnnAssign)
    call = next(_calls(node, resolving), None) if simple else None
    if call is None:
        yield node
        return
    argument = call.args[0] if len(call.args) == 1 else None
    if argument is None or call.keywords:
        raise CannotWriteError("a sequence that takes several arguments", ast.unparse(call))
    whole = getattr(node, "value", None) is call
    match node:
        case ast.Assign([ast.Name(name)]) if whole:
            pass
        case ast.Return() if whole and isinstance(argument, ast.Name):
            name = argument.id
        case _:
            taken = bound_in([node]) | {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            name = next(n for n in ("y", "z", "h", *(f"y{i}" for i in range(99))) if n not in taken)
    *before, last = _steps(call.func, argument, name, resolving, alike)
    for step in before:
        yield from unrolled(step, resolving, alike)
    if isinstance(last, ast.Assign) and (whole or not before):
        _Replaced(call, last.value).visit(node)
    else:
        yield from unrolled(last, resolving, alike)
        _Replaced(call, ast.Name(name, ast.Load())).visit(node)
    yield from unrolled(node, resolving, alike)


def _calls(node: ast.AST, resolving: Resolving) -> Iterator[ast.Call]:
    """The calls of sequences, the inner ones first."""
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, resolving)
    if isinstance(node, ast.Call):
        modules = resolving.modules(node.func)
        if modules and all(type(m) is torch.nn.Sequential for m in modules):
            yield node


def _steps(
    of: ast.expr,
    argument: ast.expr,
    name: str,
    resolving: Resolving,
    alike: Callable[[Modules], bool],
) -> Iterator[ast.stmt]:
    """The statements that run a sequence: a layer with weights each, and those after it."""
    several = [list(m.children()) for m in resolving.modules(of)]
    kinds = {tuple(type(part) for part in parts) for parts in several}
    if len(kinds) > 1:
        raise CannotWriteError("a sequence whose layers differ", ast.unparse(of))
    (types,) = kinds
    target = ast.Name(name, ast.Store())
    own = bool(types) and not types[0].__module__.startswith("torch.")
    equal = len(set(types)) == 1 and all(map(alike, several))
    if own and len(types) > 1 and equal:  # a loop over equal layers
        if not isinstance(argument, ast.Name) or argument.id != name:
            yield ast.Assign([target], argument, lineno=0)
        text = f"for layer in {ast.unparse(of)}:\n    {name} = layer({name})"
        yield ast.parse(text).body[0]
        return
    value, weighted = argument, False
    for i, part in enumerate(several[0]):
        has_weights = bool(part.state_dict())
        if weighted and has_weights:
            yield ast.Assign([target], value, lineno=0)
            value, weighted = ast.Name(name, ast.Load()), False
        layer = ast.Subscript(copy.deepcopy(of), ast.Constant(i), ast.Load())
        value, weighted = ast.Call(layer, [value], []), weighted or has_weights
    yield ast.Assign([target], value, lineno=0)


class _Replaced(ast.NodeTransformer):
    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)
