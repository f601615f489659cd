"""Parameters whose gradients agree and whose new values do not, and what that comes from."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from jaxvstorch._diff.difference import Difference, Origin, Place
from jaxvstorch._diff.numbers import Layout, allowed_for, distance, largest
from jaxvstorch._diff.parting import Search
from jaxvstorch._diff.places import described, shortened
from jaxvstorch._diff.recording import Array, Kind, Recording, Stage, Value, eps_of
from jaxvstorch._diff.training.rules import Rule, Taken, Way, agree, factor_between, ways
from jaxvstorch._diff.training.step import gradient_of

_FEW = 2  # elements: any two are nearly proportional
_SAMPLE = 2048  # elements of a parameter on which other rules are tried
_SMALL = 1e-6  # of the largest update: what is smaller may be roundings that Adam makes large


@dataclass(frozen=True)
class Pair:
    """A parameter of both sides.

    Attributes:
        first: its name on the first side.
        second: on the second.
        layout: how the first's lies in the second's.
    """

    first: str
    second: str
    layout: Layout


@dataclass
class Log:
    """What PyTorch's optimizers were given in the steps so far.

    Attributes:
        norms: of all gradients together, by step.
        rules: by the first side's name of a parameter: its optimizer's class, state at the
            beginning, and steps.
        unclipped: its gradients as the backward pass gave them.
    """

    norms: list[float] = field(default_factory=list)
    rules: dict[str, Rule] = field(default_factory=dict)
    unclipped: dict[str, list[Array]] = field(default_factory=lambda: defaultdict(list))


@dataclass(frozen=True)
class _Update:
    """What both sides did to one parameter, as it lies on the first side."""

    pair: Pair
    before: Array
    unclipped: Array  # the gradient, as the backward pass gave it
    ours: Array
    theirs: Array
    after: tuple[Value, Value]

    def some(self, array: Any) -> Any:
        """The elements on which rules are tried; a number of the optimizer's as it is."""
        size = self.before.size
        if not isinstance(array, np.ndarray) or array.size != size or size == 1:
            return array
        return array.ravel()[np.linspace(0, size - 1, min(size, _SAMPLE)).astype(np.int64)]


