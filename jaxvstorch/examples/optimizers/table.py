"""How far optax and ``torch.optim`` differ after twenty steps, rule by rule."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import optax
from jax import enable_x64
from torch import optim

from jaxvstorch._table import Table, with_code
from jaxvstorch.examples.optimizers.jax_optax import after as after_optax
from jaxvstorch.examples.optimizers.rules import RATE, RULES, Rule, problem
from jaxvstorch.examples.optimizers.torch_optim import after as after_torch

COLUMNS = ("float32", "float64", "defaults")


def difference(
    optimizer: optax.GradientTransformation, make: Callable[..., optim.Optimizer], dtype: str
) -> float:
    """The largest difference between two parameters after twenty steps with the same gradients."""
    parameters, gradients = problem(dtype)
    with enable_x64(dtype == "float64"):
        ours = after_optax(optimizer, parameters, gradients)
        theirs = after_torch(make, parameters, gradients)
        return max(float(abs(np.asarray(ours[name]) - theirs[name]).max()) for name in parameters)


def call_optax(text: str, r: Any = RATE) -> optax.GradientTransformation:
    """The optimizer that a rule's text says."""
    made: optax.GradientTransformation = eval(text, vars(optax) | {"r": r})
    return made


def call_torch(text: str, r: Any = RATE) -> Callable[..., optim.Optimizer]:
    """What makes, of parameters, the optimizer that a rule's text says."""
    return lambda p: eval(text, vars(optim) | {"r": r, "p": p})


@dataclass(frozen=True, repr=False)
class RuleTable:
    """Rules with their differences: in float32, in float64, and in float32 with the defaults."""

    rows: tuple[tuple[Rule, tuple[float, float, float]], ...]

    def __str__(self) -> str:
        lines = [f"{'':46}float32  float64  defaults"]
        for rule, differences in self.rows:
            numbers = "  ".join(f"{number:7.0e}" for number in differences)
            lines += [rule.name, f"  optax.{rule.optax}", f"  optim.{rule.torch:38} {numbers}"]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = []
        for rule, differences in self.rows:
            calls = f"{rule.name}\n`optax.{rule.optax}`\n`optim.{rule.torch}`"
            rows.append((calls, *(f"{number:.0e}" if number else "0" for number in differences)))
        return Table(("rule", *COLUMNS), rows).html(row_head=_rule_head)


def _rule_head(calls: str) -> str:
    name, *lines = with_code(calls).split("\n")
    return "<br>".join([f"<strong>{name}</strong>", *lines])


def rule_table() -> RuleTable:
    """Run all rules; equal calls in both precisions, and the defaults in float32."""
    rows = []
    for rule in RULES:
        equal = call_optax(rule.optax), call_torch(rule.torch)
        default = call_optax(rule.optax_default), call_torch(rule.torch_default)
        differences = (
            difference(*equal, "float32"),
            difference(*equal, "float64"),
            difference(*default, "float32"),
        )
        rows.append((rule, differences))
    return RuleTable(tuple(rows))
