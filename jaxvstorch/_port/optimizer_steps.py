"""Takes the steps of a program's optimizers again in optax."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import optax
import torch

from jaxvstorch._port.isolation import without_warnings
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.map.running.call import Call, copied
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.map.running.namespace import namespace
from jaxvstorch._port.map.running.values import RefusedError, jax_arguments, to_jax
from jaxvstorch._port.outcome import Outcome, compare_results
from jaxvstorch._port.report_data import PortStatus
from jaxvstorch._port.simplifying import simplified

PARTITION = "optax.partition takes an optimizer for each"
SCHEDULED = "a setting changed between steps: pass optax a schedule"
Group = tuple[list[torch.Tensor], dict[str, Any]]


@dataclass
class _Followed:
    """One optimizer, whose steps optax takes again from the first step."""

    row: Row
    optimizers: list[optax.GradientTransformation]
    states: list[Any]
    settings: list[dict[str, Any]]
    expected: list[Any] | None = None
    scheduled: bool = False

    @classmethod
    def of(cls, optimizer: torch.optim.Optimizer) -> "_Followed":
        """Begin to follow an optimizer.

        Raises:
            KeyError: the map does not have it, or it has no counterpart.
            RefusedError: one of its settings has none.
        """
        row = meaning(rows()[f"torch.optim.{type(optimizer).__name__}"])
        if row.expression is None:
            raise KeyError(row.option("instead") or "")
        # Adagrad fills its state when it is made, and counts its steps from 0.
        if any(state and state.get("step", 1) for state in optimizer.state.values()):
            raise KeyError("it took steps before port watched it")
        optimizers = [optax_optimizer(row, group) for group in optimizer.param_groups]
        arrays = [_arrays(group) for group in optimizer.param_groups]
        states = [o.init(a) for o, a in zip(optimizers, arrays, strict=True)]
        settings = [_settings(row, group) for group in optimizer.param_groups]
        return cls(row, optimizers, states, settings)

    def before(self, groups: list[dict[str, Any]]) -> None:
        """Take the step that PyTorch is about to take."""
        self.expected = []
        for index, group in enumerate(groups):
            self._follow_settings(index, group)
            values = _arrays(group)
            gradients = [
                to_jax(torch.zeros_like(p) if p.grad is None else p.grad) for p in group["params"]
            ]
            updates, self.states[index] = self.optimizers[index].update(
                gradients, self.states[index], values
            )
            self.expected.append(optax.apply_updates(values, updates))

    def _follow_settings(self, index: int, group: dict[str, Any]) -> None:
        """Take settings that were changed since the last step, as a schedule does."""
        if (settings := _settings(self.row, group)) == self.settings[index]:
            return
        self.settings[index], new = settings, optax_optimizer(self.row, group)
        new_state = jax.tree.structure(new.init(_arrays(group)))
        if str(new_state) != str(jax.tree.structure(self.states[index])):
            raise KeyError(
                "a setting changed after the first step, and the optimizer's state with it"
            )
        self.optimizers[index], self.scheduled = new, True

    def after(self, groups: list[dict[str, Any]]) -> Outcome:
        """Whether PyTorch's parameters are optax's."""
        parameters = [p.detach() for group in groups for p in group["params"]]
        expected = [value for group in self.expected or [] for value in group]
        scheduled = SCHEDULED if self.scheduled else ""
        return compare_results(parameters, expected).with_notes(scheduled, self._group_note())

    def _group_note(self) -> str:
        """The settings in which the groups of parameters differ."""
        first, *rest = self.settings
        names = [n for n in first if any(first[n] != group[n] for group in rest)]
        if not names:
            return ""
        differ = f"the {len(rest) + 1} groups differ in {', '.join(names)}"
        return f"{differ}: the first one's are shown, and {PARTITION}"


def optax_optimizer(row: Row, group: dict[str, Any]) -> optax.GradientTransformation:
    """The optimizer of optax for a group of weights, by its settings."""
    args, kwargs = jax_arguments(row, Call(torch.optim.Optimizer, (None,), _settings(row, group)))
    function: Callable[..., Any] = eval(row.source(row.expression or ""), namespace())
    optimizer: optax.GradientTransformation = function(*args, **kwargs)
    return optimizer


def optax_of(optimizer: torch.optim.Optimizer) -> str:
    """The optax expression for an optimizer with one group of weights.

    Raises:
        LookupError: it has several groups, or no expression.
    """
    if len(optimizer.param_groups) > 1:
        raise LookupError("its optimizer has several groups of weights")
    row = meaning(rows()[f"torch.optim.{type(optimizer).__name__}"])
    if row.expression is None:
        raise LookupError(f"torch.optim.{type(optimizer).__name__} has no line in the map")
    return optax_text(row, optimizer.param_groups[0])


def optax_text(row: Row, group: dict[str, Any]) -> str:
    """The Python that makes the optimizer of optax for a group of weights."""
    values = {n: default for n, default in row.parameters.items() if default is not None}
    for name, value in _settings(row, group).items():
        values[name] = ast.parse(repr(value), mode="eval").body
    expression = ast.parse(row.expression or "", mode="eval").body
    return ast.unparse(simplified(expression, values, values.keys()))


def _settings(row: Row, group: dict[str, Any]) -> dict[str, Any]:
    names = [name for name in row.taken() if name in group and name != "params"]
    return {n: copied(v) if isinstance(v := group[n], torch.Tensor) else v for n in names}


def _arrays(group: dict[str, Any]) -> list[jax.Array]:
    return [to_jax(p) for p in group["params"]]


class OptimizerSteps:
    """The steps of a program's optimizers, each up to a limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._followed: dict[int, _Followed | str] = {}
        self._steps: dict[int, int] = {}

    def before(self, optimizer: torch.optim.Optimizer) -> None:
        """Take the step in optax, up to the limit."""
        key = id(optimizer)
        self._steps[key] = self._steps.get(key, 0) + 1
        if self._steps[key] > self.limit:
            return
        with without_warnings():
            try:
                if key not in self._followed:
                    self._followed[key] = _Followed.of(optimizer)
                if isinstance(followed := self._followed[key], _Followed):
                    followed.before(optimizer.param_groups)
            except RefusedError as refusal:
                self._followed[key] = f"{refusal} has no counterpart"
            except Exception as error:
                self._followed[key] = (
                    str(error.args[0]) if isinstance(error, KeyError) else error_text(error)
                )

    def after(self, optimizer: torch.optim.Optimizer) -> Outcome | None:
        """The outcome of the step, or why optax took none; None beyond the limit."""
        key = id(optimizer)
        if self._steps.get(key, 0) > self.limit or key not in self._followed:
            return None
        followed = self._followed[key]
        if isinstance(followed, str):
            return Outcome(PortStatus.ANOTHER_WAY, followed)
        return followed.after(optimizer.param_groups)