class Updates:
    """Compares the updates of a step, once its gradients agree.

    Args:
        search: of the step, at its end.
        pairs: the parameters.
        titles: of the sides.
        log: of the steps before, to which this one is added.
    """

    def __init__(
        self, search: Search, pairs: Sequence[Pair], titles: tuple[str, str], log: Log
    ) -> None:
        self.search, self.titles, self.log = search, titles, log
        first, second = self.runs = search.first.recording, search.second
        weights = [
            {v.name: v for v in run.values if v.kind == Kind.WEIGHT} for run in (first, second)
        ]
        self.all: list[_Update] = []
        for pair in pairs:
            i, j = first.after[pair.first], second.after[pair.second]
            ours, other = gradient_of(first, i), gradient_of(second, j)
            if ours is None or other is None or search.are_roundings(ours, other):
                continue
            t, s = first.values[i], second.values[j]
            before = weights[0][pair.first].array
            back = pair.layout.inverse(before.shape)
            theirs = back(s.array) - back(weights[1][pair.second].array)
            raw = first.values[ours].array.reshape(before.shape)
            self.all.append(_Update(pair, before, raw, t.array - before, theirs, (t, s)))
        self._top = max((largest(u.ours) for u in self.all), default=0.0)
        self._add_to_log()

    def _add_to_log(self) -> None:
        self.log.norms.append(float(np.sqrt(sum(np.square(u.unclipped).sum() for u in self.all))))
        side = self._torch_side()
        if side is None:
            return
        for update in self.all:
            name = (update.pair.first, update.pair.second)[side]
            entered = self.runs[side].ended.entered.get(name)
            if entered is None:
                continue

            def lying(x: Any, update: _Update = update) -> Any:
                is_whole = isinstance(x, np.ndarray) and x.size == update.before.size
                back = update.pair.layout.inverse(update.before.shape)
                return update.some(back(x) if is_whole and side == 1 else x)

            gradient = lying(self.runs[side].values[entered.gradient].array)
            taken = Taken(entered.options, update.some(update.before), gradient)
            state = {key: lying(x) for key, x in entered.state.items()}
            key = update.pair.first
            rule = self.log.rules.setdefault(key, Rule(entered.optimizer, (), state))
            self.log.rules[key] = replace(rule, steps=(*rule.steps, taken))
            self.log.unclipped[key].append(update.some(update.unclipped))

    def _torch_side(self) -> int | None:
        return next((n for n in (0, 1) if self.runs[n].framework == "torch"), None)

    @property
    def _is_first(self) -> bool:
        return len(self.log.norms) == 1

    def differences(self) -> Iterator[Difference]:
        """One for each parameter that is updated otherwise."""
        known: list[str] = []  # causes that were found: they likely hold for the next one
        wrong = [update for update in self.all if not self._is_same(update)]
        found = {}
        # What few numbers may be by chance, the cause of many is.
        for update in sorted(wrong, key=lambda update: -update.before.size):
            cause, origin = found[update.pair.first] = self._cause(update, known)
            known = [cause, *known] if cause and cause not in known else known
        for update in wrong:
            cause, origin = found[update.pair.first]
            yield Difference(
                (self._place(0, update), self._place(1, update)),
                cause,
                distance(update.after[0].array, self._lying_as_first(update)),
                origin=origin,
            )

    def _is_same(self, update: _Update) -> bool:
        if not np.array_equal(np.isfinite(update.ours), np.isfinite(update.theirs)):
            return False
        gap = largest(update.ours - update.theirs)
        scale = max(largest(update.ours), largest(update.theirs), _SMALL * self._top)
        roundings = 4 * eps_of(update.before) * largest(update.before)
        return gap <= allowed_for(self.search.working) * scale + roundings

    def _lying_as_first(self, update: _Update) -> Array:
        return update.pair.layout.inverse(update.before.shape)(update.after[1].array)

    def _cause(self, update: _Update, known: list[str]) -> tuple[str, Origin]:
        """A sentence, which is empty where nothing gives the numbers; and the origin."""
        if not np.isfinite(update.theirs).all():
            return f"{self.titles[1]}'s new values have an infinite number or NaN", Origin.RULE
        if not np.isfinite(update.ours).all():
            return f"{self.titles[0]}'s new values have an infinite number or NaN", Origin.RULE
        if not update.theirs.any():
            rate = self._rate(update)
            if rate and not any(other.theirs.any() for other in self.all):
                text = f"with lr={rate:g} in place of lr=0, {self.titles[1]} agrees"
                return text, Origin.SCHEDULE
            return f"{self.titles[1]} does not change it in this step", Origin.RULE
        found = self._rule(update, known)
        if found is not None:
            return found
        ours, theirs = update.ours, update.theirs
        if (factor := factor_between(theirs, ours, least=1)) is not None:
            text = f"{self.titles[1]}'s update is {factor:.6g} times {self.titles[0]}'s"
            if ours.size > _FEW or text in known:
                return text, Origin.SCHEDULE if not self._is_first else Origin.RULE
        for what, array in (("parameter", update.before), ("gradient", update.unclipped)):
            if (factor := factor_between(theirs - ours, array)) is not None:
                sign = "less" if factor < 0 else "plus"
                return (
                    f"{self.titles[1]}'s update is {self.titles[0]}'s {sign} {abs(factor):.6g} "
                    f"times the {what}"
                ), Origin.RULE
        return "", Origin.STATE if self._lacks_state(update) else Origin.RULE

    def _rule(self, update: _Update, known: list[str]) -> tuple[str, Origin] | None:
        """The way of PyTorch's optimizer that gives the other side's update."""
        side, rule = self._torch_side(), self.log.rules.get(update.pair.first)
        if side is None or rule is None:
            return None
        mine, wanted = map(update.some, (update.ours, update.theirs)[:: 1 - 2 * side])
        own = rule.update()
        if own is None or not agree(own, mine):
            return None  # something else changes it too, or not each element by itself
        unclipped = self.log.unclipped[update.pair.first]
        norms = self.log.norms[-len(unclipped) :]
        tried = [(self._text(way, side), way) for way in ways(rule, unclipped, norms, wanted)]
        for text, way in sorted(tried, key=lambda row: row[0] not in known):
            if way.is_computed and update.before.size <= _FEW and text not in known:
                continue
            other = way.rule.update()
            if other is not None and agree(other, wanted):
                is_rate = way.text.startswith("lr=") and not self._is_first
                origin = Origin.SCHEDULE if is_rate else Origin.RULE
                return text, Origin.STATE if way.is_state else origin
        return None

    def _rate(self, update: _Update) -> float | None:
        """PyTorch's learning rate, where the first side is PyTorch's."""
        rule = self.log.rules.get(update.pair.first) if self._torch_side() == 0 else None
        rate = rule.options.get("lr") if rule is not None else None
        return rate if isinstance(rate, float) else None

    def _text(self, way: Way, side: int) -> str:
        here, there = (way.instead, way.text) if side == 0 else (way.text, way.instead)
        return f"with {here} in place of {there}, {self.titles[1]} agrees"

    def _lacks_state(self, update: _Update) -> bool:
        """Whether the second's optimizer begins with zeros, and the first's does not."""
        if self._is_first or self.runs[0].framework != "torch":
            return False
        entered = self.runs[0].ended.entered.get(update.pair.first)
        if entered is None:
            return False
        arrays = [x for x in entered.state.values() if isinstance(x, np.ndarray) and x.ndim]
        shape = update.after[1].array.shape
        begun = [
            v.array
            for v in self.runs[1].values
            if v.kind == Kind.WEIGHT and v.array.shape == shape and v.name != update.pair.second
        ]
        return any(x.any() for x in arrays) and not any(x.any() for x in begun)

    def _place(self, side: int, update: _Update) -> Place:
        run, value = self.runs[side], update.after[side]
        array = (update.ours, update.theirs)[side]
        values = _made_by(run, value)
        stack = next((v.stack for v in values if v.stack), value.stack)
        names = tuple(dict.fromkeys(v.name for v in values))
        return Place(
            self.titles[side],
            stack,
            (update.pair.first, update.pair.second)[side],
            shortened(list(names)),
            f"update {described(replace(value, array=array))}",
        )


def _made_by(run: Recording, value: Value) -> list[Value]:
    """What computes a parameter from its gradient, in order."""
    size, found, pending = value.array.size, {value.index}, [value.index]
    while pending:
        for i in run.values[pending.pop()].parents:
            parent = run.values[i]
            if i not in found and parent.stage == Stage.UPDATE and parent.array.size == size:
                found.add(i)
                pending.append(i)
    return [run.values[i] for i in sorted(found)]
