"""Rewrites the optimizers that a program makes, and their learning rate schedules."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
import copy
from collections.abc import Collection
from typing import Any

from jaxvstorch._port.draft.expressions import parsed
from jaxvstorch._port.draft.rewriting import Rewriting
from jaxvstorch._port.filling import matched
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.simplifying import simplified

SCHEDULES = "torch.optim.lr_scheduler."


class Optimizers(Rewriting):
    """Turns ``torch.optim`` into optax, inside an ``nnx.Optimizer``.

    Attributes:
        scheduled: the names of the optimizers whose rates the program schedules.
        rates: the learning rates that optimizers are made with, by name.
    """

    scheduled: Collection[str] = ()

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.rates: dict[str, ast.expr] = {}

    def visit_Assign(self, node: ast.Assign) -> Any:
        value, target = node.value, node.targets[0]
        name = (self.qualified(value.func) if isinstance(value, ast.Call) else None) or ""
        is_optimizer = name.startswith("torch.optim.") and not name.startswith(SCHEDULES)
        if is_optimizer and isinstance(value, ast.Call) and isinstance(target, ast.Name):
            made = self._optimizer(name, value, target.id)
            if made is not None:
                node.value = made
                return node
        return super().visit_Assign(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = self.qualified(node.func) or ""
        if name.startswith(SCHEDULES) and (made := self._schedule(name, node)) is not None:
            return made
        if name.startswith("torch.optim.") and (made := self._optimizer(name, node)) is not None:
            return made
        return super().visit_Call(node)

    def _optimizer(self, name: str, node: ast.Call, target: str = "") -> ast.expr | None:
        """``torch.optim.Adam(net.parameters())`` as ``nnx.Optimizer(net, optax.adam(0.001))``."""
        row = _row(name)
        if row is None or not node.args or isinstance(node.args[0], ast.List):
            return None
        models = [
            ast.unparse(part.func.value)
            for part in ast.walk(node.args[0])
            if isinstance(part, ast.Call)
            and isinstance(part.func, ast.Attribute)
            and part.func.attr == "parameters"
        ]
        if not models:
            return None
        self._with_arguments(node)
        values, settings = matched(row, node)
        rate = values.get("lr")
        if rate is not None:
            self.rates[target] = copy.deepcopy(rate)
        if rate is not None and target in self.scheduled:
            values["lr"] = parsed("learning_rate")
        optimizer = simplified(parsed(row.expression or ""), values, settings)
        if rate is not None and target in self.scheduled:
            function = parsed("lambda learning_rate: 0")
            assert isinstance(function, ast.Lambda)
            function.body = optimizer
            injected = ast.Call(parsed("optax.inject_hyperparams"), [function], [])
            optimizer = ast.Call(injected, [], [ast.keyword("learning_rate", rate)])
        model = models[0] if len(models) == 1 else f"nnx.List([{', '.join(models)}])"
        arguments: list[ast.expr] = [parsed(model), optimizer]
        return ast.Call(
            parsed("nnx.Optimizer"), arguments, [ast.keyword("wrt", parsed("nnx.Param"))]
        )

    def _schedule(self, name: str, node: ast.Call) -> ast.expr | None:
        """``StepLR(optimizer, 1)`` as a schedule of optax that the draft's class steps along."""
        row = _row(name)
        optimizer = node.args[0] if node.args else None
        if row is None or not isinstance(optimizer, ast.Name) or optimizer.id not in self.rates:
            return None
        self._with_arguments(node)
        values, settings = matched(row, node)
        values["lr"] = self.rates[optimizer.id]
        schedule = simplified(parsed(row.expression or ""), values, settings)
        return ast.Call(parsed("Scheduler"), [optimizer, schedule], [])


def scheduled(tree: ast.AST, qualified: Any) -> set[str]:
    """The names of the optimizers that learning rate schedules of a file are made for."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    made = [c for c in calls if (qualified(c.func) or "").startswith(SCHEDULES)]
    return {c.args[0].id for c in made if isinstance(c.args[0], ast.Name)}


def _row(name: str) -> Row | None:
    row = rows().get(name)
    return meaning(row) if row is not None and meaning(row).expression is not None else None
