"""Rewrites what saves and loads weights, and the state of optimizers and schedules."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from jaxvstorch._port.draft.expressions import parsed
from jaxvstorch._port.draft.optimizers import Optimizers
from jaxvstorch._port.draft.schedules import SCHEDULES


class Saving(Optimizers):
    """Turns ``torch.save`` and ``state_dict`` into functions of the draft, which use orbax.

    Attributes:
        made: the full name of what makes each of the program's objects, by the object's name.
        saves_modules: whether it saves a module as a whole.
    """

    made: Mapping[str, str] = MappingProxyType({})
    saves_modules: bool = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = self.qualified(node.func) or ""
        if name == "torch.save" and len(node.args) > 1:
            whole = self._is_module(node.args[0])
            self.saves_modules = self.saves_modules or whole
            saved, path = map(self.visit, node.args[:2])
            return _call("save_arrays", [_call("state_dict", [saved]) if whole else saved, path])
        if name == "torch.load" and node.args:
            if self.saves_modules:
                self.marks.append(
                    "what is saved of a module is its weights: make it, and load them"
                )
            return _call("load_arrays", [self.visit(node.args[0])])
        method = node.func.attr if isinstance(node.func, ast.Attribute) and not name else ""
        if method in ("state_dict", "load_state_dict"):
            assert isinstance(node.func, ast.Attribute)
            owner, kind = node.func.value, self._saved(node)
            if kind.startswith("torch."):
                self.marks.append(f"{method} of {kind} has no counterpart here")
            if kind not in ("module", "optimizer", "schedule"):
                return self.generic_visit(node)
            if method == "state_dict" and not (node.args or node.keywords):
                if kind == "schedule":
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
                if self._saved(node.value) == "schedule":
                    count = ast.Attribute(owner, "count", ast.Store())
                    return ast.Assign([count], self.visit(given), lineno=node.lineno)
        return super().visit_Expr(node)

    def _saved(self, node: ast.Call) -> str:
        """What a ``state_dict`` is of: by the run, or by what makes it if it did not run."""
        assert isinstance(node.func, ast.Attribute)
        owner = ast.unparse(node.func.value)
        if (kind := self.seen.saved.get(self.span(node))) is not None:
            return kind
        made = self.made.get(owner, "")
        if made.startswith(SCHEDULES):
            return "schedule"
        if made in self.bases:
            return "module" if made in self.seen.instances else made
        return made if made.startswith(("torch.amp.", "torch.cuda.")) else "module"

    def _is_module(self, node: ast.expr) -> bool:
        """Whether an expression is a name of a module, which would be saved as a whole."""
        kinds = [steps.kinds.get(ast.unparse(node)) for steps in self.seen.steps.values()]
        return "module" in kinds


def made_by(tree: ast.AST, qualified: Any) -> dict[str, str]:
    """The full name of the class or function whose call each name of a file is set to."""
    return {
        ast.unparse(node.targets[0]): qualified(node.value.func) or ast.unparse(node.value.func)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
    }


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(parsed(f"paste.{name}"), arguments, [])
