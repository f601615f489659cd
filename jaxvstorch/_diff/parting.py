"""Finds each place where two runs part, and goes on behind it with the first one's numbers."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, islice

import numpy as np

from jaxvstorch._diff.alignment import TRANSPARENT, Alignment, First, Status, cancels, tells
from jaxvstorch._diff.numbers import Layout, allowed_for, largest, possible_layouts, sample, widened
from jaxvstorch._diff.recording import Array, Recording, Value, eps_of, is_plain
from jaxvstorch._diff.relations import factor_or_offset
from jaxvstorch._diff.side import Inputs, Side, Visit, keep

MOST = 50  # differences of one search
_AHEAD = 4  # values behind a substitute that show whether it is the right one
_TRIES = 40
_REACH = 24  # values of either side behind its first lost one that may correspond
_SAMPLE = 2048


class _SeenEnoughError(Exception):
    """A trial has seen what it needs."""


@dataclass(frozen=True)
class Parting:
    """A place where the runs part.

    Attributes:
        first: the operations of the first side from what both have on to the value that the second
            side's should have been; the last one is that value. Where the second side does more
            than the first, it is only that value.
        second: the same of the second side.
        layout: how the first side's value lies in the second's.
        start: the first side's value whose numbers the second side lacks first.
        start_second: the second side's value without a counterpart that comes first.
    """

    first: list[Value]
    second: list[Value]
    layout: Layout | None
    start: Value
    start_second: Value


@dataclass
class Search:
    """The search for the partings of two sides.

    Attributes:
        sides: the two.
        inputs: of both.
        wide: whether they run in float64.
        working: the ``eps`` of the dtype that the second side is meant to compute in.
        gradients: for either side, the names of the weights and inputs with respect to which the
            gradients are compared too, in the same order.
        given: substitutes to begin with, such as weights that are carried over.
    """

    sides: tuple[Side, Side]
    inputs: Inputs
    wide: bool
    working: float
    gradients: tuple[Sequence[str], Sequence[str]] = ((), ())
    given: dict[int, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        first, _ = self.sides
        self.first = First(first.run(self.inputs, keep, wide=self.wide, gradient=self.gradients[0]))
        self._seen: set[object] = set()
        self.forward_only = False  # whether gradients are looked at no more
        self.given_classes: set[int] = set()  # of values that the second side was given
        self.begin()

    def begin(self) -> None:
        """Run the second side with what is given."""
        self.substitutes = dict(self.given)
        self.alignment, self.second = self._align()
        outputs = self.first.recording.outputs, self.second.outputs
        if len(outputs[0]) != len(outputs[1]):
            first, second = (
                ", ".join(place or "an array" for place, _ in given) or "none" for given in outputs
            )
            raise ValueError(
                f"the first side returns {len(outputs[0])} arrays ({first}) and the second "
                f"{len(outputs[1])} ({second}): let both return the same, in the same order"
            )

    def partings(self) -> Iterator[Parting]:
        """The partings, in the order of the run; ``go_on`` is called with each before the next."""
        for _ in range(MOST):
            wrong = self.wrong_output()
            if wrong is None:
                return
            parting = self._part(*wrong)
            ends = parting.layout is None or parting.second[-1].index in self.substitutes
            yield parting
            if ends:
                return

    def give(self, t: Value, s: Value, layout: Layout) -> None:
        """Let the second side have the first's numbers from its next run on."""
        self.given[s.index] = layout(t.array).astype(s.array.dtype)
        self.given_classes.add(self._class(t.index))

    def go_on(self, parting: Parting) -> None:
        """Give the second side the first's numbers where they part, if that can be done."""
        first, second = parting.first[-1], parting.second[-1]
        if parting.layout is not None and second.index not in self.substitutes:
            self.given_classes.add(self._class(first.index))
            self._substitute(second, parting.layout(first.array))

    def wrong_output(self) -> tuple[int, int] | None:
        """The first output of both sides that is not the same."""
        places = [place for place, _ in self.first.recording.outputs]
        for place, (i, j) in zip(places, self._output_pairs(), strict=True):
            counterpart = self.alignment.counterparts.get(j)
            same = counterpart is not None and self._class(counterpart.index) == self._class(i)
            if self.is_zero_in_second(i, j) or (self.forward_only and place.startswith("gradient")):
                continue
            if not (same or self._is_substituted(j, i) or self._are_roundings(i, j)):
                return i, j
        return None

    def is_zero_in_second(self, i: int, j: int) -> bool:
        """Whether an output is 0 everywhere on the second side alone, as a stopped gradient is."""
        ours, theirs = self.first.recording.values[i].array, self.second.values[j].array
        return theirs.size > 0 and not theirs.any() and bool(ours.any())

    def statuses(self) -> tuple[Status, Status]:
        """What has a counterpart in either run."""
        matched = {self._class(c.index) for c in self.alignment.counterparts.values()}
        matched |= self.given_classes
        ours = {v.index for v in self.first.recording.values if self._class(v.index) in matched}
        theirs = {*self.alignment.counterparts, *self.substitutes}
        # Once the forward pass agrees, what is its own on either side is no difference.
        wrong = self.wrong_output()
        forward = bool(self.gradients[0]) and wrong is not None
        forward = forward and wrong not in self._output_pairs()[: -len(self.gradients[0])]
        return (
            Status(self.first.recording, ours, self.working, forward=forward),
            Status(self.second, theirs, self.working, forward=forward),
        )

    def _output_pairs(self) -> list[tuple[int, int]]:
        pairs = zip(self.first.recording.outputs, self.second.outputs, strict=True)
        return [(i, j) for (_, i), (_, j) in pairs]

    def _class(self, index: int) -> int:
        return self.first.classes[index]

    def _are_roundings(self, i: int, j: int) -> bool:
        """Whether both are sums that cancel, as the gradient of a bias before a norm."""
        first, second = self.first.recording, self.second
        return cancels(first, first.values[i]) and cancels(second, second.values[j])

    def _is_substituted(self, j: int, i: int) -> bool:
        values = self.first.recording.values
        return j in self.substitutes and self.substitutes[j].size == values[i].array.size

    def _align(self, base: Alignment | None = None, start: int = 0) -> tuple[Alignment, Recording]:
        alignment = Alignment(self.first, self.substitutes, self.working, base=base, start=start)
        earlier = self.second if base is not None else None
        second = self._run_second(alignment, earlier, start)
        return alignment, second

    def _run_second(self, visit: Visit, base: Recording | None, start: int) -> Recording:
        return self.sides[1].run(
            self.inputs,
            visit,
            wide=self.wide,
            base=base,
            start=start,
            gradient=self.gradients[1],
        )

    def _substitute(self, value: Value, numbers: Array) -> None:
        self.substitutes[value.index] = numbers.astype(value.array.dtype)
        self.alignment, self.second = self._align(self.alignment, value.index)

    def _part(self, i: int, j: int) -> Parting:
        ours, theirs = self.statuses()
        first = ours.frontier(i)[0]
        start = self._beside(first, theirs.frontier(j))
        best: tuple[float, Value, Value, Layout] | None = None
        candidates = self._candidates(ours, theirs, first, start)
        for t, s, layout in chain(
            islice(candidates, _TRIES), self._skipped(ours, theirs, first, start)
        ):
            if t is first and s is start and _simply(t, s, layout):
                share = 1.0  # whatever parts behind it
            else:
                share = self._share_ahead(s, t, layout)
            if best is None or share > best[0]:
                best = share, t, s, layout
            if share > 0.7:
                break
        if best is None or best[0] < 0.5:
            return Parting([first], [start], None, first, start)
        _, t, s, layout = best
        self._seen.add(_kind(t, s))
        return Parting(ours.between(t.index), theirs.between(s.index), layout, first, start)

    def _beside(self, first: Value, frontier: list[Value]) -> Value:
        """Of the second side's frontier, the value that shares most operands with the first's."""

        def shared(value: Value) -> int:
            found = {
                self._class(self.alignment.counterparts[v.index].index)
                for v in self._nearest_matched(value)
            }
            return len(found & {self._class(p) for p in self._nearest_of_first(first)})

        return max(frontier, key=lambda value: (shared(value), -value.index))

    def _nearest_matched(self, value: Value) -> list[Value]:
        """The nearest values with a counterpart that lead to one."""
        pending, seen, found = list(value.parents), set[int](), []
        while pending:
            index = pending.pop()
            if index in seen:
                continue
            seen.add(index)
            if index in self.alignment.counterparts:
                found.append(self.second.values[index])
            else:
                pending += self.second.values[index].parents
        return found

    def _nearest_of_first(self, value: Value) -> list[int]:
        matched = {self._class(c.index) for c in self.alignment.counterparts.values()}
        matched |= self.given_classes
        pending, seen, found = list(value.parents), set[int](), []
        while pending:
            index = pending.pop()
            if index in seen:
                continue
            seen.add(index)
            if self._class(index) in matched:
                found.append(index)
            else:
                pending += self.first.recording.values[index].parents
        return found

    def _candidates(
        self, ours: Status, theirs: Status, first: Value, start: Value
    ) -> Iterator[tuple[Value, Value, Layout]]:
        """Values that may correspond: the shortest way from where the runs part comes first."""
        pairs = []
        for n, t in self._reached(ours, first):
            for m, s in self._reached(theirs, start):
                # One of the two may be what both have before one side does more.
                skips = (n < 0) + (m < 0)
                # Numbers in a narrower dtype would not be the first's.
                is_exact = eps_of(s.array) <= max(self.working, eps_of(t.array))
                is_pair = t.array.size == s.array.size and t.backward == s.backward
                if is_pair and skips < 2 and is_exact:
                    pairs.append((max(n, 0) + max(m, 0) + skips / 2, t, s))
        # What corresponded once likely does again, as in the next layer.
        for _, t, s in sorted(pairs, key=lambda row: (_kind(*row[1:]) not in self._seen, row[0])):
            for layout in self._layouts(t, s):
                yield t, s, layout

    def _skipped(
        self, ours: Status, theirs: Status, first: Value, start: Value
    ) -> Iterator[tuple[Value, Value, Layout]]:
        """Values that correspond where one side leaves out many operations, such as a layer."""
        for given, status, is_first in ((start, ours, True), (first, theirs, False)):
            other = theirs if is_first else ours
            ranked = []
            for index in given.parents:
                value = other.recording.values[index]
                if not other.has[index] or is_plain(value.array):
                    continue
                for lost in status.recording.values:
                    is_pair = lost.array.size == value.array.size
                    if status.lost[lost.index] and is_pair and lost.backward == value.backward:
                        t, s = (lost, value) if is_first else (value, lost)
                        if (found := self._best_layout(t, s)) is not None:
                            ranked.append((-found[0], t, s, found[1]))
            for _, t, s, layout in sorted(ranked, key=lambda row: row[0])[:_TRIES]:
                yield t, s, layout

    def _reached(self, status: Status, start: Value) -> list[tuple[float, Value]]:
        """The values that lead to a start, as -1, and what it leads to, counted from 0."""
        values = status.recording.values
        found = [(-1.0, values[i]) for i in dict.fromkeys(start.parents) if status.has[i]]
        reached, steps = {start.index}, 0
        lines = {_site(start): 0}  # what one line does is one step
        for value in values[start.index :]:
            if value.index not in reached and not reached & set(value.parents):
                continue
            if status.has[value.index]:
                continue
            reached.add(value.index)
            if status.lost[value.index] or value.index == start.index:
                site = lines.setdefault(_site(value), len(lines))
                found.append((site + steps / 1000, value))
                steps += 1
            if steps >= _REACH:
                break
        return found

    def _layouts(self, t: Value, s: Value) -> list[Layout]:
        """How the first's value may lie in the second's: as others do, or as it fits best."""
        shapes = t.array.shape, s.array.shape
        usual = Counter(
            c.layout
            for j, c in self.alignment.counterparts.items()
            if c.layout is not None
            and self.second.values[j].array.shape == shapes[1]
            and self.first.recording.values[c.index].array.shape == shapes[0]
        )
        found = [layout for layout, _ in usual.most_common(1)]
        best = self._best_layout(t, s)
        if shapes[0] == shapes[1]:
            found.append(Layout(tuple(range(len(shapes[0]))), shapes[0]))
        return list(dict.fromkeys([*found, *([best[1]] if best else [])]))

    def _best_layout(self, t: Value, s: Value) -> tuple[float, Layout] | None:
        """How the first's value most likely lies in the second's, and how alike they are then."""
        best: tuple[float, Layout] | None = None
        for layout in possible_layouts(t.array.shape, s.array.shape):
            likeness = _cosine(*map(_centred, sample(t.array, s.array, layout, _SAMPLE)))
            if best is None or likeness > best[0] + 1e-6:
                best = likeness, layout
        return best

    def _ahead(self, t: Value) -> frozenset[int]:
        """The classes of the first side's values that depend on one, but of none before it."""
        values, reached = self.first.recording.values, {t.index}
        for value in values[t.index + 1 :]:
            if reached & set(value.parents):
                reached.add(value.index)
        before = {self._class(v.index) for v in values[: t.index + 1]}
        return frozenset({self._class(i) for i in reached} - before)

    def _share_ahead(self, s: Value, t: Value, layout: Layout) -> float:
        """How many of the next values that depend on a substitute have a counterpart with it."""
        numbers = layout(t.array).astype(s.array.dtype)
        trial = _Trial(
            self.first,
            {**self.substitutes, s.index: numbers},
            self.working,
            base=self.alignment,
            start=s.index,
        )
        trial.ahead = self._ahead(t)
        outputs = {j: i for i, j in self._output_pairs()}
        with suppress(_SeenEnoughError):
            self._run_second(trial, self.second, s.index)
        if s.index in outputs and self._class(outputs[s.index]) == self._class(t.index):
            return 1.0
        return trial.matched / trial.seen if trial.seen else 0.0


