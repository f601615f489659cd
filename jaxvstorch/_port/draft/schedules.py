"""Rewrites the learning rate schedules that a program makes."""

import ast
from collections.abc import Collection
from inspect import signature
from typing import Any

import torch

from jaxvstorch._port.draft.expressions import parsed
from jaxvstorch._port.draft.reading import is_name
from jaxvstorch._port.draft.rewriting import Rewriting
from jaxvstorch._port.filling import matched
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.simplifying import simplified

SCHEDULES = "torch.optim.lr_scheduler."
_OF_CYCLE = ("max_lr", "total_steps", "pct_start", "div_factor", "final_div_factor")
_MOMENTUM = "OneCycleLR changes the momentum too, unless cycle_momentum=False; here it stays"


class Schedules(Rewriting):
    """Turns ``torch.optim.lr_scheduler`` into schedules of optax that set an optimizer's rate.

    Attributes:
        scheduled: the names of the optimizers whose rates the program schedules.
        function: the function around, or None at the top level of a file.
        rates: the learning rates that optimizers are made with, by function and name.
    """

    scheduled: Collection[str] = ()
    function: ast.AST | None = None

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.rates: dict[tuple[ast.AST | None, str], ast.expr] = {}

    def schedule(self, name: str, node: ast.Call) -> ast.expr | None:
        """``StepLR(optimizer, 1)`` as a schedule of optax that the draft's class steps along.

        The rate stays where the draft has no such schedule: what follows runs all the same.
        """
        named = [word.value for word in node.keywords if word.arg == "optimizer"]
        held = ast.unparse([*node.args, *named][0]) if node.args or named else ""
        known = self.rates.get((self.function, held)) or self.rates.get((None, held))
        if known is None and self.span(node) not in self.seen.schedules:
            return None
        rate = known or parsed(f'{held}.opt_state.hyperparams["learning_rate"].item()')
        self._with_arguments(node)
        row, bare = row_of(name), name.removeprefix(SCHEDULES)
        names = signature(getattr(torch.optim.lr_scheduler, bare)).parameters
        values = dict(zip(names, node.args, strict=False)) | {w.arg: w.value for w in node.keywords}
        if bare == "ReduceLROnPlateau" and not _has_lists(node):
            node.func = parsed(f"paste.{bare}")
            return node
        schedule = None
        if row is not None:
            schedule = _of_rate(row, node, rate, known is not None)
        elif bare == "OneCycleLR":
            schedule = self._one_cycle(values)
        elif bare == "SequentialLR" and known is not None:
            schedule = _joined(values["schedulers"], values["milestones"])
        if schedule is None:
            instead = meaning(rows()[name]).option("instead") if name in rows() else None
            self.marks.append(f"the rate stays in place of {name}: {instead or 'a schedule'}")
            schedule = ast.Call(parsed("optax.constant_schedule"), [rate], [])
        return ast.Call(parsed("paste.Scheduler"), [parsed(held), schedule], [])

    def _one_cycle(self, values: dict[str | None, ast.expr]) -> ast.expr | None:
        """``OneCycleLR`` as the draft's function, if it has one peak and two cosines."""
        if "epochs" in values and "steps_per_epoch" in values:
            values["total_steps"] = ast.BinOp(
                values["epochs"], ast.Mult(), values["steps_per_epoch"]
            )
        plain = {"anneal_strategy": "'cos'", "three_phase": "False", "last_epoch": "-1"}
        others = [
            n for n, text in plain.items() if ast.unparse(values.get(n, parsed(text))) != text
        ]
        if others or "total_steps" not in values or isinstance(values["max_lr"], ast.List):
            return None
        cycled = values.get("cycle_momentum")
        if not (isinstance(cycled, ast.Constant) and cycled.value is False):
            self.marks.append(_MOMENTUM)
        words = [ast.keyword(n, values[n]) for n in _OF_CYCLE if n in values]
        return ast.Call(parsed("paste.one_cycle"), [w.value for w in words[:2]], words[2:])


def _joined(schedulers: ast.expr, milestones: ast.expr) -> ast.expr | None:
    """One schedule of those that the draft's schedulers, in a list, were made with."""
    if not isinstance(schedulers, ast.List):
        return None
    texts = [
        ast.unparse(part.args[1])
        if isinstance(part, ast.Call) and ast.unparse(part.func) == "paste.Scheduler"
        else f"{ast.unparse(part)}.schedule"
        for part in schedulers.elts
    ]
    return parsed(f"optax.join_schedules([{', '.join(texts)}], {ast.unparse(milestones)})")


def _has_lists(node: ast.Call) -> bool:
    return any(isinstance(part, ast.List) for part in ast.walk(node))


def _of_rate(row: Row, node: ast.Call, rate: ast.expr, is_source: bool) -> ast.expr:
    """A schedule by the map, of the rate in the program's source or of the optimizer's now."""
    values, settings = matched(row, node)
    name = "lr" if all("lr" not in ast.unparse(v) for v in values.values()) else "first_rate"
    late = (row.expression or "").startswith("lambda") and not is_source
    values["lr"] = parsed(name) if late else rate
    schedule = simplified(parsed(row.expression or ""), values, settings)
    match schedule:  # the function that the program gives LambdaLR, in the schedule
        case ast.Lambda(
            ast.arguments(args=[ast.arg(step)]),
            ast.BinOp(left, op, ast.Call(ast.Lambda(arguments, body), [ast.Name() as given])),
        ) if is_name(given, step) and len(arguments.args) == 1:
            if arguments.args[0].arg not in ast.unparse(left):
                schedule = ast.Lambda(arguments, ast.BinOp(left, op, body))
    if late and isinstance(schedule, ast.Lambda):  # as it is when the schedule is made
        schedule.args.args.append(ast.arg(name))
        schedule.args.defaults.append(rate)
    return schedule


def row_of(name: str) -> Row | None:
    """What the map has for a name, if it has an expression."""
    row = rows().get(name)
    return meaning(row) if row is not None and meaning(row).expression is not None else None
