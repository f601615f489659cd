"""Optimizers of optax as those of ``torch.optim``."""

import ast
import copy
from collections.abc import Iterator
from typing import Any

from jaxvstorch._port.from_jax.fitting import Argument, bind, fit
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import jax_rows, meaning
from jaxvstorch._port.map.running.values import RefusedError
from jaxvstorch._port.torch_draft import kinds
from jaxvstorch._port.torch_draft.expressions import Expressions
from jaxvstorch._port.torch_draft.layers import row_for


class Optimizers(Expressions):
    """Rewrites what makes an optimizer: its settings, schedule, and changes of gradients."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.transformations: dict[str, ast.expr] = {}
        self.made_optimizers: list[ast.stmt] = []
        self.everywhere = {  # values by their names, also of other functions
            t.id: n.value
            for n in ast.walk(args[1]) if isinstance(n, ast.Assign)
            for t in n.targets if isinstance(t, ast.Name)
        }  # fmt: skip

    def _is_transformation(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and (self.name(node.func) or "").startswith("optax.")

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
        return isinstance(node, ast.Call) and self._schedule(node) is not None

    def _schedule(self, node: ast.expr) -> Row | None:
        node = self._elsewhere(node) if isinstance(node, ast.Name) else node
        name = self.name(node.func) if isinstance(node, ast.Call) else None
        row = meaning(jax_rows()[name]) if name in jax_rows() else None  # type: ignore[index]
        return row if row is not None and "lr_scheduler" in (row.expression or "") else None

    def _parameters(self, node: ast.expr) -> str:
        """What an optimizer of PyTorch takes for the weights of a model, or for a tree of them."""
        if isinstance(node, ast.Call) and node.args:  # eqx.filter(model, eqx.is_array)
            return self._parameters(node.args[0])
        model = ast.unparse(self.variables(node))
        if self.kinds_of(node) & {kinds.MODULE, kinds.VARIABLES} or model.endswith(".model"):
            return f"{model}.parameters()"
        return f"trainable({model})"

    def _made_optimizer(self, node: ast.expr, parameters: str, target: ast.expr) -> list[ast.stmt]:
        """The statements that make an optimizer, its schedule and what changes its gradients."""
        name, before, after = ast.unparse(target), list[str](), list[str]()
        made: str | None = None
        for part in self._chained(node):
            path = (self.name(part.func) or "").removeprefix("optax.")
            words = {w.arg: w.value for w in part.keywords}
            first = ast.unparse(self.visit(copy.deepcopy(part.args[0]))) if part.args else ""
            if path == "clip_by_global_norm":
                first = first or ast.unparse(words["max_norm"])
                before.append(f"torch.nn.utils.clip_grad_norm_({parameters}, {first})")
            elif path == "clip":
                before.append(f"torch.nn.utils.clip_grad_value_({parameters}, {first})")
            elif made is None and (text := self._fitted(part, parameters, name, after)):
                made = text
            else:
                self.todo.append(f"optax.{path} has no counterpart in torch.optim")
        if made is None:
            self.todo.append(f"{ast.unparse(node)} has no counterpart in torch.optim")
            made = f"torch.optim.SGD({parameters}, lr=0.0)"
        lines = [f"{name} = {made}"]
        if before:
            body = "\n    ".join(before)
            lines.append(f"def clip(*_):\n    {body}\n{name}.register_step_pre_hook(clip)")
        statements = ast.parse("\n".join([*lines, *after])).body
        self.made_optimizers += statements
        return statements

    def _chained(self, node: ast.expr) -> Iterator[ast.Call]:
        if isinstance(node, ast.Name) and node.id in self.transformations:
            yield from self._chained(self.transformations[node.id])
        elif isinstance(node, ast.Name) and self._is_transformation(self._elsewhere(node)):
            yield from self._chained(self._elsewhere(node))
        elif isinstance(node, ast.Call) and self.name(node.func) == "optax.chain":
            for part in node.args:
                yield from self._chained(part)
        elif isinstance(node, ast.Call) and (self.name(node.func) or "").startswith("optax."):
            yield node

    def _fitted(self, node: ast.Call, parameters: str, name: str, after: list[str]) -> str | None:
        """The optimizer of PyTorch; its schedule goes to ``after``."""
        name_of_row = self.name(node.func) or ""
        row = jax_rows().get(name_of_row)
        row = row and meaning(row)
        plain = {w.arg for w in node.keywords} <= {"learning_rate", "decay", "eps", "momentum"}
        if plain and row_for(name_of_row) is not None:
            row = row_for(name_of_row)  # with the same step
        if row is None or row.expression is None or row.made is None:
            return None

        def argument(part: ast.expr) -> Argument:
            schedule = self._schedule(part)
            if schedule is not None:
                made: Any = self._elsewhere(part) if isinstance(part, ast.Name) else part
                text = self._fit(schedule, made, argument)
                text = text.replace("(optimizer,", f"({name},", 1)
                after.append(f"scheduler = {text}")
                after.append(f"{name}.register_step_post_hook(lambda *_: scheduler.step())")
                return Argument(1.0, ast.Constant(1.0))
            new = self.visit(copy.deepcopy(part))
            try:
                return Argument(ast.literal_eval(part), new)
            except ValueError:
                return Argument(1.0, new)

        try:
            text = self._fit(row, node, argument)
        except RefusedError as refusal:
            self.todo.append(f"{ast.unparse(node.func)}: {refusal}= has no counterpart")
            return None
        return text.replace("(params", f"({parameters}", 1)

    def _fit(self, row: Row, node: ast.Call, argument: Any) -> str:
        named = {w.arg: argument(w.value) for w in node.keywords if w.arg}
        bound = bind(row.made or "", row, [argument(part) for part in node.args], named)
        return ast.unparse(fit(row.expression or "", bound).shown)


class WithParameters(ast.NodeTransformer):
    """The parameters of the model that is compared, for those that the program names."""

    def visit_Call(self, node: Any) -> Any:
        self.generic_visit(node)
        text = ast.unparse(node.func)
        if text.endswith(".parameters") or text == "trainable":
            return ast.Name("_parameters", ast.Load())
        return node
