"""Rewrites a program's definitions in JAX, and marks each statement with what is left to do."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
import copy
import re
from collections.abc import Mapping
from typing import Any

from jaxvstorch._port.draft.commenting import UNREACHED, comment, is_marker, mark
from jaxvstorch._port.draft.elements import comments_in, move_comments
from jaxvstorch._port.draft.expressions import parsed
from jaxvstorch._port.draft.modules import RNGS
from jaxvstorch._port.draft.once import one_of_two
from jaxvstorch._port.draft.randomness import SEEDED, without_pass
from jaxvstorch._port.draft.reading import WithoutItem
from jaxvstorch._port.draft.shortening import ReadDirectly, WithoutDevices
from jaxvstorch._port.draft.weights import Weights
from jaxvstorch._port.map.rows import rows
from jaxvstorch._port.translation import functional_update

# Contexts that set how PyTorch records or computes; JAX needs none of them.
_CONTEXTS = ("no_grad", "inference_mode", "enable_grad", "set_grad_enabled")
# Calls that only set how PyTorch works, by the end of their names.
_SETTINGS = ("manual_seed", "manual_seed_all", "set_num_threads", "use_deterministic_algorithms",
             "set_float32_matmul_precision", "empty_cache", "set_default_dtype",
             "autograd.set_detect_anomaly")  # fmt: skip


class Rewriting(Weights):
    """Turns one file's definitions into JAX."""

    shuffled: bool = False  # whether the file has a loader that shuffles
    attributes: Mapping[str, str] = {}  # names that stand for attributes in the function around

    def visit_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements, each after the marks of what is left to do in it."""
        rewritten: list[ast.stmt] = []
        for statement in body:
            if is_marker(statement):
                rewritten.append(statement)
                continue
            outer, self.marks = self.marks, []
            comments = [] if hasattr(statement, "body") else comments_in(statement)
            new = self.visit(statement)
            if comments:
                kept = comments_in(ast.Module(new if isinstance(new, list) else [new], []))
                rewritten += [comment(text) for text in comments if text not in kept and new]
            rewritten += [mark(text) for text in dict.fromkeys(self.marks)]
            self.marks = outer
            rewritten += new if isinstance(new, list) else [new] if new is not None else []
        return rewritten if not all(map(is_marker, rewritten)) else [*rewritten, ast.Pass()]

    def visit(self, node: ast.AST) -> Any:
        new = super().visit(node)
        move_comments(node, new)
        return new

    def visit_statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements in JAX that follow others, or are followed by some: there can be none."""
        new = self.visit_body(body)
        return new[:-1] if new and isinstance(new[-1], ast.Pass) else new

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name, value in ast.iter_fields(node):
            if name in ("body", "orelse", "finalbody") and isinstance(value, list):
                if value:
                    setattr(node, name, self.visit_body(value))
            elif isinstance(value, list):
                new = [(v, self.visit(v) if isinstance(v, ast.AST) else v) for v in value]
                # None stands for the key of ``**x``, and for a default that is not there.
                setattr(node, name, [v for old, v in new if v is not None or old is None])
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        for decorator in node.decorator_list:
            if self.owner and node.name == "forward" and not self.is_torch(decorator):
                self.marks.append(f"@{ast.unparse(decorator)}")
        forward = self.owner is not None and node.name == "forward"
        kept = [] if forward else [d for d in node.decorator_list if not self.is_torch(d)]
        node.decorator_list = [self.visit(d) for d in kept]
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = self._annotation(argument.annotation)
        node.returns = self._annotation(node.returns)
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        outer, was_unreached = self.full_names, self.unreached
        self.full_names = {
            name: full for name, full in outer.items() if name not in names_bound(node)
        }
        self.unreached = was_unreached or not self._ran(node)
        before = ast.unparse(node.body)  # type: ignore[arg-type]
        node.body = self.visit_body(node.body)
        is_plain = before == ast.unparse(node.body)  # type: ignore[arg-type]
        if self.unreached and not was_unreached and not is_plain:
            node.body.insert(ast.get_docstring(node) is not None, mark(f"{node.name} {UNREACHED}"))
        self.full_names, self.unreached = outer, was_unreached
        new = WithoutDevices(node).visit(ReadDirectly().visit(node))
        new.body = without_pass(new.body) or [ast.Pass()]
        return new  # type: ignore[no-any-return]

    def _ran(self, node: ast.FunctionDef) -> bool:
        """Whether a line of a function ran."""
        lines = range(node.body[0].lineno if hasattr(node.body[0], "lineno") else node.lineno + 1,
                      (node.end_lineno or 0) + 1)  # fmt: skip
        name = self.full_name(node)
        reached = name in self.seen.reached or name in self.seen.builders
        return reached or not self.seen.lines.isdisjoint(lines) or len(node.body) == 1

    def full_name(self, node: ast.FunctionDef) -> str:
        """The name of a function with that of the class around."""
        around = self.owner or self.other_class
        return f"{around}.{node.name}" if around else node.name

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = self._annotation(node.annotation) or ast.Name("object", ast.Load())
        node.value = self.visit(node.value) if node.value else None
        return node

    def visit_With(self, node: ast.With) -> Any:
        node.items = [item for item in node.items if not self._is_context(item.context_expr)]
        if not node.items:
            return self.visit_body(node.body)
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> Any:
        """Branches that do the same in JAX, such as those for a device, are one."""
        new = super().visit_If(node)
        if not isinstance(new, ast.If) or any(isinstance(n, ast.Call) for n in ast.walk(new.test)):
            return new
        texts = [[ast.unparse(n) for n in without_pass(b) if not is_marker(n)]
                 for b in (new.body, new.orelse)]  # fmt: skip
        return without_pass(new.body) if texts[0] == texts[1] else new

    def visit_Import(self, node: ast.Import) -> Any:
        kept = [alias for alias in node.names if alias.name.partition(".")[0] != "torch"]
        return ast.Import(kept) if kept else None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        return None if (node.module or "").partition(".")[0] == "torch" else node

    def visit_Assign(self, node: ast.Assign) -> Any:
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Subscript) and self.calls_at(target, "Tensor.__setitem__"):
            node.value = self.visit(WithoutItem().visit(node.value))
            target.value, target.slice = self.visit(target.value), self.visit(target.slice)
            return ast.parse(functional_update(node)).body
        if isinstance(target, ast.Attribute) and len(node.targets) == 1:
            if target.attr == "data" and (name := ast.unparse(target.value)) in self.weights:
                return ast.parse(f"{name}[...] = {ast.unparse(self.visit(value))}").body[0]
            if (tied := self.tied(target, node.value)) is not None:
                return tied
            made = re.search(r"\b(Parameter|Buffer)\(", ast.unparse(node.value))
            if made is None and (stored := self.stored(target, node.value)) is not None:
                return stored
        if isinstance(node.value, ast.Call) and self.is_device(node.value):
            node.value = parsed("jax.devices()[0]")  # the program hands it on
            return node
        if self._is_setting(target) or self._is_setting(node.value):
            return None
        match node:
            case ast.Assign([ast.Tuple(names)], ast.Call() as call):
                if not any(isinstance(name, ast.Starred) for name in names):
                    self.unpacked[id(call)] = len(names)
        if not isinstance(target, ast.Name) and self._is_weight(value):
            node.value = parsed(f"{ast.unparse(value).removesuffix('.data')}[...]")  # as it is now
        new = self.generic_visit(node)
        match new:
            case ast.Assign([ast.Tuple([ast.Name(first), ast.Name(second)] as both)], pair):
                read = [i for i, name in enumerate((first, second)) if name != "_"]
                if len(read) == 1 and (one := one_of_two(pair, read[0])) is not None:
                    new.targets, new.value = [both[read[0]]], one
            case ast.Assign([ast.Name(name)], ast.Lambda(body=body) as function):
                if not (isinstance(value, ast.Lambda) or self.owner or name in self.attributes):
                    defined = ast.parse(f"def {name}(): ...").body[0]
                    defined.args, defined.body = function.args, [ast.Return(body)]  # type: ignore[attr-defined]
                    return defined
        same = isinstance(new, ast.Assign) and ast.unparse(new.targets[0]) == ast.unparse(new.value)
        return None if same else new  # such as data = data.to(device)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        target = node.target
        if isinstance(target, ast.Subscript) and self.calls_at(target, "Tensor.__setitem__"):
            node.value, target.value = self.visit(node.value), self.visit(target.value)
            target.slice = self.visit(target.slice)
            return ast.parse(functional_update(node)).body
        if isinstance(target, ast.Attribute) and (place := self.place(target)) is not None:
            node.value = self.visit(node.value)
            text = f"{place[1]} {_SIGNS[type(node.op).__name__]}= {ast.unparse(node.value)}"
            return ast.parse(text).body[0]
        return self.generic_visit(node)

    def _is_weight(self, node: ast.expr) -> bool:
        """Whether it is a weight that a loop goes over, or its ``data``."""
        return ast.unparse(node).removesuffix(".data") in self.weights

    def visit_Expr(self, node: ast.Expr) -> Any:
        call = node.value
        if not isinstance(call, ast.Call):
            return self.generic_visit(node)
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        name = self.qualified(call.func) or ""
        is_base = ast.unparse(call.func).startswith("super(") and method == "__init__"
        if is_base and self.bases.get(self.owner or "") == ["torch.nn.Module"]:
            return None
        if method == "zero_grad" or (method in ("to", "cuda", "cpu") and not name):
            return None  # jax.grad accumulates nothing; JAX computes where it computes
        if name == "torch.manual_seed" and call.args:
            kept = [copy.deepcopy(node)] * self.shuffled
            seed = self.visit(call.args[0])
            return [*kept, ast.Assign([ast.Name(SEEDED, ast.Store())], seed, lineno=0)]
        if self._is_setting(call):
            return None
        if method == "apply" and len(call.args) == 1 and not name and not self.calls_at(call):
            return self._applied(call)
        if method in ("register_buffer", "register_parameter") and len(call.args) > 1:
            return self.registered(
                call, "paste.Buffer" if method.endswith("buffer") else "nnx.Param"
            )
        if name.startswith("torch.nn.init.") and call.args:
            return self.initialized(name, call)
        names = [replayed.name for replayed in self.calls_at(call)]
        if not names and not name and (self.unwatched or self._did_not_run(call)):
            names = [f"Tensor.{method}"] if f"Tensor.{method}" in rows() else []
        changes = bool(names) and names[0].startswith("Tensor.") and names[0].endswith("_")
        changes = changes and method != "requires_grad_"
        if changes and isinstance(call.func, ast.Attribute):
            array = call.func.value
            if (stored := self.stored(array, call)) is not None:
                return stored
            if self._is_weight(first := _written_into(array)):
                return self.weight_written(first, call)
            if isinstance(array, ast.Name | ast.Attribute):
                target = ast.parse(ast.unparse(array), mode="eval").body
                target.ctx = ast.Store()  # type: ignore[attr-defined]
                return ast.Assign([target], self.visit(call), lineno=node.lineno)
        return self.generic_visit(node)

    def _applied(self, call: ast.Call) -> ast.stmt:
        """``self.apply(f)``: a call of the function with each module."""
        assert isinstance(call.func, ast.Attribute)
        modules, function = ast.unparse(call.func.value), ast.unparse(call.args[0])
        text = f"for _, module in nnx.iter_modules({modules}):\n    {function}(module)"
        loop = ast.copy_location(ast.parse(text).body[0], call)
        if function.startswith("self."):
            self.seen.builders.add(f"{self.owner}.{function.removeprefix('self.')}")
            each = loop.body[0].value  # type: ignore[attr-defined]
            each.keywords.append(ast.keyword("rngs", ast.Name(RNGS, ast.Load())))
        return loop

    def is_device(self, node: ast.Call) -> bool:
        name = self.qualified(node.func)
        return name in ("torch.device", "torch.accelerator.current_accelerator")

    def _is_setting(self, node: ast.expr) -> bool:
        """Whether an expression only sets how PyTorch works, or chooses a device."""
        function = node.func if isinstance(node, ast.Call) else node
        name = self.qualified(function) or ""
        return name.startswith("torch.") and (name.endswith(_SETTINGS) or ".backends." in name)

    def _annotation(self, node: ast.expr | None) -> ast.expr | None:
        if node is None:
            return None
        if "Tensor" in ast.unparse(node):
            return parsed("jax.Array") if "[" not in ast.unparse(node) else None
        parts = [p for p in ast.walk(node) if isinstance(p, ast.Attribute | ast.Name)]
        return None if any(map(self.is_torch, parts)) or isinstance(node, ast.Constant) else node

    def _is_context(self, node: ast.expr) -> bool:
        """Whether a context only sets how PyTorch computes."""
        name = (self.qualified(node.func) if isinstance(node, ast.Call) else None) or ""
        if name.endswith(".autocast") and not self._did_not_run(node):
            lines = range(node.lineno, (node.end_lineno or 0) + 1)
            if not self.seen.autocast_lines.isdisjoint(lines):  # it was not switched off
                self.marks.append(_AUTOCAST)
            return True
        return self.is_torch(node) and any(name in ast.unparse(node) for name in _CONTEXTS)


_AUTOCAST = (
    "autocast computed what is below in another dtype, and the draft computes it in float32: give "
    "the layers dtype=jnp.bfloat16, and param_dtype=jnp.float32 as PyTorch does, where that counts"
)
_SIGNS = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Pow": "**", "MatMult": "@"}


def names_bound(function: ast.FunctionDef) -> set[str]:
    """The names that a function binds, which hide imports of the same names."""
    names = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    stored = (n for n in ast.walk(function) if isinstance(n, ast.Name))
    return names | {n.id for n in stored if isinstance(n.ctx, ast.Store)}


def _written_into(array: ast.expr) -> ast.expr:
    """What ``p.mul_(a).add_(b)`` writes into first: ``p``."""
    match array:
        case ast.Call(ast.Attribute(inner, method)) if method.endswith("_"):
            return _written_into(inner)
    return array