class _Trial(Alignment):
    """A run with a substitute, as far as it takes to see whether the runs agree behind it.

    Attributes:
        ahead: the first run's values that depend on the substitute; another that happens to have
            the same numbers does not count.
    """

    ahead: frozenset[int] = frozenset()
    seen = matched = 0

    def __call__(self, recording: Recording, value: Value) -> Array | None:
        """Count the values that depend on the substitute."""
        change = super().__call__(recording, value)
        if value.index == self.start:
            self._depend = {value.index}
        elif value.index > self.start and self._depend & set(value.parents):
            self._depend.add(value.index)
            if tells(recording, value) and value.name not in TRANSPARENT:
                self.seen += 1
                found = self.counterparts.get(value.index)
                self.matched += found is not None and found.index in self.ahead
                if self.seen >= _AHEAD:
                    raise _SeenEnoughError
        return change


def _site(value: Value) -> object:
    """What one step is made of: the operations of one line, or the steps of one operation."""
    return value.stack, value.module


def _simply(t: Value, s: Value, layout: Layout) -> bool:
    """Whether one value is the other times or plus a number."""
    return bool(factor_or_offset(s.array, layout(t.array), allowed_for(t.precise_to)))


def _kind(t: Value, s: Value) -> object:
    """What is alike in two values that correspond, and in those of another layer."""
    return t.name, t.line, s.name, s.line


def _centred(numbers: Array) -> Array:
    wide = np.real(widened(numbers)).astype(np.float64)
    far = 2 * largest(wide) + 1
    wide = np.nan_to_num(wide, posinf=far, neginf=-far)
    centred: Array = wide - wide.mean()
    return centred


def _cosine(one: Array, other: Array) -> float:
    norms = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / norms if norms else 0.0
