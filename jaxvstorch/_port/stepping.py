"""An optimizer's steps, taken again by optax."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import optax
import torch

from jaxvstorch._port.agreeing import Judged, agreed
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.map.running.call import Call, copied
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.map.running.namespace import namespace
from jaxvstorch._port.map.running.values import RefusedError, jax_arguments, to_jax
from jaxvstorch._port.report import PortStatus
from jaxvstorch._port.silence import silent

PARTITION = "optax.partition takes an optimizer for each"
SCHEDULED = "a setting changed between steps: give optax a schedule"
Group = tuple[list[torch.Tensor], dict[str, Any]]


@dataclass
class Stepping:
    """Steps of one optimizer, followed by optax from the first one on."""

    row: Row
    optimizers: list[optax.GradientTransformation]
    states: list[Any]
    settings: list[dict[str, Any]]
    expected: list[Any] | None = None
    scheduled: bool = False

    @classmethod
    def of(cls, optimizer: torch.optim.Optimizer) -> "Stepping":
        """Begin to follow an optimizer.

        Raises:
            KeyError: the map does not have it, or it has no counterpart.
            RefusedError: one of its settings has none.
        """
        row = meaning(rows()[f"torch.optim.{type(optimizer).__name__}"])
        if row.expression is None:
            raise KeyError(row.option("instead") or "")
        if any(optimizer.state.values()):
            raise KeyError("it had taken steps before it was watched")
        made = [_made(row, group) for group in optimizer.param_groups]
        arrays = [_arrays(group) for group in optimizer.param_groups]
        states = [o.init(a) for o, a in zip(made, arrays, strict=True)]
        return cls(row, made, states, [_settings(row, group) for group in optimizer.param_groups])

    def before(self, groups: list[dict[str, Any]]) -> None:
        """Take the step that PyTorch is about to take."""
        self.expected = []
        for number, group in enumerate(groups):
            self._renew(number, group)
            values = _arrays(group)
            gradients = [
                to_jax(torch.zeros_like(p) if p.grad is None else p.grad) for p in group["params"]
            ]
            updates, self.states[number] = self.optimizers[number].update(
                gradients, self.states[number], values
            )
            self.expected.append(optax.apply_updates(values, updates))

    def _renew(self, number: int, group: dict[str, Any]) -> None:
        """Take settings that were changed since the last step, as a schedule does."""
        if (now := _settings(self.row, group)) == self.settings[number]:
            return
        self.settings[number], new = now, _made(self.row, group)
        forms = [jax.tree.structure(s) for s in (new.init(_arrays(group)), self.states[number])]
        if str(forms[0]) != str(forms[1]):
            raise KeyError("a setting changed since the first step, and its state has another form")
        self.optimizers[number], self.scheduled = new, True

    def after(self, groups: list[dict[str, Any]]) -> Judged:
        """Whether PyTorch's parameters are optax's."""
        ours = [p.detach() for group in groups for p in group["params"]]
        theirs = [value for group in self.expected or [] for value in group]
        scheduled = SCHEDULED if self.scheduled else ""
        return agreed(ours, theirs).noting(scheduled, self._apart())

    def _apart(self) -> str:
        """In what the groups of parameters differ."""
        first, *rest = self.settings
        names = [n for n in first if any(first[n] != group[n] for group in rest)]
        if not names:
            return ""
        differ = f"the {len(rest) + 1} groups differ in {', '.join(names)}"
        return f"{differ}: the first one's are shown, and {PARTITION}"


def _made(row: Row, group: dict[str, Any]) -> optax.GradientTransformation:
    args, kwargs = jax_arguments(row, Call(torch.optim.Optimizer, (None,), _settings(row, group)))
    function: Callable[..., Any] = eval(row.source(row.expression or ""), namespace())
    found: optax.GradientTransformation = function(*args, **kwargs)
    return found


def _settings(row: Row, group: dict[str, Any]) -> dict[str, Any]:
    found = {name: group[name] for name in row.taken() if name in group and name != "params"}
    return {n: copied(v) if isinstance(v, torch.Tensor) else v for n, v in found.items()}


def _arrays(group: dict[str, Any]) -> list[jax.Array]:
    return [to_jax(p) for p in group["params"]]


class Steps:
    """The optimizers of a program."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._followed: dict[int, Stepping | str] = {}
        self._taken: dict[int, int] = {}

    def before(self, optimizer: torch.optim.Optimizer) -> None:
        """Take the step in optax, while this optimizer's are followed."""
        key = id(optimizer)
        self._taken[key] = self._taken.get(key, 0) + 1
        if self._taken[key] > self.limit:
            return
        with silent():
            try:
                if key not in self._followed:
                    self._followed[key] = Stepping.of(optimizer)
                if isinstance(stepping := self._followed[key], Stepping):
                    stepping.before(optimizer.param_groups)
            except RefusedError as refusal:
                self._followed[key] = f"{refusal} has no counterpart"
            except Exception as error:
                self._followed[key] = (
                    str(error.args[0]) if isinstance(error, KeyError) else error_text(error)
                )

    def after(self, optimizer: torch.optim.Optimizer) -> Judged | None:
        """Whether the step is optax's, or why optax took none; None beyond the limit."""
        key = id(optimizer)
        if self._taken.get(key, 0) > self.limit or key not in self._followed:
            return None
        stepping = self._followed[key]
        if isinstance(stepping, str):
            return Judged(PortStatus.OTHERWISE, stepping)
        return stepping.after(optimizer.param_groups)
