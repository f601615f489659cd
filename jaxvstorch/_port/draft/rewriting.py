"""Rewrites a program's definitions in JAX, and marks each statement with what is left to do."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
from typing import Any

from jaxvstorch._port.draft.expressions import Expressions, parsed
from jaxvstorch._port.filling import span_of
from jaxvstorch._port.translation import functional_update

TODO = "TODO: "
# Contexts that set how PyTorch records or computes; JAX needs none of them.
_CONTEXTS = ("no_grad", "inference_mode", "enable_grad", "set_grad_enabled")


class Rewriting(Expressions):
    """Turns one file's definitions into JAX."""

    def visit_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements, each after the marks of what is left to do in it."""
        rewritten: list[ast.stmt] = []
        for statement in body:
            outer, self.marks = self.marks, []
            new = self.visit(statement)
            rewritten += [_mark(text) for text in dict.fromkeys(self.marks)]
            self.marks = outer
            rewritten += new if isinstance(new, list) else [new] if new is not None else []
        return rewritten or [ast.Pass()]

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name, value in ast.iter_fields(node):
            if name in ("body", "orelse", "finalbody") and isinstance(value, list):
                if value:
                    setattr(node, name, self.visit_body(value))
            elif isinstance(value, list):
                new = [self.visit(v) if isinstance(v, ast.AST) else v for v in value]
                setattr(node, name, [v for v in new if v is not None])
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        kept = [d for d in node.decorator_list if not self.is_torch(d)]
        node.decorator_list = [self.visit(d) for d in kept]
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = self._annotation(argument.annotation)
        node.returns = self._annotation(node.returns)
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        outer = self.full_names
        self.full_names = {name: full for name, full in outer.items() if name not in _bound(node)}
        node.body = self.visit_body(node.body)
        self.full_names = outer
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        for base in [b for b in node.bases if self.is_torch(b) and ast.unparse(b) != "Module"]:
            self.marks.append(f"{self.qualified(base)} has no counterpart here")
            node.bases.remove(base)
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = self._annotation(node.annotation) or ast.Name("object", ast.Load())
        node.value = self.visit(node.value) if node.value else None
        return node

    def visit_With(self, node: ast.With) -> Any:
        node.items = [item for item in node.items if not self._is_context(item.context_expr)]
        if not node.items:
            return self.visit_body(node.body)
        return self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> Any:
        kept = [alias for alias in node.names if alias.name.partition(".")[0] != "torch"]
        return ast.Import(kept) if kept else None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        return None if (node.module or "").partition(".")[0] == "torch" else node

    def visit_Assign(self, node: ast.Assign) -> Any:
        target = node.targets[0]
        if isinstance(target, ast.Subscript) and self.calls_at(target, "Tensor.__setitem__"):
            node.value, target.value = self.visit(node.value), self.visit(target.value)
            target.slice = self.visit(target.slice)
            return ast.parse(functional_update(node)).body
        return self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        target = node.target
        if isinstance(target, ast.Subscript) and self.calls_at(target, "Tensor.__setitem__"):
            node.value, target.value = self.visit(node.value), self.visit(target.value)
            target.slice = self.visit(target.slice)
            return ast.parse(functional_update(node)).body
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        call = node.value
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "zero_grad":
            return None  # jax.grad accumulates nothing
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            names = [replayed.name for replayed in self.calls.get(span_of(call), ())]
            changes = bool(names) and names[0].startswith("Tensor.") and names[0].endswith("_")
            if changes and isinstance(call.func.value, ast.Name | ast.Attribute):
                target = ast.parse(ast.unparse(call.func.value), mode="eval").body
                target.ctx = ast.Store()  # type: ignore[attr-defined]
                return ast.Assign([target], self.visit(call), lineno=node.lineno)
        return self.generic_visit(node)

    def _annotation(self, node: ast.expr | None) -> ast.expr | None:
        if node is None:
            return None
        if "Tensor" in ast.unparse(node):
            return parsed("jax.Array") if "[" not in ast.unparse(node) else None
        parts = [p for p in ast.walk(node) if isinstance(p, ast.Attribute | ast.Name)]
        return None if any(map(self.is_torch, parts)) or isinstance(node, ast.Constant) else node

    def _is_context(self, node: ast.expr) -> bool:
        return self.is_torch(node) and any(name in ast.unparse(node) for name in _CONTEXTS)


def _bound(function: ast.FunctionDef) -> set[str]:
    """The names that a function binds, which hide imports of the same names."""
    names = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    stored = (n for n in ast.walk(function) if isinstance(n, ast.Name))
    return names | {n.id for n in stored if isinstance(n.ctx, ast.Store)}


def _mark(text: str) -> ast.stmt:
    return ast.Expr(ast.Constant(TODO + text.replace("\n", " ")))
