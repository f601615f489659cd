"""Clips the gradients of a step, and keeps their norm where the program reads it."""

import ast
from collections.abc import Callable, Iterable
from typing import Any

from jaxvstorch._port.draft.reading import names_in

_CLIPPING = ("clip_grad_norm_", "clip_grad_value_")
_NORM = "grad_norm"
_EUCLIDEAN = ("2", "2.0")


def clips_gradients(node: ast.stmt) -> bool:
    """Whether a statement clips gradients, and does nothing else but name their norm."""
    match node:
        case ast.Expr(call) | ast.Assign([ast.Name()], call):
            return _clips(call)
    return False


def norms(changes: Iterable[ast.stmt]) -> list[str]:
    """The names that statements which clip give to norms."""
    return [n.targets[0].id for n in changes  # type: ignore[attr-defined]
            if isinstance(n, ast.Assign) and clips_gradients(n)]  # fmt: skip


def clipped(node: ast.stmt, visit: Callable[[ast.expr], ast.expr]) -> str:
    """The lines in JAX for a statement that clips gradients."""
    call: ast.Call = node.value  # type: ignore[attr-defined]
    given = {w.arg: w.value for w in call.keywords}

    def argument(position: int, *names: str) -> str | None:
        values = [call.args[position]] if position < len(call.args) else []
        values += [given[name] for name in names if name in given]
        return ast.unparse(visit(values[0])) if values else None

    limit = argument(1, "max_norm", "clip_value")
    if "clip_grad_value_" in ast.unparse(call.func):
        return f"grads = jax.tree.map(lambda g: jnp.clip(g, -{limit}, {limit}), grads)"
    order = argument(2, "norm_type")
    order = "" if order in (None, *_EUCLIDEAN) else f", {order}"
    norm = f"optax.tree.norm(grads{order})"
    lines = [f"{name} = {norm}" for name in norms([node])]
    (norm,) = norms([node]) or [norm]
    lines += [f"scale = jnp.minimum(1, {limit} / ({norm} + 1e-6))",
              "grads = jax.tree.map(lambda g: g * scale, grads)"]  # fmt: skip
    return "\n".join(lines)


class WithClippingApart(ast.NodeTransformer):
    """Gives the norm a name before a statement such as ``total += clip_grad_norm_(...).item()``."""

    def __init__(self, tree: ast.AST) -> None:
        self.name = _NORM
        while self.name in names_in(tree, ast.Store):
            self.name += "_"

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.Expr | ast.Assign | ast.AugAssign | ast.AnnAssign):
            return super().visit(node)
        calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and _clips(n)]
        if len(calls) != 1 or clips_gradients(node):
            return node
        apart = ast.Assign([ast.Name(self.name, ast.Store())], calls[0])
        return [ast.copy_location(apart, node), _Naming(calls[0], self.name).visit(node)]


class _Naming(ast.NodeTransformer):
    def __init__(self, call: ast.AST, name: str) -> None:
        self.call, self.name = call, name

    def visit(self, node: ast.AST) -> Any:
        return ast.Name(self.name, ast.Load()) if node is self.call else super().visit(node)


def _clips(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith(_CLIPPING)
