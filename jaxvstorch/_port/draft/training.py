"""Rewrites training: the step that a program takes becomes one compiled function."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jaxvstorch._port.draft.commenting import blank, is_blank
from jaxvstorch._port.draft.expressions import parsed
from jaxvstorch._port.draft.modules import RNGS, draws
from jaxvstorch._port.draft.reading import (
    FieldNames,
    clips_gradients,
    first_reads,
    is_name,
    names_in,
    names_in_order,
    stepped,
)
from jaxvstorch._port.draft.recorded import DraftedStep, Steps
from jaxvstorch._port.draft.saving import Saving


@dataclass
class Step:
    """One place of a program that takes a step, in a list of statements.

    Attributes:
        seen: what the run showed of it.
        loss: the expression whose gradient is taken.
        region: the statements that compute the loss.
        changes: those between the gradient and the step, such as clipping.
        optimizer: the name whose ``step`` is called.
        end: the index of that call.
    """

    seen: Steps
    loss: ast.expr
    region: list[ast.stmt]
    changes: list[ast.stmt]
    optimizer: str
    end: int


class Training(Saving):
    """Turns training into compiled steps; ``steps`` are their functions."""

    steps: list[ast.stmt]
    named: int = 0  # how many steps there are
    function: ast.AST | None = None  # the function, or file, around
    in_loader: bool = False  # whether a loop over a DataLoader is around

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, self.function = self.function, node
        new = super().visit_FunctionDef(node)
        self.function = outer
        return new

    def visit_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        step = self._find(body)
        if step is None:
            return super().visit_body(body)
        around = self.function or ast.Module(body, [])
        read = names_in(around, ast.Load, without=[*step.region, *step.changes])
        region = [part for part in body[: step.end] if any(part is r for r in step.region)]
        stored = names_in(ast.Module(region, []), ast.Store)
        loss_name = step.loss.id if isinstance(step.loss, ast.Name) else "loss"
        results = [n for n in sorted(stored & read) if n != loss_name]
        call = self._step_function(step, loss_name, results)
        before, after, seen_region = list[ast.stmt](), list[ast.stmt](), False
        dropped = {id(part) for part in [*step.region, *step.changes]}
        for part in body[: step.end]:
            if id(part) in dropped:
                seen_region = seen_region or any(part is r for r in step.region)
            elif not self._is_gradient_call(part):
                (after if seen_region else before).append(part)
        after += body[step.end + 1 :]
        return [*self._rewritten(before), call, *self._rewritten(after)]

    def _rewritten(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements in JAX, without blank lines at the ends of the list; it can be empty."""
        while body and is_blank(body[-1]):
            body = body[:-1]
        while body and is_blank(body[0]):
            body = body[1:]
        return self.visit_statements(body)

    def _is_gradient_call(self, node: ast.stmt) -> bool:
        """Whether a statement is a call of ``backward`` or ``zero_grad``."""
        call = node.value if isinstance(node, ast.Expr) else None
        method = call.func.attr if isinstance(call, ast.Call) and isinstance(
            call.func, ast.Attribute) else ""  # fmt: skip
        return method in ("backward", "zero_grad")

    def _find(self, body: Sequence[ast.stmt]) -> Step | None:
        """The first step that a list of statements takes and that can be rewritten."""
        for index, node in enumerate(body):
            call = node.value if isinstance(node, ast.Expr) else None
            steps = self.seen.steps.get(self.span(call)) if isinstance(call, ast.Call) else None
            if steps is None or not isinstance(call, ast.Call):
                continue
            assert isinstance(call.func, ast.Attribute)
            for end in range(index + 1, len(body)):
                optimizer = stepped(body[end])
                if optimizer and steps.kinds.get(optimizer) == "optimizer":
                    region = self._region(body[:index], call.func.value, steps)
                    modules = {n for n, kind in steps.kinds.items() if kind == "module"}
                    if not region and not names_in(call.func.value, ast.Load) & modules:
                        return None  # what it is the gradient of was computed elsewhere
                    changes = [n for n in body[index + 1 : end] if clips_gradients(n)]
                    return Step(steps, call.func.value, region, changes, optimizer, end)
        return None

    def _region(self, before: Sequence[ast.stmt], loss: ast.expr, steps: Steps) -> list[ast.stmt]:
        """The statements that the loss needs, from the first one that calls a module on."""
        needed, chosen = names_in(loss, ast.Load), list[ast.stmt]()
        for node in reversed(before):
            stored = names_in(node, ast.Store)
            if stored & needed:
                chosen.insert(0, node)
                needed = needed - stored | names_in(node, ast.Load)
        live = {name for name, kind in steps.kinds.items() if kind == "module"}
        for index, node in enumerate(chosen):
            if names_in(node, ast.Load) & live:
                return chosen[index:]
        return []

    def _step_function(self, step: Step, loss_name: str, results: list[str]) -> ast.stmt:
        """Add the function of a step; the statement that calls it is returned."""
        self.named += 1
        name = "train_step" + (f"_{self.named}" if self.named > 1 else "")
        ending = f"loss_of_step = {ast.unparse(step.loss)}"
        source = "\n".join([*map(ast.unparse, step.region), ending])
        changes = "\n".join(map(ast.unparse, step.changes))
        kinds, fields = step.seen.kinds, dict[str, str]()
        if self.function is not None:
            fields = self._fields(step)
        region = ast.Module(step.region, [])
        read = first_reads(step.region) | names_in(step.loss, ast.Load)
        own = read - names_in(region, ast.Store) - set(fields)
        local = self.function is not None
        for change in step.changes:
            own |= names_in(change, ast.Load)
        order = {n: None for part in [*step.region, step.loss] for n in names_in_order(part)}
        own_in_order = [n for n in order if n in own] + sorted(own - set(order))
        models = [n for n in own_in_order if kinds.get(n) == "module"]
        arrays = [
            n for n in own_in_order
            if kinds.get(n) == "array" or (kinds.get(n) == "numbers" and local)
        ]  # fmt: skip
        settings = [
            n for n in sorted(own)
            if local and kinds.get(n) in ("setting", "function", "other") and self._is_local(n)
        ]  # fmt: skip
        closed_over = any(kinds.get(n) == "other" for n in settings)
        settings = [] if closed_over else [*settings, *fields]
        body = super().visit_body(step.region)
        loss = ast.unparse(self.visit(step.loss))
        if isinstance(step.loss, ast.Name):
            returned = loss_name
        else:
            body.append(ast.parse(f"{loss_name} = {loss}").body[0])
            returned = loss_name
        inner = ast.parse(f"def loss_fn({', '.join(models)}):\n    pass").body[0]
        assert isinstance(inner, ast.FunctionDef)
        further = f"({', '.join(results)}{',' * (len(results) == 1)})"
        aux = f"{returned}, {further}" if results else returned
        inner.body = [*body, *ast.parse(f"return {aux}").body]
        random = any(draws(inner))
        parameters = [*models, step.optimizer, *arrays, *["rngs"] * random, *settings]
        argnums = f", argnums={tuple(range(len(models)))}" if len(models) > 1 else ""
        options = argnums + ", has_aux=True" * bool(results)
        left = f"({returned}, {further})" if results else returned
        lines = [
            f"{left}, grads = nnx.value_and_grad(loss_fn{options})({', '.join(models)})",
            *(self._change(change) for change in step.changes),
            f"{step.optimizer}.update({self._updated(step, models)}, grads)",
            f"return {', '.join([returned, *results])}",
        ]
        function = ast.parse(f"def {name}({', '.join(parameters)}):\n    pass").body[0]
        assert isinstance(function, ast.FunctionDef)
        static = ", ".join(map(repr, settings)) + "," * (len(settings) == 1)
        jit = f"nnx.jit(static_argnames=({static}))" if settings else "nnx.jit"
        function.decorator_list = [parsed(jit)]
        function.body = [inner, blank(), *ast.parse("\n".join(lines)).body]
        for part in draws(function):
            part.id = "rngs" if part.id == RNGS else "rngs()"
        step.seen.drafted = DraftedStep(
            name, parameters, models, step.optimizer, source, changes, fields
        )
        arguments = [RNGS if p == "rngs" else fields.get(p, p) for p in parameters]
        called = f"{', '.join([returned, *results])} = {name}({', '.join(arguments)})"
        if closed_over:
            self.marks.append(f"{name} reads variables of the function around it")
        self.steps.append(function)
        return ast.parse(called).body[0]

    def _fields(self, step: Step) -> dict[str, str]:
        """Read settings of an object, such as ``args.beta``, as arguments of their own names."""
        nodes = [*step.region, step.loss, *step.changes]
        read = [n for part in nodes for n in ast.walk(part)]
        fields: dict[str, str] = {}
        for name in {n.id for n in read if isinstance(n, ast.Name)}:
            if step.seen.kinds.get(name) != "other" or not self._is_local(name):
                continue
            values = [n for n in read if isinstance(n, ast.Attribute) and is_name(n.value, name)]
            count = sum(isinstance(n, ast.Name) and n.id == name for n in read)
            simple = all(
                isinstance(
                    getattr(step.seen.namespace[name], n.attr, None), bool | int | float | str
                )
                for n in values
            )
            if len(values) == count and simple:
                fields |= {n.attr: ast.unparse(n) for n in values}
                for part in nodes:
                    FieldNames(name).visit(part)
        return fields

    def _updated(self, step: Step, models: list[str]) -> str:
        """What an optimizer changes: a module, or several."""
        return models[0] if len(models) == 1 else f"nnx.List([{', '.join(models)}])"

    def _is_local(self, name: str) -> bool:
        """Whether a name is a variable of the function around."""
        return self.function is not None and (
            name in names_in(self.function, ast.Store)
            or any(isinstance(a, ast.arg) and a.arg == name for a in ast.walk(self.function))
        )

    def _change(self, node: ast.stmt) -> str:
        """A change of the gradients before the step, such as clipping."""
        assert isinstance(node, ast.Expr)
        call = node.value
        assert isinstance(call, ast.Call)
        given = call.args[1] if len(call.args) > 1 else call.keywords[0].value
        limit = ast.unparse(self.visit(given))
        if "clip_grad_value_" in ast.unparse(call.func):
            return f"grads = jax.tree.map(lambda g: jnp.clip(g, -{limit}, {limit}), grads)"
        return (
            f"scale = jnp.minimum(1, {limit} / (optax.tree.norm(grads) + 1e-6))\n"
            "grads = jax.tree.map(lambda g: g * scale, grads)"
        )

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A module that a loop over a DataLoader evaluates is compiled."""
        new = super().visit_Call(node)
        evaluated = self.in_loader and self.span(node) in self.seen.evaluations
        if evaluated and isinstance(new, ast.Call) and not new.keywords:
            return ast.Call(parsed("jitted_call"), [new.func, *new.args], [])
        return new

    def visit_For(self, node: ast.For) -> Any:
        """A loop over a DataLoader hands its arrays over."""
        lines = range(node.iter.lineno, (node.iter.end_lineno or 0) + 1)
        node.iter = self.iterated(node.iter)
        if self.seen.loader_lines.isdisjoint(lines):
            return self.generic_visit(node)
        target: ast.expr = node.target
        function = node.iter.func if isinstance(node.iter, ast.Call) else None
        if function is not None and ast.unparse(function) == "enumerate":
            assert isinstance(target, ast.Tuple)
            target = target.elts[1]
        text = ast.unparse(target).strip("()")
        handed = f"{text} = jax.tree.map(jnp.asarray, ({text}))"
        if isinstance(target, ast.Tuple | ast.List):
            names = [ast.unparse(part) for part in target.elts]
            names = [name for name in names if not name.startswith(("_", "*"))]
            each = ", ".join(f"jnp.asarray({name})" for name in names)
            handed = f"{', '.join(names)} = {each}"
        outer, self.in_loader = self.in_loader, True
        new = self.generic_visit(node)
        self.in_loader = outer
        assert isinstance(new, ast.For)
        new.body[:0] = ast.parse(handed).body
        return new
