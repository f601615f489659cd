"""The compiled function of a training step: what it takes, and how it is written."""

import ast
from collections.abc import Callable, Collection, Iterable, Sequence

from jaxvstorch._port.draft.clipping import norms
from jaxvstorch._port.draft.commenting import blank
from jaxvstorch._port.draft.expressions import parsed
from jaxvstorch._port.draft.modules import RNGS, draws
from jaxvstorch._port.draft.reading import (
    first_reads,
    gradient_call,
    names_in,
    names_in_order,
    stores,
)
from jaxvstorch._port.draft.regions import Step


class StepFunction:
    """The function of a step.

    Args:
        step: what it does.
        results: the names of what it returns besides its loss.
        is_local: whether a name is a variable of the function around; None at the top level.
        changed: the names of the top level that the program changes.

    Attributes:
        computing: the statements that compute its loss.
        models: the names of the modules that it takes, those that it trains first.
        arrays: those of the arrays, and of the numbers that change from step to step.
        settings: those of what is static under ``jax.jit``.
        closes_over: whether it reads variables of the function around, which it cannot take.
    """

    def __init__(
        self,
        step: Step,
        results: Sequence[str],
        is_local: Callable[[str], bool] | None,
        changed: Collection[str],
    ) -> None:
        self.step, self.results = step, results
        self.computing = [n for n in step.region if gradient_call(n) is None]
        self._stored = set[str]().union(*map(stores, self.computing))
        parts = [*self.computing, *step.losses]
        self._order = list(dict.fromkeys(n for part in parts for n in names_in_order(part)))
        read, kinds = self._read(), step.seen.kinds
        further = [n for n in read if kinds.get(n) == "module" and n not in step.trained]
        self.models = [*step.trained, *further]
        numbers = ("array", "numbers") if is_local else ("array",)
        self.arrays = [n for n in read if kinds.get(n) in numbers]
        self.settings = [
            n for n in sorted(read)
            if is_local and kinds.get(n) in ("setting", "function", "other")
            and (is_local(n) or n in step.seen.attributes)
        ]  # fmt: skip
        self._take_changed(sorted({*read} & {*changed} - {*self.arrays, *self.settings}))
        if step.new_value is not None:  # a rate changes: as an argument it needs no new trace
            rates = names_in(step.new_value, ast.Load) & kinds.keys() - {"p", "g"}
            self.arrays += sorted(n for n in rates if kinds[n] in ("setting", "numbers"))
            self.settings = [n for n in self.settings if n not in rates]
        self.closes_over = any(kinds.get(n) == "other" for n in self.settings)
        self.settings = [] if self.closes_over else self.settings

    def _read(self) -> list[str]:
        """The names that the step reads, in the order of the program."""
        losses = set[str]().union(*(names_in(n, ast.Load) for n in self.step.losses))
        read = first_reads(self.computing) | losses - self._stored
        for change in [] if self.step.adds else self.step.changes:
            read |= names_in(change, ast.Load) - names_in(change, ast.Store)
        return [n for n in self._order if n in read] + sorted(read - {*self._order})

    def _take_changed(self, names: Sequence[str]) -> None:
        """Take what the program changes at its top level: under ``jax.jit`` it is a constant."""
        for name in names:
            kind = self.step.seen.kinds.get(name)
            fraction = isinstance(self.step.seen.namespace.get(name), float)
            if kind == "numbers" or (kind == "setting" and fraction):
                self.arrays.append(name)
            elif kind == "setting":
                self.settings.append(name)

    def free_name(self, name: str) -> str:
        """A name that no statement of the step has."""
        return name if name not in {*self._order, *self._stored} else f"total_{name}"

    def written(
        self, name: str, body: list[ast.stmt], loss: str, updating: Iterable[str], frozen: bool
    ) -> ast.FunctionDef:
        """The function in JAX.

        Args:
            name: of the function.
            body: the statements that compute the loss, in JAX.
            loss: the name of the loss.
            updating: the lines that change the weights by ``grads``.
            frozen: whether some weights stay as they are.
        """
        read = set[str]().union(*(names_in(n, ast.Load) for n in [*body, *self.step.changes]))
        if self.step.new_value is None:
            self.settings = [n for n in self.settings if n in read]
        random = ["rngs"] * any(draws(ast.Module(body, [])))
        written = [n for n in self.arrays if n in self._stored]
        taken = ", ".join([*self.models, *written, *random])
        loss_fn = self.free_name("loss_fn")
        inner = ast.parse(f"def {loss_fn}({taken}):\n    pass").body[0]
        assert isinstance(inner, ast.FunctionDef)
        others = f"({', '.join(self.results)}{',' * (len(self.results) == 1)})"
        match body:
            case [*above, ast.Assign([ast.Name(made)], value)] if made == loss and not self.results:
                inner.body = [*above, ast.Return(value)]
            case _:
                end = f"return {loss}{f', {others}' * bool(self.results)}"
                inner.body = [*body, *ast.parse(end).body]
        many = len(self.results) > 3
        left = f"({loss}, {'others' if many else others})" if self.results else loss
        further = [*(["*others"] if many else self.results), *self._after_gradients()]
        new = "new" if self.step.adds else "grads"
        options = self._argnums(frozen) + ", has_aux=True" * bool(self.results)
        lines = [
            f"{left}, {new} = nnx.value_and_grad({loss_fn}{options})({taken})",
            *updating,
            f"return {', '.join([loss, *further])}",
        ]
        self.parameters = [*self.models, *self._optimizer(), *dict.fromkeys(self.arrays), *random,
                           *self.settings]  # fmt: skip
        function = ast.parse(f"def {name}({', '.join(self.parameters)}):\n    pass").body[0]
        assert isinstance(function, ast.FunctionDef)
        static = ", ".join(map(repr, self.settings)) + "," * (len(self.settings) == 1)
        jit = f"nnx.jit(static_argnames=({static}))" if self.settings else "nnx.jit"
        function.decorator_list = [parsed(jit)]
        function.body = [inner, blank(), *ast.parse("\n".join(lines)).body]
        for drawn in draws(function):
            drawn.id = "rngs" if drawn.id == RNGS else "rngs()"
        return function

    def called(self, name: str, loss: str) -> ast.stmt:
        """The statement that calls the function once it is written."""
        arguments = [RNGS if p == "rngs" else p for p in self.parameters]
        returned = ", ".join([loss, *self.results, *self._after_gradients()])
        return ast.parse(f"{returned} = {name}({', '.join(arguments)})").body[0]

    def _optimizer(self) -> list[str]:
        """The optimizer that it takes, or the gradients that it adds to."""
        if self.step.adds:
            return ["grads"]
        return [self.step.optimizer] if self.step.optimizer and not self.step.apart else []

    def _after_gradients(self) -> list[str]:
        """What it returns that the gradients give: themselves, and norms that are read."""
        gradients = ["grads"] if self.step.adds or self.step.apart else []
        return [*([] if self.step.adds else norms(self.step.changes)), *gradients]

    def _argnums(self, frozen: bool) -> str:
        count = len(self.step.trained)
        if frozen:
            each = [f"nnx.DiffState({i}, paste.trainable)" for i in range(count)]
            return f", argnums=({', '.join(each)})"
        return f", argnums={tuple(range(count))}" if count > 1 else ""
