"""Rewrites the modules of a JAX program as modules of ``torch.nn``, and its functions."""

# ruff: noqa: N802, N815 - ast.NodeVisitor gives the names of the methods.

import ast
from typing import Any

import jax

from jaxvstorch._port.draft.commenting import TODO, is_marker
from jaxvstorch._port.torch_draft import kinds
from jaxvstorch._port.torch_draft.compact import Compact
from jaxvstorch._port.torch_draft.returns import own_returns
from jaxvstorch._port.torch_draft.training import OPTIMIZER

_FORWARD = {"__call__": "forward"}
_FIELDS = ("jax.Array", "equinox.Module")


class Classes(Compact):
    """Rewrites classes and functions."""

    instance: Any = None  # of the class that is rewritten, as the run made it

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        if any(map(self.is_state, node.bases)):
            return None  # the draft has its own
        if not self._is_module(node):
            return self.generic_visit(node)
        bases = [b for b in node.bases if self._is_module_of_program(b)]
        node.bases = bases or [ast.parse("nn.Module", mode="eval").body]
        node.keywords = []
        self.owner = node.name
        making = next((m for m in self.recording.makings if m[0] == node.name), None)
        self.instance = making and making[3]
        linen = self._library(node.name) == "linen"
        fields = [s for s in node.body if isinstance(s, ast.AnnAssign)]
        body = [s for s in node.body if s not in fields]
        methods = {s.name: s for s in body if isinstance(s, ast.FunctionDef)}
        init = methods.get("__init__")
        if linen or (init is None and fields):
            init = self._with_fields(node, fields, methods, body)
        new = []
        for statement in body:
            if isinstance(statement, ast.FunctionDef):
                new.append(self._method(statement))
            else:
                new.append(self.visit(statement))
        node.body = [s for s in new if s is not None] or [ast.Pass()]
        if not any(isinstance(d, ast.Call) for d in node.decorator_list):
            node.decorator_list = []
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        target = node.targets[0]
        is_own = isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self"
        self.attribute = target.attr if is_own else ""  # type: ignore[attr-defined]
        self.named, made = node.value, []
        if is_own and isinstance(node.value, ast.Call) and hasattr(node.value, "lineno"):
            made = self.recording.made.get(self.at(node.value), [])
        first = made and self.first_weights(node.value, made[0][0], ast.unparse(target))
        new = super().visit_Assign(node)
        if is_own and isinstance(new, ast.Assign) and self.instance is not None:
            value = getattr(self.instance, target.attr, None)  # type: ignore[attr-defined]
            new.value = self._registered(new.value, value)
        return [new, *first] if first else new

    def _registered(self, node: ast.expr, value: Any) -> ast.expr:
        """What ``nn.Module`` registers: lists of modules, and Equinox's arrays."""
        parts = value.values() if isinstance(value, dict) else value
        wrapper = ""
        if isinstance(value, list | tuple | dict) and any(map(kinds.is_module, parts)):
            wrapper = "nn.ModuleDict" if isinstance(value, dict) else "nn.ModuleList"
        elif isinstance(value, jax.Array) and not kinds.is_key(value):
            wrapper = "nn.Parameter"
        if not wrapper or ast.unparse(node).startswith("nn."):
            return node
        return ast.Call(ast.parse(wrapper, mode="eval").body, [node], [])

    def _is_module(self, node: ast.ClassDef) -> bool:
        names = [self.name(base) or "" for base in node.bases]
        if any(
            n in ("nnx.Module", "flax.linen.Module", "equinox.Module", "nnx.Pytree") for n in names
        ):
            return True
        return any(self._is_module_of_program(base) for base in node.bases)

    def _is_module_of_program(self, node: ast.expr) -> bool:
        own = self.classes.get(ast.unparse(node))
        return own is not None and self._is_module(own)

    # Methods.

    def _method(self, node: ast.FunctionDef) -> Any:
        new = self.visit_FunctionDef(node)
        if node.name == "__init__" and "super().__init__" not in ast.unparse(node):
            at = 1 if ast.get_docstring(node) is not None else 0
            node.body.insert(at, ast.parse("super().__init__()").body[0])
        node.name = _FORWARD.get(node.name, node.name)
        return new

    # Functions.

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        outer, self.scope = self.scope, node.lineno
        self.replacing = node.name != "__init__"
        before = self.stepped, self.read
        self.note_steps(node.body)
        gone = self.dropped(node)
        self.inner[node.name] = node
        making, self.making = self.making, self.makers.get(node.name)
        gradient = self._decorated(node)
        if gradient is not None:
            self.gradients[node.name] = gradient
        self._parameters_of(node, gone)
        if self.making is not None:
            node.args.args.insert(0, ast.arg(self.made_for()))
        node.body = self.statements(node.body) or [ast.Pass()]
        self.making = making
        node.returns = self._annotation(node.returns)
        node.decorator_list = [d for d in node.decorator_list if not self._is_jax(d)]
        rename(node, self.renamed())
        _detach(node)
        self.scope, (self.stepped, self.read) = outer, before
        return node

    def renamed(self) -> dict[str, str]:
        """New names: an optimizer's state is the optimizer, and variables are the model."""
        new, own = {}, self.enclosing.get(self.scope)
        gone = self.dropped(own) if own is not None else set()
        modules = [name for (line, name), of in self.recording.kinds.items()
                   if line == self.scope and of == {kinds.MODULE} and name not in gone]  # fmt: skip
        for (line, name), of in self.recording.kinds.items():
            if line == self.scope and name not in self.taken:
                if of == {kinds.OPT_STATE}:
                    new[name] = OPTIMIZER
                elif of == {kinds.VARIABLES}:
                    new[name] = modules[0] if len(modules) == 1 else "model"
        return new

    def _decorated(self, node: ast.FunctionDef) -> Any:
        """What a decorator such as ``@eqx.filter_value_and_grad`` says."""
        for decorator in node.decorator_list:
            called = decorator
            words: list[ast.keyword] = []
            if isinstance(decorator, ast.Call):
                called, words = decorator.func, decorator.keywords
                if (self.name(called) or "").endswith("partial"):
                    called = decorator.args[0]
            whole = ast.Call(called, [ast.Name(node.name, ast.Load())], words)
            found = self.gradient(whole)
            if found is not None:
                return found
        return None

    def _is_jax(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            return self._is_jax(node.func) or any(map(self._is_jax, node.args))
        name = self.name(node) or ""
        return name.startswith(("jax.", "nnx.", "equinox.", "flax."))

    def _parameters_of(self, node: ast.FunctionDef, gone: set[str]) -> None:
        args = node.args
        positional = args.args
        if node.name in self.looped:
            gone = gone - {a.arg for a in positional[:2]}
            for a in [a for a in positional[1:2] if a.arg in self.dropped(node)]:
                a.arg = "_"
        first = len(positional) - len(args.defaults)
        defaults = {a.arg: d for a, d in zip(positional[first:], args.defaults, strict=True)}
        args.args = [a for a in positional if a.arg not in gone]
        args.defaults = [self.visit(defaults[a.arg]) for a in args.args if a.arg in defaults]
        named = zip(args.kwonlyargs, args.kw_defaults, strict=True)
        kept = [(a, d and self.visit(d)) for a, d in named if a.arg not in gone]
        args.kwonlyargs, args.kw_defaults = [a for a, _ in kept], [d for _, d in kept]
        for a in [*args.posonlyargs, *args.args, *args.kwonlyargs]:
            a.annotation = self._annotation(a.annotation)

    def _annotation(self, node: ast.expr | None) -> ast.expr | None:
        """An annotation; none where it is of JAX."""
        if node is None:
            return None
        parts = [p for p in ast.walk(node) if isinstance(p, ast.Name | ast.Attribute)]
        if any((self.name(p) or "").startswith(("jax.Array", "jnp.ndarray")) for p in parts):
            return ast.parse("torch.Tensor", mode="eval").body
        of_jax = ("jax", "jnp", "nnx", "flax", "equinox", "optax", "jaxtyping", "chex")
        if any((self.name(p) or "").partition(".")[0] in of_jax for p in parts):
            return None
        return node

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements rewritten, each below what says why it could not be."""
        outer, new = self.todo, list[ast.stmt]()
        for statement in body:
            if is_marker(statement):
                new.append(statement)
                continue
            self.todo, self.file = [], self.file_of(statement)
            result = self.visit(statement)
            marks = dict.fromkeys(self.todo)
            new += [ast.Expr(ast.Constant(f"{TODO}{why}")) for why in marks]
            self.todo = []
            results = result if isinstance(result, list) else [result] if result is not None else []
            new += [_located(made, statement) for made in results]
        self.todo = outer
        return new

    def visit_Return(self, node: ast.Return) -> Any:
        if node.value is not None and self.making is not None:
            target = ast.Name(OPTIMIZER, ast.Store())
            made = self._made_optimizer(node.value, self.making, target)
            return [*made, ast.Return(ast.Name(OPTIMIZER, ast.Load()))]
        node.value = node.value and self.kept(node.value)
        if isinstance(node.value, ast.Call):
            new = self._optimizer_statement(node.value, ast.Name("state", ast.Store()))
            if new:
                return [*new, ast.Return(ast.Name("state", ast.Load()))]
        steps = list[ast.stmt]()
        for i, part in enumerate(parts := getattr(node.value, "elts", [])):
            if isinstance(part, ast.Call) and self.is_applied(part):
                steps += self.step(part)
                parts[i] = part.func.value  # type: ignore[attr-defined]
        return [*steps, self.generic_visit(node)]

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Call):
            if self._is_update(node.value):
                return self.step(node.value)
            match node.value.func:
                case ast.Attribute(attr="train" | "eval") if node.value.args == []:
                    node.value.keywords = []
        return self.with_seed(node.value, self.generic_visit(node))  # type: ignore[arg-type]

    def visit_For(self, node: ast.For) -> Any:
        if self.stepped == set():
            self.note_steps([node])
        target, over = self.without_keys(node.target, node.iter)
        node.target, node.iter = target, self.visit(over)
        node.body, node.orelse = (
            self.statements(node.body) or [ast.Pass()],
            self.statements(node.orelse),
        )
        return node

    def _block(self, node: Any) -> Any:
        for name in ("test", "items"):
            if isinstance(value := getattr(node, name, None), ast.expr):
                setattr(node, name, self.visit(value))
        node.body = self.statements(node.body) or [ast.Pass()]
        if getattr(node, "orelse", None):
            node.orelse = self.statements(node.orelse)
        return node

    visit_If = visit_While = visit_With = _block


def _located(node: ast.stmt, of: ast.stmt) -> ast.stmt:
    if not hasattr(node, "lineno"):
        node.lineno = getattr(of, "lineno", 0)
    return node


def rename(node: ast.AST, names: dict[str, str]) -> None:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in names:
            part.id = names[part.id]
        elif isinstance(part, ast.arg) and part.arg in names:
            part.arg = names[part.arg]


def _detached(node: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(node, "detach", ast.Load()), [], [])


def _detach(node: ast.FunctionDef) -> None:
    """Return losses without the graph that their gradients needed."""
    losses = {
        ast.unparse(call.func.value)
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "backward"
    }
    for part in (n for n in ast.walk(node) if isinstance(n, ast.Dict)):
        part.values = [_detached(v) if ast.unparse(v) in losses else v for v in part.values]
    for statement in own_returns(node):
        if statement.value is not None:
            value = statement.value
            parts = value.elts if isinstance(value, ast.Tuple) else [value]
            new = [_detached(p) if ast.unparse(p) in losses else p for p in parts]
            statement.value = ast.Tuple(new, ast.Load()) if isinstance(value, ast.Tuple) else new[0]
