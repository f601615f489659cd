"""Rewrites gradients and optimizers: ``loss.backward()`` and ``optimizer.step()``."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
import copy
from typing import Any

from jaxvstorch._port.torch_draft import kinds
from jaxvstorch._port.torch_draft.initializers import Placed
from jaxvstorch._port.torch_draft.optimizers import Optimizers

_GRADIENTS = ("grad", "value_and_grad", "filter_grad", "filter_value_and_grad")
OPTIMIZER = "optimizer"
_STEPS_ELSEWHERE = ("the gradients of a model that another function steps with: "
                    "take `loss.backward()` here, and `optimizer.step()` there")  # fmt: skip


class Gradient:
    """A call of a function that takes a gradient: of what, with auxiliary results or without."""

    def __init__(self, function: ast.expr, name: str, words: list[ast.keyword]) -> None:
        self.function, self.with_value = function, "value" in name
        given = {word.arg: word.value for word in words}
        self.with_aux = ast.unparse(given.get("has_aux", ast.Constant(False))) == "True"
        self.words = [w for w in words if w.arg in ("argnums", "has_aux")]

    @classmethod
    def of(cls, node: ast.Call, name: str) -> "Gradient":
        """That of ``jax.grad(f, 0)``."""
        by_position = [ast.keyword("argnums", value) for value in node.args[1:2]]
        return cls(node.args[0], name, [*by_position, *node.keywords])


class Training(Optimizers):
    """Rewrites statements that take gradients or steps of an optimizer."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.gradients: dict[str, Gradient] = {}
        self.read: set[str] = set()  # the names that it reads elsewhere
        self.stepped: set[str] = set()  # the gradients that an optimizer uses, in this function
        self.taken: set[str] = set()  # the names of gradients
        self.inner: dict[str, ast.FunctionDef] = {}  # functions inside others

    # Gradients.

    def gradient(self, node: ast.AST) -> Gradient | None:
        """What ``jax.value_and_grad(f)`` or a name for it takes the gradient of."""
        if isinstance(node, ast.Name):
            return self.gradients.get(node.id)
        if not isinstance(node, ast.Call):
            return None
        name = self.name(node.func) or ""
        if name in ("jax.jit", "nnx.jit", "equinox.filter_jit") and node.args:
            return self.gradient(node.args[0])
        if name.rpartition(".")[2] not in _GRADIENTS or not node.args:
            return None
        if name.partition(".")[0] not in ("jax", "nnx", "equinox"):
            return None
        return Gradient.of(node, name)

    def kept(self, node: ast.expr) -> ast.expr:
        """A target or a result without what linen's ``mutable`` returns, which modules keep."""
        if not isinstance(node, ast.Tuple):
            return node
        parts = [self.kept(p) for p in node.elts if self.kinds_of(p) != {kinds.CHANGED}]
        return parts[0] if len(parts) == 1 and len(node.elts) > 1 else ast.Tuple(parts, node.ctx)

    def visit_Assign(self, node: ast.Assign) -> Any:
        value, target = node.value, self.kept(node.targets[0])
        if self.kinds_of(target) == {kinds.CHANGED}:
            return []
        node.targets = [target, *node.targets[1:]]
        if isinstance(target, ast.Name) and (found := self.gradient(value)) is not None:
            self.gradients[target.id] = found
            return None
        if isinstance(target, ast.Name) and self.initializer(value) is not None:
            self.initializers[target.id] = value
            return None
        if isinstance(value, ast.Call):
            found = self.gradient(value.func)
            if found is not None:
                return self._gradient(found, value, target)
            new = self._optimizer_statement(value, target)
            if new is not None:
                return new
            if hasattr(value, "lineno"):
                applied, _ = self.recording.applied.get(self.at(value), ("", ()))
                if applied == "init":
                    return []
                if applied == "apply" and any(w.arg == "mutable" for w in value.keywords):
                    first = target.elts[0] if isinstance(target, ast.Tuple) else target
                    return ast.Assign([first], self.visit(value))
        if self._is_of_keys(value, target):
            return self._seed(value)
        if isinstance(target, ast.Name):
            of = self.kinds_of(target)
            if of == {kinds.TRANSFORMATION}:
                self._note_transformation(target.id, value)
                return []
            if of == {kinds.VARIABLES}:
                return []
            if self._is_schedule(value):
                self.transformations[target.id] = value
                text = self.schedule(value) if self._is_called(target.id) else None
                return ast.parse(f"{target.id} = {text}").body if text is not None else []
        several = target.elts if isinstance(target, ast.Tuple) else []
        if (
            several
            and not isinstance(value, ast.Call)
            and all(self.kinds_of(part) == {kinds.VARIABLES} for part in several)
        ):
            return []
        node = ast.Assign([self.visit(t) for t in node.targets], self.visit(value))
        return self.with_seed(value, node)

    def _is_called(self, name: str) -> bool:
        """Whether a function is called, or returned, by its name."""
        uses = (ast.Call, ast.Return)
        read = [getattr(n, "func", getattr(n, "value", None)) for n in ast.walk(self.tree)
                if isinstance(n, uses)]  # fmt: skip
        return any(isinstance(n, ast.Name) and n.id == name for n in read)

    def _is_of_keys(self, value: ast.expr, target: ast.expr) -> bool:
        names = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        return self.is_key(value) or all(kinds.are_keys(self.kinds_of(n)) for n in names)

    def _seed(self, value: ast.expr) -> list[ast.stmt]:
        """``torch.manual_seed`` where a key is made of a seed."""
        return [s for call in ast.walk(value) if (s := self.seed(call)) is not None][:1]

    def seed(self, node: ast.AST) -> ast.stmt | None:
        """The statement that seeds PyTorch, of a call that makes a key."""
        if not isinstance(node, ast.Call):
            return None
        name = self.name(node.func) or ""
        if name not in ("jax.random.key", "jax.random.PRNGKey", "nnx.Rngs"):
            return None
        value = next(iter([*node.args, *(w.value for w in node.keywords)]), None)
        is_method = any(f.lineno == self.scope and n.partition(".")[0] in self.classes
                        for n, f in self.own.items())  # fmt: skip
        if value is None or self.is_key(value) or is_method:
            return None
        call = ast.parse("torch.manual_seed(0)", mode="eval").body
        call.args = [copy.deepcopy(value)]  # type: ignore[attr-defined]
        return ast.Expr(call)

    def with_seed(self, value: ast.AST, node: ast.stmt) -> Any:
        """A statement, after the seed that its value makes."""
        seeds = [s for part in ast.walk(value) if (s := self.seed(part)) is not None]
        return [*seeds[:1], node] if seeds else node

    def _gradient(self, found: Gradient, call: ast.Call, target: ast.expr) -> list[ast.stmt]:
        """The statements for ``loss, grads = jax.value_and_grad(f)(params, x)``."""
        outputs: list[ast.expr] = [ast.Name("loss", ast.Store())]
        grads = target
        if found.with_value and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            first, grads = target.elts
            outputs = first.elts if isinstance(first, ast.Tuple) else [first]
        elif found.with_aux and isinstance(target, ast.Tuple):
            grads, aux = target.elts
            outputs += [aux]
        if ast.unparse(grads) not in self.stepped:
            return self._functional(found, call, target)
        value = self._inlined(found.function, call)
        goal = outputs[0] if len(outputs) == 1 else ast.Tuple(outputs, ast.Store())
        if found.with_aux and len(outputs) == 1:
            one = self._returns_one(found.function)
            loss = ast.unparse(outputs[0]) if one else f"{ast.unparse(outputs[0])}[0]"
        else:
            loss = ast.unparse(outputs[0])
        self.taken.add(ast.unparse(grads))
        owner, lines = self.optimizer_name(), [f"{loss}.backward()"]
        if ast.unparse(grads) in self.read:
            lines.append(
                f"{ast.unparse(grads)} = [p.grad.clone() for group in {owner}.param_groups "
                "for p in group['params']]"
            )
        statements = ast.parse("\n".join([f"{owner}.zero_grad()", *lines])).body
        return [ast.Assign([_stored(goal)], value), *statements]

    def _inlined(self, function: ast.expr, call: ast.Call) -> Any:
        """A call of a function; of ``lambda p: loss(p, x)``, what that calls."""
        if isinstance(function, ast.Lambda) and len(function.args.args) == len(call.args):
            given = [self.visit(copy.deepcopy(part)) for part in call.args]
            values = dict(zip((a.arg for a in function.args.args), given, strict=True))
            return Placed(values).visit(self.visit(copy.deepcopy(function.body)))
        return self.visit(ast.Call(function, call.args, call.keywords))

    def _returns_one(self, function: ast.expr) -> bool:
        """Whether nothing is left of what a loss function returned beside the loss."""
        node = self.functions.get(ast.unparse(function)) or self.inner.get(ast.unparse(function))
        returns = [n for n in ast.walk(node) if isinstance(n, ast.Return)] if node else []
        return bool(returns) and not isinstance(returns[-1].value, ast.Tuple)

    def optimizer_name(self) -> str:
        """What the function that is rewritten calls its optimizer."""
        for (line, name), of in self.recording.kinds.items():
            if line == self.scope and of == {kinds.OPTIMIZER}:
                return name
            if line == self.scope and of == {kinds.TRAIN_STATE}:
                return f"{name}.optimizer"
        return OPTIMIZER

    def _functional(self, found: Gradient, call: ast.Call, target: ast.expr) -> list[ast.stmt]:
        """The same without an optimizer: ``torch.func.grad_and_value`` returns the gradients."""
        if found.with_value and isinstance(target, ast.Tuple):
            target = ast.Tuple(target.elts[::-1], ast.Store())
        if call.args and self.is_of_model(call.args[0]):
            self.todo.append(_STEPS_ELSEWHERE)
        return [ast.Assign([target], self.gradient_call(found, call))]

    def gradient_call(self, found: Gradient, call: ast.Call) -> ast.expr:
        """The call of a function that ``torch.func`` makes."""
        name = "grad_and_value" if found.with_value else "grad"
        taken = ast.Call(ast.parse(f"torch.func.{name}", mode="eval").body,
                         [self.visit(found.function)], copy.deepcopy(found.words))  # fmt: skip
        args = [self.visit(a) for a in call.args if not self.is_key(a)]
        words = [ast.keyword(w.arg, self.visit(w.value)) for w in call.keywords
                 if not self.is_key(w.value)]  # fmt: skip
        return ast.Call(taken, args, words)

    def special_call(self, node: ast.Call) -> Any:
        found = self.gradient(node.func)
        if found is not None and not found.with_value:
            return self.gradient_call(found, node)
        return super().special_call(node)

    # Optimizers.

    def note_steps(self, body: list[ast.stmt]) -> None:
        """Find the gradients that an optimizer of these statements uses."""
        updates = [call for statement in body for call in ast.walk(statement)
                   if isinstance(call, ast.Call) and self._is_update(call)]  # fmt: skip
        self.stepped = {
            ast.unparse(part)
            for call in updates
            for part in [*call.args, *(w.value for w in call.keywords)]
        }
        inside = {id(n) for call in updates for n in ast.walk(call)}
        self.read = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name)
                     and isinstance(n.ctx, ast.Load) and id(n) not in inside}  # fmt: skip

    def is_applied(self, node: ast.Call) -> bool:
        """Whether a call is ``state.apply_gradients(grads=grads)``."""
        return isinstance(node.func, ast.Attribute) and node.func.attr == "apply_gradients"

    def _is_update(self, node: ast.Call) -> bool:
        if not isinstance(node.func, ast.Attribute):
            return False
        of = self.kinds_of(node.func.value)
        if self.is_applied(node):
            return True
        return node.func.attr == "update" and bool(of & {kinds.TRANSFORMATION, kinds.OPTIMIZER})

    def _optimizer_statement(self, value: ast.Call, target: ast.expr) -> Any:
        """The statements for a call that makes, or steps, an optimizer; None for another."""
        name = self.name(value.func) or ""
        if name.endswith(("optax.apply_updates", "equinox.apply_updates")):
            return []
        if self._is_update(value):
            return self.step(value)
        if name in ("nnx.Optimizer", "nnx.ModelAndOptimizer", "flax.nnx.Optimizer"):
            return self._made_optimizer(value.args[1], self._parameters(value.args[0]), target)
        if isinstance(value.func, ast.Attribute) and value.func.attr == "init" and value.args:
            owner = value.func.value
            if self.kinds_of(owner) == {kinds.TRANSFORMATION} or self._is_transformation(owner):
                target = ast.Name(OPTIMIZER, ast.Store())
                return self._made_optimizer(owner, self._parameters(value.args[0]), target)
        is_made = isinstance(value.func, ast.Attribute) and self.is_state(value.func.value)
        if is_made or self.kinds_of(target) == {kinds.TRAIN_STATE}:
            words = {w.arg: w.value for w in value.keywords}
            if "tx" in words and "params" in words:
                model = ast.unparse(self.variables(words["params"]))
                optimizer = self._made_optimizer(
                    words["tx"], f"{model}.parameters()", ast.Name(OPTIMIZER, ast.Store())
                )
                text = f"{ast.unparse(target)} = TrainState({model}, {OPTIMIZER})"
                return [*optimizer, *ast.parse(text).body]
        return None

    def step(self, node: ast.Call) -> list[ast.stmt]:
        """The step of an optimizer."""
        owner = node.func.value  # type: ignore[attr-defined]
        name = ast.unparse(owner)
        if self.is_applied(node):
            name = f"{name}.optimizer"
        elif self.kinds_of(owner) == {kinds.TRANSFORMATION}:
            name = OPTIMIZER
        return ast.parse(f"{name}.step()").body


def _stored(node: ast.expr) -> ast.expr:
    new = copy.deepcopy(node)
    for part in ast.walk(new):
        if hasattr(part, "ctx"):
            part.ctx = ast.Store()
    return new
