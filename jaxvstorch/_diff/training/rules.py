"""What an optimizer of PyTorch would have done with another option, gradient or state."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import torch

from jaxvstorch._diff.numbers import allowed_for, distance
from jaxvstorch._diff.recording import Array

_VALUES: dict[str, tuple[Any, ...]] = {
    "weight_decay": (0.0, 1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.1),
    "eps": (0.0, 1e-16, 1e-15, 1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3),
    "betas": ((0.9, 0.999), (0.9, 0.99), (0.9, 0.98), (0.9, 0.95), (0.95, 0.99), (0.5, 0.999)),
    "momentum": (0.0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99),
    "alpha": (0.9, 0.95, 0.99, 0.999),
    "rho": (0.9, 0.95),
    "dampening": (0.0, 0.1, 0.9),
    "nesterov": (True, False),
    "amsgrad": (True, False),
    "centered": (True, False),
    "maximize": (True, False),
}
_OTHERS = {torch.optim.Adam: torch.optim.AdamW, torch.optim.AdamW: torch.optim.Adam}
_NORMS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True)
class Taken:
    """One step of an optimizer, for some elements of one parameter.

    Attributes:
        options: of the parameter's group.
        parameter: before the step.
        gradient: of the same elements.
    """

    options: Mapping[str, Any]
    parameter: Array
    gradient: Array


@dataclass(frozen=True)
class Rule:
    """What an optimizer does, for some elements of one parameter.

    Attributes:
        optimizer: its class.
        steps: up to this one.
        state: before the first of them, by name.
        changes: options that are other than in the steps.
    """

    optimizer: type
    steps: tuple[Taken, ...]
    state: Mapping[str, Any]
    changes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parameter(self) -> Array:
        """Before this step."""
        return self.steps[-1].parameter

    @property
    def options(self) -> Mapping[str, Any]:
        """In this step."""
        return {**self.steps[-1].options, **self.changes}

    def with_options(self, **changes: Any) -> "Rule":
        """The rule with other options."""
        return replace(self, changes={**self.changes, **changes})

    def with_gradients(self, change: Callable[[int, Array], Array]) -> "Rule":
        """The rule with other gradients, which are told the number of the step, from 0."""
        steps = [
            replace(step, gradient=change(n, step.gradient)) for n, step in enumerate(self.steps)
        ]
        return replace(self, steps=tuple(steps))

    def update(self) -> Array | None:
        """What this step adds to the parameter; None where the optimizer refuses."""
        parameter = torch.nn.Parameter(torch.tensor(self.parameter, dtype=torch.float64))
        try:
            taken = inspect.signature(self.optimizer).parameters
            options = {key: x for key, x in self.options.items() if key in taken}
            optimizer = self.optimizer([parameter], **options)
            if self.state:
                optimizer.state[parameter] = {
                    key: torch.tensor(x) if isinstance(x, np.ndarray) else x
                    for key, x in self.state.items()
                }
            for step in self.steps:
                parameter.data = torch.tensor(step.parameter, dtype=torch.float64)
                parameter.grad = torch.tensor(step.gradient, dtype=torch.float64)
                optimizer.param_groups[0].update({**step.options, **self.changes})
                optimizer.step()
        except Exception:  # an option that this optimizer does not allow, or needs more than these
            return None
        update: Array = parameter.detach().numpy() - self.parameter
        return update


@dataclass(frozen=True)
class Way:
    """Another rule, in words.

    Attributes:
        text: what is other, such as "weight_decay=0.0".
        instead: what it is in place of.
        rule: the rule.
        is_state: whether it is the optimizer's state that is other.
        key: the option that is.
        is_computed: whether its value is computed from the other side's update.
    """

    text: str
    instead: str
    rule: Rule
    is_state: bool = False
    key: str = ""
    is_computed: bool = False


def ways(
    rule: Rule, unclipped: Sequence[Array], norms: Sequence[float], wanted: Array
) -> Iterator[Way]:
    """What may be other: one thing first, then two options.

    Args:
        rule: the optimizer's own.
        unclipped: the gradients of the steps as the backward pass gave them.
        norms: of all gradients together, for each step.
        wanted: the other side's update, from which a learning rate or a decay can be computed.
    """
    options = [*_options(rule)]
    yield from options
    yield from _gradients(rule, unclipped, norms)
    if len(rule.steps) > 1:
        first = replace(rule, steps=rule.steps[-1:], state={})
        yield Way("the state of a first step", "the state after those before", first, True)
    yield from _written_out(rule)
    yield from _rates(rule, wanted)  # some rate fits what is only scaled by something else
    for one, two in combinations(options, 2):
        if one.key != two.key:
            both = replace(two.rule, changes={**one.rule.changes, **two.rule.changes})
            if one.rule.optimizer is not rule.optimizer:
                both = replace(both, optimizer=one.rule.optimizer)
            yield Way(f"{one.text} and {two.text}", f"{one.instead} and {two.instead}", both)


def _gradients(rule: Rule, unclipped: Sequence[Array], norms: Sequence[float]) -> Iterator[Way]:
    """Gradients that are clipped, or are not."""
    raw = rule.with_gradients(lambda n, _: unclipped[n])
    here = "gradients that are not clipped"
    if not np.array_equal(unclipped[-1], rule.steps[-1].gradient):
        here = "gradients that are clipped"
        yield Way("gradients that are not clipped", here, raw)
    for limit in _NORMS:
        norm = raw.with_gradients(partial(_scaled, [min(1.0, limit / norm) for norm in norms]))
        yield Way(f"gradients clipped to the norm {limit:g}", here, norm)
        each = raw.with_gradients(partial(_cut, limit))
        yield Way(f"each number of a gradient clipped to {limit:g}", here, each)


def _scaled(factors: Sequence[float], step: int, gradient: Array) -> Array:
    return gradient * factors[step]


def _cut(limit: float, _: int, gradient: Array) -> Array:
    return gradient.clip(-limit, limit)


def _rates(rule: Rule, wanted: Array) -> Iterator[Way]:
    """Another learning rate or decay."""
    mine, lr, decay = rule.update(), rule.options["lr"], rule.options.get("weight_decay")
    if mine is None or not isinstance(lr, float) or not lr:
        return
    if (factor := factor_between(wanted, mine, least=1)) is not None:
        last = rule.steps[-1]
        now = replace(last, options={**rule.options, "lr": lr * factor})
        other = replace(rule, steps=(*rule.steps[:-1], now))
        # Of plain gradient descent nobody can tell the two apart.
        scaled = replace(last, gradient=last.gradient * factor)
        update = replace(rule, steps=(*rule.steps[:-1], scaled)).update()
        is_either = update is not None and agree(update, wanted)
        also = f" (or gradients {factor:.6g} times as large)" if is_either else ""
        yield Way(f"lr={lr * factor:.6g}{also}", f"lr={lr:.6g}", other, is_computed=True)
    more = factor_between(wanted - mine, rule.parameter)
    if isinstance(decay, float | int) and more is not None:
        other = rule.with_options(weight_decay=decay - more / lr)
        text = f"weight_decay={decay - more / lr:.4g}"
        yield Way(text, f"weight_decay={decay:.4g}", other, is_computed=True)


def factor_between(numbers: Array, others: Array, least: int = 2) -> float | None:
    """What the others times gives the numbers; None where no factor does, or for fewer."""
    a, b = others.ravel(), numbers.ravel()
    norm = float(a @ a)
    factor = float(a @ b) / norm if norm else 0.0
    return factor if factor and a.size >= least and agree(a * factor, b) else None


def agree(one: Array, other: Array) -> bool:
    """Whether two updates are the same but for roundings of float32."""
    return distance(one, other) <= allowed_for(float(np.finfo(np.float32).eps))


def _options(rule: Rule) -> Iterator[Way]:
    """One option that is other, or another optimizer with the same state."""
    for key, values in _VALUES.items():
        if key not in rule.options:
            continue
        now = rule.options[key]
        for value in values:
            if value != now:
                yield Way(
                    f"{key}={value}", f"{key}={now}", rule.with_options(**{key: value}), key=key
                )
    if (other_class := _OTHERS.get(rule.optimizer)) is not None:
        other = replace(rule, optimizer=other_class)
        if "decoupled_weight_decay" in rule.options:
            decoupled = other_class is torch.optim.AdamW
            other = other.with_options(decoupled_weight_decay=decoupled)
        yield Way(other_class.__name__, rule.optimizer.__name__, other, key="class")


@dataclass(frozen=True)
class _Written(Rule):
    """A rule that PyTorch's optimizers do not have: Adam's or RMSprop's, changed."""

    inside: bool = False  # the epsilon is added before the root is taken
    corrected: bool = True  # Adam's moments are corrected for their start at 0
    counts: bool = True  # the count of steps goes up

    def update(self) -> Array | None:
        """What this step adds to the parameter; see ``Rule``."""
        lr, eps = self.options["lr"], self.options["eps"]
        decay = self.options.get("weight_decay", 0.0)
        b1, b2 = self.options.get("betas", (0.0, self.options.get("alpha")))
        m = self.state.get("exp_avg", np.zeros_like(self.parameter))
        v = self.state.get("exp_avg_sq", self.state.get("square_avg", np.zeros_like(m)))
        count = float(self.state.get("step", 0))
        for step in self.steps:
            m = b1 * m + (1 - b1) * step.gradient
            v = b2 * v + (1 - b2) * step.gradient**2
        if self.corrected and "betas" in self.options:
            count += len(self.steps) if self.counts else 1
            m, v = m / (1 - b1**count), v / (1 - b2**count)
        root = np.sqrt(v + eps) if self.inside else np.sqrt(v) + eps
        update: Array = -lr * (m / root + decay * self.parameter)
        return update


def _written_out(rule: Rule) -> Iterator[Way]:
    """Variants of Adam and RMSprop that other frameworks have, or that are wrong."""
    options = rule.options
    is_adam = rule.optimizer in _OTHERS and not options["amsgrad"]
    is_adam = is_adam and (rule.optimizer is torch.optim.AdamW or not options["weight_decay"])
    is_rms = rule.optimizer is torch.optim.RMSprop and not (
        options["momentum"] or options["centered"] or options["weight_decay"]
    )
    if not (is_adam or is_rms) or options["maximize"]:
        return
    plain = _Written(rule.optimizer, rule.steps, rule.state)
    yield Way("eps added inside the root", "eps added to the root", replace(plain, inside=True))
    if is_adam:
        uncorrected = replace(plain, corrected=False)
        yield Way("moments without the correction for their start", "corrected ones", uncorrected)
        uncounted = replace(plain, counts=False)
        yield Way("a count of steps that stays at 1", "the count of this step", uncounted, True)
    else:
        for way in _options(rule):
            if way.key == "alpha":
                inside = replace(plain, changes=way.rule.changes, inside=True)
                yield Way(
                    f"{way.text} and eps added inside the root",
                    f"{way.instead} and eps added to the root",
                    inside,
                )
