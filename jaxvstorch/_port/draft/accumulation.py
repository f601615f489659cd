"""Rewrites gradients that a program adds up over several calls of ``backward`` before a step."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
from collections.abc import Sequence
from typing import Any

from jaxvstorch._port.draft.clipping import clipped, clips_gradients, norms
from jaxvstorch._port.draft.expressions import parsed
from jaxvstorch._port.draft.reading import gradient_call, names_in, stepped
from jaxvstorch._port.draft.regions import Step, adding_step
from jaxvstorch._port.draft.training import Training, updated

GRADS = "grads"


class Accumulation(Training):
    """Keeps gradients in a variable from one call to the next, where a program adds them up.

    Attributes:
        adding: what adds them up in the function, or file, around.
    """

    adding: Step | None = None
    inside: bool = False  # whether the list of statements around is that of a function or file
    update: str = ""  # the name of the function that takes the step
    update_takes: Sequence[str] = ()  # its parameters

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer = self.adding, self.inside, self.update
        self.adding, self.inside, self.update = None, False, ""
        if (handed := self.seen.handed.get(self.full_name(node))) is not None:
            given = [ast.arg(name) for name in (*handed, GRADS)]
            arguments = node.args
            plain = not (arguments.defaults or arguments.vararg or arguments.kwonlyargs)
            (arguments.args if plain else arguments.kwonlyargs).extend(given)
            arguments.kw_defaults += [] if plain else [None] * len(given)
        new = super().visit_FunctionDef(node)
        self.adding, self.inside, self.update = outer
        return new

    def visit_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        if self.inside:
            return super().visit_body(body)
        self.inside = True
        step = adding_step(body, self.seen_at) if GRADS not in self.taken else None
        self.adding = step
        if step is not None:
            path = _path(body, step.region[-1])
            if not any(_sets_to_zero(n, step) for part, place in path for n in part[:place]):
                place = path[0][1]
                begin = ast.copy_location(_none(), body[place])
                body = [*body[:place], ast.fix_missing_locations(begin), *body[place:]]
        new = super().visit_body(body)
        if step is not None and (drafted := step.seen.drafted) is not None:
            drafted.update, drafted.update_takes = self.update, [*self.update_takes]
            drafted.changes = "\n".join(map(ast.unparse, step.changes))
        self.adding, self.inside = None, False
        return new

    def steps_in(self, body: list[ast.stmt]) -> list[Step]:
        step = self.adding
        if step is not None and any(step.region[-1] is node for node in body):
            return [step]
        return super().steps_in(body)

    def visit_Expr(self, node: ast.Expr) -> Any:
        step = self.adding
        if step is None:
            return self._handing(node) or super().visit_Expr(node)
        if _sets_to_zero(node, step):
            return _none()
        if clips_gradients(node):
            return self._clipped(node, step)
        if stepped(node) == step.optimizer:
            return self._taken(step)
        return super().visit_Expr(node)

    def visit_Assign(self, node: ast.Assign) -> Any:
        if self.adding is not None and clips_gradients(node):
            return self._clipped(node, self.adding)
        return super().visit_Assign(node)

    def _clipped(self, node: ast.stmt, step: Step) -> list[ast.stmt] | None:
        if any(node is change for change in step.changes):
            return None  # it goes into the function that takes the step
        return ast.parse(clipped(node, self.visit)).body

    def _handing(self, node: ast.Expr) -> ast.stmt | None:
        """A call of a function that takes a step, or the step in it, with the gradients."""
        call, handing = node.value, self.seen.handing.get(self.span(node.value))
        if handing is None or not isinstance(call, ast.Call):
            return None
        if handing.is_step:
            assert isinstance(call.func, ast.Attribute)
            optimizer = ast.unparse(self.visit(call.func.value))
            taken = f"{updated([*handing.modules])}, {optimizer}, {GRADS}"
            return ast.parse(f"paste.apply_gradients({taken})").body[0]
        given = {**handing.modules, GRADS: GRADS}
        call.keywords += [ast.keyword(name, parsed(text)) for name, text in given.items()]
        return super().visit_Expr(node)  # type: ignore[no-any-return]

    def _taken(self, step: Step) -> ast.stmt:
        """Add the function that takes the step; the statement that calls it is returned."""
        read = set().union(*(names_in(change, ast.Load) for change in step.changes))
        local = {n for n in read if self.is_local(n) or n in step.seen.attributes}
        settings = sorted(local - {*step.trained, step.optimizer})
        self.update_takes = [*step.trained, step.optimizer, GRADS, *settings]
        parameters = ", ".join(self.update_takes)
        self.update = self.free_name("update_weights")
        source = f"def {self.update}({parameters}):\n    pass"
        (function,) = ast.parse(source).body
        assert isinstance(function, ast.FunctionDef)
        function.decorator_list = [parsed("nnx.jit")]
        lines = [clipped(change, self.visit) for change in step.changes]
        lines.append(f"{step.optimizer}.update({updated(step.trained)}, {GRADS})")
        results = ", ".join(norms(step.changes))
        lines += [f"return {results}"] * bool(results)
        function.body = ast.parse("\n".join(lines)).body
        self.steps.append(function)
        return ast.parse(f"{f'{results} = ' * bool(results)}{self.update}({parameters})").body[0]


def _none() -> ast.stmt:
    return ast.parse(f"{GRADS} = None").body[0]


def _sets_to_zero(node: ast.stmt, step: Step) -> bool:
    """Whether a statement sets the gradients of a step to zero."""
    mine = {step.optimizer, *step.trained}
    return gradient_call(node) == "zero_grad" and bool(names_in(node, ast.Load) & mine)


def _path(body: list[ast.stmt], node: ast.stmt) -> list[tuple[list[ast.stmt], int]]:
    """The lists of statements that lead to one, and the place in each."""
    for place, part in enumerate(body):
        if part is node:
            return [(body, place)]
        for name in ("body", "orelse", "finalbody"):
            if inner := _path(getattr(part, name, []), node):
                return [(body, place), *inner]
    return []
