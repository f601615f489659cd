"""Rewrites training: the step that a program takes becomes one compiled function."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from typing import Any

from jaxvstorch._port.draft.attributes import Named, Unnamed, attributes_in
from jaxvstorch._port.draft.batches import Batches
from jaxvstorch._port.draft.commenting import blank, is_blank, is_marker, mark
from jaxvstorch._port.draft.expressions import parsed
from jaxvstorch._port.draft.modules import RNGS, draws
from jaxvstorch._port.draft.reading import (
    Cloned,
    WithoutItem,
    clips_gradients,
    first_reads,
    gradient_call,
    names_in,
    names_in_order,
    read_around,
    stores,
)
from jaxvstorch._port.draft.recorded import DraftedStep, Steps
from jaxvstorch._port.draft.regions import Step, around_step, find_steps

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
    function: ast.AST | None = None  # the function, or file, around

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
            results = sorted((stored & read) - {step.loss_name})
            outer, self.marks = self.marks, []
            call = self._step_function(step, results, steps)
            left = ("zero_grad",) if step.adds else ()
            kept = [n for n in body[begin : step.end] if gradient_call(n) in (None, *left)]
            before, after, late = around_step(step, [n for n in kept if n not in dropped], body)
            if late:
                self.marks.append(_LATE.format(call.value.func.id))  # type: ignore[attr-defined]
            marks, self.marks = [mark(text) for text in dict.fromkeys(self.marks)], outer
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
        kinds = step.seen.kinds
        computing = [n for n in step.region if gradient_call(n) is None]
        loss_names = set().union(*(names_in(n, ast.Load) for n in step.losses))
        stored = set().union(*map(stores, computing))
        own = first_reads(computing) | loss_names - stored
        local = self.function is not None
        for change in [] if step.adds else step.changes:
            own |= names_in(change, ast.Load) - names_in(change, ast.Store)
        order = {n: None for part in [*computing, *step.losses] for n in names_in_order(part)}
        own_in_order = [n for n in order if n in own] + sorted(own - set(order))
        further = [n for n in own_in_order if kinds.get(n) == "module" and n not in step.trained]
        models = [*step.trained, *further]
        arrays = [
            n for n in own_in_order
            if kinds.get(n) == "array" or (kinds.get(n) == "numbers" and local)
        ]  # fmt: skip
        settings = [
            n for n in sorted(own)
            if local and kinds.get(n) in ("setting", "function", "other")
            and (self.is_local(n) or n in step.seen.attributes)
        ]  # fmt: skip
        for n in sorted(own & self.changed - {*arrays, *settings}):  # a constant under jit
            if kinds.get(n) in ("setting", "numbers"):
                fraction = isinstance(step.seen.namespace[n], float)
                (arrays if fraction or kinds[n] == "numbers" else settings).append(n)
        if step.new_value is not None:  # a rate changes: as an argument it needs no new trace
            rates = names_in(step.new_value, ast.Load) & kinds.keys() - {"p", "g"}
            arrays += sorted(n for n in rates if kinds[n] in ("setting", "numbers"))
            settings = [n for n in settings if n not in rates]
        closed_over = any(kinds.get(n) == "other" for n in settings)
        settings = [] if closed_over else settings
        copied: list[str] = []
        for other in steps:  # its own call changes the running averages
            for part in other.again:
                if any(part is n for n in computing):
                    Cloned(other.trained).visit(part)
                    copied += other.trained
        body = super().visit_body([WithoutItem().visit(part) for part in computing])
        returned = step.loss_name or ("loss" if "loss" not in {*order, *stored} else "total_loss")
        if step.loss_name is None:
            sum_of = ast.unparse(self.visit(step.losses[0])) if len(step.losses) == 1 else total
            body.append(ast.parse(f"{returned} = {sum_of}").body[0])
        read = set().union(*(names_in(n, ast.Load) for n in [*body, *step.changes]))
        settings = [n for n in settings if n in read or step.new_value is not None]
        random = any(draws(ast.Module(body, [])))
        written = [n for n in arrays if n in stored]
        taken = ", ".join([*models, *written, *["rngs"] * random])
        loss_fn = "loss_fn" if "loss_fn" not in {*order, *stored} else "total_loss_fn"
        inner = ast.parse(f"def {loss_fn}({taken}):\n    pass").body[0]
        assert isinstance(inner, ast.FunctionDef)
        others = f"({', '.join(results)}{',' * (len(results) == 1)})"
        aux = f"{returned}, {others}" if results else returned
        inner.body = [*body, *ast.parse(f"return {aux}").body]
        optimizer = [step.optimizer] if step.optimizer and not step.apart else []
        optimizer = ["grads"] if step.adds else optimizer
        returns_gradients = step.adds or step.apart
        parameters = [*models, *optimizer, *dict.fromkeys(arrays), *["rngs"] * random, *settings]
        count = len(step.trained)
        argnums = f", argnums={tuple(range(count))}" if count > 1 else ""
        if self.seen.frozen:
            each = [f"nnx.DiffState({i}, paste.trainable)" for i in range(count)]
            argnums = f", argnums=({', '.join(each)})"
        options = argnums + ", has_aux=True" * bool(results)
        many = len(results) > 3
        left = f"({returned}, {'others' if many else others})" if results else returned
        further = [*(["*others"] if many else results), *["grads"] * returns_gradients]
        new = "new" if step.adds else "grads"
        lines = [
            f"{left}, {new} = nnx.value_and_grad({loss_fn}{options})({taken})",
            *(self._updating(step)),
            f"return {', '.join([returned, *further])}",
        ]
        function = ast.parse(f"def {name}({', '.join(parameters)}):\n    pass").body[0]
        assert isinstance(function, ast.FunctionDef)
        static = ", ".join(map(repr, settings)) + "," * (len(settings) == 1)
        jit = f"nnx.jit(static_argnames=({static}))" if settings else "nnx.jit"
        function.decorator_list = [parsed(jit)]
        function.body = [inner, blank(), *ast.parse("\n".join(lines)).body]
        if self.seen.value_dependent:
            function.decorator_list = []
            why = f"Not compiled: what {self.seen.value_dependent[0]} gives depends on values."
            function.body.insert(0, ast.Expr(ast.Constant(why)))
        for drawn in draws(function):
            drawn.id = "rngs" if drawn.id == RNGS else "rngs()"
        step.seen.drafted = DraftedStep(
            name,
            parameters,
            models,
            step.optimizer,
            source,
            changes,
            copied,
            returns=step.trained if step.apart else [],
        )
        arguments = [RNGS if p == "rngs" else p for p in parameters]
        further = [*results, *["grads"] * returns_gradients]
        called = f"{', '.join([returned, *further])} = {name}({', '.join(arguments)})"
        if not returns_gradients and (step.optimizer or step.trained[0]) in step.seen.adding:
            self.marks.append(_ADDING)
        if closed_over:
            self.marks.append(f"{name} reads variables of the function around it")
        self.steps.append(function)
        return ast.parse(called).body[0]

    def _updating(self, step: Step) -> Iterator[str]:
        """What changes the gradients and the weights, or adds the gradients up."""
        if step.adds:
            yield "grads = new if grads is None else jax.tree.map(jnp.add, grads, new)"
            return
        yield from (self.change(change) for change in step.changes if clips_gradients(change))
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

    def change(self, node: ast.stmt) -> str:
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


def updated(trained: Sequence[str]) -> str:
    """What an optimizer changes: a module, or several."""
    return trained[0] if len(trained) == 1 else f"nnx.List([{', '.join(trained)}])"


def _trains_alike(steps: Sequence[Step]) -> bool:
    """Whether two steps train the same modules."""
    return len({tuple(step.trained) for step in steps}) < len(steps)
