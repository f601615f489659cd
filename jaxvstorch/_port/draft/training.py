"""Rewrites training: the step that a program takes becomes one compiled function."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from typing import Any

from jaxvstorch._port.draft.attributes import Named, Unnamed, attributes_in
from jaxvstorch._port.draft.batches import Batches
from jaxvstorch._port.draft.changing import changing
from jaxvstorch._port.draft.clipping import clipped, clips_gradients
from jaxvstorch._port.draft.commenting import is_blank, is_marker, mark
from jaxvstorch._port.draft.reading import (
    Cloned,
    WithoutItem,
    carried,
    gradient_call,
    names_in,
    read_around,
    stores,
)
from jaxvstorch._port.draft.recorded import DraftedStep, Steps
from jaxvstorch._port.draft.regions import Step, around_step, find_steps
from jaxvstorch._port.draft.step_functions import StepFunction

_ADDING = "in the program the gradients of earlier steps add up: nothing sets them to zero"
_LATE = "what comes after {} came before the step in the program, and reads what it changes"
_KEPT = (
    "{0} keeps results whose gradients are taken here: keep there what they are made of, such as "
    "observations and actions, and compute {1} again in the loss function of the step"
)


class Training(Batches):
    """Turns training into compiled steps; ``steps`` are their functions.

    Attributes:
        trainers: the names of the functions that take steps.
        taken: the names that the program has, which no step gets.
        changed: the names of its top level that it changes.
    """

    trainers: Collection[str] = ()
    taken: Collection[str] = ()
    changed: Set[str] = frozenset()
    tree: ast.Module  # of the file
    steps: list[ast.stmt]

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.step_names: set[str] = set()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        attributes = attributes_in(node, self._attributes_at)
        named = Named(attributes).visit(node) if attributes else node
        outer, self.function = (self.function, self.attributes), named
        self.attributes = attributes
        new = super().visit_FunctionDef(named)
        self.function, self.attributes = outer
        return Unnamed(attributes).visit(new) if attributes else new

    def _attributes_at(self, call: ast.Call) -> list[Mapping[str, str]]:
        """Names for attributes at a call that computes gradients or makes an optimizer."""
        span = self.span(call)
        steps = self.seen.steps.get(span)
        found: list[Mapping[str, str]] = [steps.attributes] if steps is not None else []
        return found + [made.attributes for made in self.seen.optimizers.get(span, [])]

    def visit_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        steps = self.steps_in(body)
        if not steps:
            return super().visit_body(body)
        dropped = [n for step in steps for n in [*step.region, *step.changes]]
        if self.function is not None:
            read_outside = names_in(self.function, ast.Load, without=dropped)
        else:
            read_outside = read_around(self.tree, [n for n in body if not is_marker(n)], dropped)
        new, waiting, begin = list[ast.stmt](), list[ast.stmt](), 0
        for step in steps:
            others = [other for other in steps if other is not step]
            read = read_outside.union(*(other.reads for other in others))
            stored = set().union(*map(stores, step.region))
            read |= carried(self.function or self.tree, step.region)
            results = sorted((stored & read) - {step.loss_name})
            outer, self.marks = self.marks, []
            call = self._step_function(step, results, steps)
            left = ("zero_grad",) if step.adds else ()
            kept = [n for n in body[begin : step.end] if gradient_call(n) in (None, *left)]
            before, after, late = around_step(step, [n for n in kept if n not in dropped], body)
            if late:
                self.marks.append(_LATE.format(call.value.func.id))  # type: ignore[attr-defined]
            marks, self.marks = [mark(text) for text in dict.fromkeys(self.marks)], outer
            self._copy_before(kept, steps)
            new += [*self._rewritten([*waiting, *before]), *marks, call]
            waiting, begin = after, step.end + 1
            if step.apart and step.optimizer:
                waiting = [*after, body[step.end]]
        return [*new, *self._rewritten([*waiting, *body[begin:]])]

    def steps_in(self, body: list[ast.stmt]) -> list[Step]:
        """The steps that a list of statements takes and that can be rewritten."""
        seen = self.seen
        return find_steps(body, self.seen_at, self.trainers, seen.handing, seen.stepped)

    def seen_at(self, call: ast.Call) -> Steps | None:
        """What the run showed of a call of ``backward``."""
        return self.seen.steps.get(self.span(call))

    def _rewritten(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements in JAX, without blank lines at the ends of the list; it can be empty."""
        while body and is_blank(body[-1]):
            body = body[:-1]
        while body and is_blank(body[0]):
            body = body[1:]
        return self.visit_statements(body)

    def _name(self, step: Step, steps: Sequence[Step]) -> str:
        """The name of a step's function: after what it trains, where there are several."""
        several = len(steps) > 1 and not _trains_alike(steps)
        base = "add_gradients" if step.adds else "train_step"
        base = "compute_gradients" if step.apart else base
        return self.free_name(f"{base}_{'_'.join(step.trained)}" if several else base, base)

    def free_name(self, name: str, base: str = "") -> str:
        """A name for a function of the draft, which the program has not; ``base`` is shorter."""
        number, first = 1, name
        while name in self.step_names:
            number += 1
            name = f"{base or first}_{number}"
        while name in self.taken or name in self.step_names:
            name = f"compiled_{name}"
        self.step_names.add(name)
        return name

    def _step_function(self, step: Step, results: list[str], steps: Sequence[Step]) -> ast.stmt:
        """Add the function of a step; the statement that calls it is returned."""
        name = self._name(step, steps)
        total = " + ".join(map(ast.unparse, step.losses))
        source = "\n".join([*map(ast.unparse, step.region), f"loss_of_step = {total}"])
        changes = "\n".join(map(ast.unparse, step.changes))
        is_local = self.is_local if self.function is not None else None
        new = StepFunction(step, results, is_local, self.changed)
        copied = self._copy_before(new.computing, steps)
        outer, self.in_step = self.in_step, True
        body = super().visit_body([WithoutItem().visit(part) for part in new.computing])
        self.in_step = outer
        loss = step.loss_name or new.free_name("loss")
        if step.loss_name is None:
            sum_of = ast.unparse(self.visit(step.losses[0])) if len(step.losses) == 1 else total
            body.append(ast.parse(f"{loss} = {sum_of}").body[0])
        function = new.written(name, body, loss, self._updating(step), self.seen.frozen)
        modules = [step.seen.namespace[name] for name in new.models]
        if dependent := self.seen.of_values_below(map(self.span, step.region), modules):
            function.decorator_list = []
            why = f"Not compiled: what {dependent} gives depends on values."
            function.body.insert(0, ast.Expr(ast.Constant(why)))
        taken = {*new.models, *new.arrays, step.optimizer}
        other = changing(step.region, self.tree, modules, self.qualified, taken) or ""
        if other and not dependent:
            function.decorator_list = []
            why = f"Not compiled: {other} gives another value in another step."
            function.body.insert(0, ast.Expr(ast.Constant(why)))
        step.seen.drafted = DraftedStep(
            name,
            new.parameters,
            new.models,
            step.optimizer,
            source,
            changes,
            copied,
            returns=step.trained if step.apart else [],
            changing=other,
        )
        keeps_gradients = step.adds or step.apart
        if not keeps_gradients and (step.optimizer or step.trained[0]) in step.seen.adding:
            self.marks.append(_ADDING)
        if new.closes_over:
            self.marks.append(f"{name} reads variables of the function around it")
        self.steps.append(function)
        return new.called(name, loss)

    def _copy_before(self, computing: Sequence[ast.stmt], steps: Sequence[Step]) -> list[str]:
        """Call copies of the modules that a later step trains: its own call changes averages.

        Returns:
            Their names.
        """
        copied: list[str] = []
        for other in steps:
            for part in other.again:
                if any(part is n for n in computing):
                    Cloned(other.trained).visit(part)
                    copied += other.trained
        return copied

    def _updating(self, step: Step) -> Iterator[str]:
        """What changes the gradients and the weights, or adds the gradients up."""
        if step.adds:
            yield "grads = new if grads is None else jax.tree.map(jnp.add, grads, new)"
            return
        yield from (
            clipped(change, self.visit) for change in step.changes if clips_gradients(change)
        )
        if step.apart:
            return
        if step.new_value is None:
            yield f"{step.optimizer}.update({updated(step.trained)}, grads)"
            return
        (module,) = step.trained
        new = ast.unparse(self.visit(step.new_value))
        yield f"params = nnx.state({module}, {self.weights_filter})"
        yield f"nnx.update({module}, jax.tree.map(lambda p, g: {new}, params, grads))"

    def visit_Expr(self, node: ast.Expr) -> Any:
        seen = self.seen_at(node.value) if gradient_call(node) == "backward" else None  # type: ignore[arg-type]
        if seen is None or not seen.lists:
            return super().visit_Expr(node)
        text = seen.lists[0]
        kept = [
            ast.unparse(call.args[0])
            for call in ast.walk(self.tree)
            if isinstance(call, ast.Call) and ast.unparse(call.func) == f"{text}.append"
        ]
        self.marks.append(_KEPT.format(text, " and ".join(kept) or "these"))
        return node

    def is_local(self, name: str) -> bool:
        """Whether a name is a variable of the function around."""
        return self.function is not None and (
            name in names_in(self.function, ast.Store)
            or any(isinstance(a, ast.arg) and a.arg == name for a in ast.walk(self.function))
        )


def updated(trained: Sequence[str]) -> str:
    """What an optimizer changes: a module, or several."""
    return trained[0] if len(trained) == 1 else f"nnx.List([{', '.join(trained)}])"


def _trains_alike(steps: Sequence[Step]) -> bool:
    """Whether two steps train the same modules."""
    return len({tuple(step.trained) for step in steps}) < len(steps)
