"""Rewrites what saves and loads weights, and the state of optimizers and schedules."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
from collections.abc import Collection
from typing import Any

from jaxvstorch._port.draft.expressions import parsed
from jaxvstorch._port.draft.optimizers import SCHEDULES, Optimizers


class Saving(Optimizers):
    """Turns ``torch.save`` and ``state_dict`` into functions of the draft, which use orbax.

    Attributes:
        schedules: the names of the program's learning rate schedules.
    """

    schedules: Collection[str] = ()

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = self.qualified(node.func) or ""
        if name == "torch.save" and len(node.args) > 1 and not self._is_module(node.args[0]):
            return _call("save_arrays", [self.visit(argument) for argument in node.args[:2]])
        if name == "torch.load" and node.args:
            return _call("load_arrays", [self.visit(node.args[0])])
        if isinstance(node.func, ast.Attribute) and not name:
            owner, method = node.func.value, node.func.attr
            if method == "state_dict" and not (node.args or node.keywords):
                if ast.unparse(owner) in self.schedules:
                    return ast.Attribute(owner, "count", ast.Load())
                return _call("state_dict", [self.visit(owner)])
            if method == "load_state_dict" and len(node.args) == 1:
                if node.keywords:
                    self.marks.append("load_state_dict in JAX needs all weights")
                return _call("load_state_dict", [self.visit(owner), self.visit(node.args[0])])
        return super().visit_Call(node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        match node.value:
            case ast.Call(func=ast.Attribute(value=owner, attr="load_state_dict"), args=[given]):
                if ast.unparse(owner) in self.schedules:
                    count = ast.Attribute(owner, "count", ast.Store())
                    return ast.Assign([count], self.visit(given), lineno=node.lineno)
        return super().visit_Expr(node)

    def _is_module(self, node: ast.expr) -> bool:
        """Whether an expression is a name of a module, which would be saved as a whole."""
        kinds = [steps.kinds.get(ast.unparse(node)) for steps in self.seen.steps.values()]
        return "module" in kinds


def schedules(tree: ast.AST, qualified: Any) -> set[str]:
    """The names of the learning rate schedules that a file makes."""
    return {
        ast.unparse(node.targets[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and (qualified(node.value.func) or "").startswith(SCHEDULES)
    }


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(parsed(f"paste.{name}"), arguments, [])
