"""Schedules of optax as functions of the step, and what the program names an optimizer."""

import ast
import copy
from typing import Any

from jaxvstorch._port.from_jax.fitting import Argument, bind, fit
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import jax_rows, meaning
from jaxvstorch._port.torch_draft import kinds
from jaxvstorch._port.torch_draft.expressions import Expressions
from jaxvstorch._port.torch_draft.initializers import Placed


class Schedules(Expressions):
    """Rewrites schedules, and knows what made an optimizer that the program names."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.transformations: dict[str, ast.expr] = {}
        self.everywhere = {  # values by their names, also of other functions
            t.id: n.value
            for n in ast.walk(args[1]) if isinstance(n, ast.Assign)
            for t in n.targets if isinstance(t, ast.Name)
        }  # fmt: skip
        # The functions of the program that make optimizers or schedules, by what they returned.
        returned = {name: {c.result.kind for c in calls if c.result is not None}
                    for name, calls in self.recording.calls.items()}  # fmt: skip
        for_all = "model.parameters()" if self.made_for() == "model" else "trainable(params)"
        self.makers = {n: for_all for n, of in returned.items() if of == {kinds.TRANSFORMATION}}
        self.scheduling = {n for n, of in returned.items()
                           if of & {kinds.SCHEDULE, kinds.FUNCTION}}  # fmt: skip

    def _is_transformation(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call) and ast.unparse(node.func) in self.makers:
            return True
        return isinstance(node, ast.Call) and (self.name(node.func) or "").startswith("optax.")

    def made_for(self) -> str:
        """What a function that makes an optimizer takes: a model, or a tree of weights."""
        of = {kind for kinds_of in self.recording.kinds.values() for kind in kinds_of}
        is_model = of & {kinds.MODULE, kinds.VARIABLES, kinds.TRAIN_STATE}
        return "model" if is_model else "params"

    def _note_transformation(self, name: str, value: ast.expr) -> None:
        """Keep what a name stands for, which may be made of what it stood for before."""
        before = self.transformations.get(name)
        parts = [n for n in ast.walk(value) if isinstance(n, ast.Name) and n.id == name]
        if before is not None and parts:
            value = Placed({name: before}).visit(copy.deepcopy(value))
        self.transformations[name] = value

    def _elsewhere(self, node: ast.Name) -> ast.expr:
        """What a name stands for: a parameter, for what the program's calls pass for it."""
        if node.id in self.transformations:
            return self.transformations[node.id]
        of = self.enclosing.get(self.scope)
        name = next((n for n, f in self.own.items() if f.lineno == self.scope), "")
        if of is not None and node.id in self.parameters.get(name, []):
            place = self.parameters[name].index(node.id)
            for call in ast.walk(self.tree):
                if isinstance(call, ast.Call) and ast.unparse(call.func) == name:
                    words = {w.arg: w.value for w in call.keywords}
                    given = words.get(node.id, call.args[place] if place < len(call.args) else None)
                    if given is not None:
                        return self._named(given)
        return self._named(node)

    def _named(self, node: ast.expr) -> ast.expr:
        made = [v for v in self.everywhere.values() if self._is_transformation(v)]
        found = self.everywhere.get(node.id) if isinstance(node, ast.Name) else node
        if found is not None and self._is_transformation(found):
            return found
        return made[0] if len(made) == 1 else node

    def _is_schedule(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and self.schedule(node) is not None

    def schedule(self, node: ast.expr) -> str | None:
        """The function of the step that a schedule is in PyTorch; None of anything else."""
        node = self._elsewhere(node) if isinstance(node, ast.Name) else node
        if isinstance(node, ast.Lambda) or (
            isinstance(node, ast.Name) and node.id in self.functions
        ):
            function = ast.unparse(self.visit(copy.deepcopy(node)))
            function = f"({function})" if isinstance(node, ast.Lambda) else function
            return f"lambda step: float({function}(torch.tensor(step)))"
        if not isinstance(node, ast.Call):
            return None
        name = self.name(node.func) or ""
        if ast.unparse(node.func) in self.scheduling:
            return ast.unparse(self._call(node.func, node))
        if name == "optax.join_schedules" and isinstance(node.args[0], ast.List | ast.Tuple):
            parts = [*map(self.schedule, node.args[0].elts)]
            rest = [*node.args[1:], *(w.value for w in node.keywords)]
            if None in parts or not rest:
                return None
            return f"joined([{', '.join(map(str, parts))}], {self._text(rest[0])})"
        row = meaning(jax_rows()[name]) if name in jax_rows() else None
        if row is None or "lr_scheduler" not in (row.expression or ""):
            return None
        made: Any = ast.parse(self._fit(row, node, self._plain_argument), mode="eval").body
        return ast.unparse([*made.args[1:], *(w.value for w in made.keywords)][0])

    def _text(self, node: ast.expr) -> str:
        return ast.unparse(self.visit(copy.deepcopy(node)))

    def _plain_argument(self, part: ast.expr) -> Argument:
        new = self.visit(copy.deepcopy(part))
        try:
            return Argument(ast.literal_eval(part), new)
        except ValueError:
            return Argument(1.0, new)

    def _fit(self, row: Row, node: ast.Call, argument: Any) -> str:
        named = {w.arg: argument(w.value) for w in node.keywords if w.arg}
        bound = bind(row.made or "", row, [argument(part) for part in node.args], named)
        return ast.unparse(fit(row.expression or "", bound).shown)
