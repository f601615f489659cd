"""Finds each place where two runs part, and goes on behind it with the first one's numbers."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from jaxvstorch._diff.alignment import Alignment, First
from jaxvstorch._diff.candidates import Candidates, kind_of
from jaxvstorch._diff.numbers import Layout, allowed_for, distance, find_layout
from jaxvstorch._diff.operations import TRANSPARENT
from jaxvstorch._diff.recording import Array, Recording, Stage, Value
from jaxvstorch._diff.relations import factor_or_offset
from jaxvstorch._diff.side import Inputs, Side, Visit, keep
from jaxvstorch._diff.status import Status, cancels, tells

MOST = 50  # differences of one search
_AHEAD = 4  # values behind a substitute that show whether it is the right one
_MOST_AHEAD = 0.7  # of the values behind a pair: above it they correspond


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
        self.carried: dict[int, Array] = {}  # weights of the second side with the first's numbers
        self.given_classes: set[int] = set()  # of values that the second side was given
        self.begin()

    def begin(self) -> None:
        """Run the second side with what is given."""
        self.substitutes = dict(self.given)
        self.alignment, self.second = self._align()
        outputs = self.first.recording.outputs, self.second.outputs
        if len(outputs[0]) != len(outputs[1]):
            first, second = (
                ", ".join(out.place or "an array" for out in given) or "none" for given in outputs
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
        for i, j in self._output_pairs():
            counterpart = self.alignment.counterparts.get(j)
            same = counterpart is not None and (
                self._class(counterpart.index) == self._class(i) or self._have_same(i, j)
            )
            is_gradient = self.first.recording.values[i].stage != Stage.FORWARD
            if self.is_zero_in_second(i, j) or (self.forward_only and is_gradient):
                continue
            if not (same or self._is_substituted(j, i) or self.are_roundings(i, j)):
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
        values = self.first.recording.values
        forward = wrong is not None and values[wrong[0]].stage != Stage.FORWARD
        return (
            Status(self.first.recording, ours, self.working, forward=forward),
            Status(self.second, theirs, self.working, forward=forward),
        )

    def _output_pairs(self) -> list[tuple[int, int]]:
        pairs = zip(self.first.recording.outputs, self.second.outputs, strict=True)
        return [(one.index, other.index) for one, other in pairs if not one.is_update]

    def _class(self, index: int) -> int:
        return self.first.classes[index]

    def are_roundings(self, i: int, j: int) -> bool:
        """Whether both are sums that cancel, as the gradient of a bias before a norm."""
        first, second = self.first.recording, self.second
        return cancels(first, first.values[i]) and cancels(second, second.values[j])

    def _have_same(self, i: int, j: int) -> bool:
        t, s = self.first.recording.values[i], self.second.values[j]
        allowed = allowed_for(max(t.precise_to, min(s.precise_to, self.working)))
        return find_layout(t.array, s.array, allowed) is not None

    def is_in_place(self, t: Value, s: Value) -> bool:
        """Whether outputs of one shape that are the same have each number in the same place."""
        allowed = allowed_for(max(t.precise_to, min(s.precise_to, self.working)))
        known = self.is_zero_in_second(t.index, s.index) or self.are_roundings(t.index, s.index)
        known = known or self._is_substituted(s.index, t.index)
        return known or distance(t.array, s.array) <= allowed

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
        candidates = Candidates(
            self.first,
            self.second,
            self.alignment,
            self.given_classes,
            self.working,
            self._seen,
        )
        start = candidates.beside(first, theirs.frontier(j))
        best: tuple[float, Value, Value, Layout] | None = None
        for t, s, layout in candidates.all(ours, theirs, first, start):
            is_simple = t is first and s is start and _simply(t, s, layout)
            # Then they correspond, whatever parts behind them.
            is_pair = is_simple or self._are_outputs(t, s)
            share = 1.0 if is_pair else self._share_ahead(s, t, layout)
            if best is None or share > best[0]:
                best = share, t, s, layout
            if share > _MOST_AHEAD:
                break
        if best is None or best[0] < 0.5:
            return Parting([first], [start], None, first, start)
        _, t, s, layout = best
        self._seen.add(kind_of(t, s))
        return Parting(ours.between(t.index), theirs.between(s.index), layout, first, start)

    def agrees(self, s: Value, t: Value, layout: Layout) -> bool:
        """Whether the runs agree behind a value of the second side with the first's numbers."""
        return self._share_ahead(s, t, layout) > _MOST_AHEAD

    def _ahead(self, t: Value) -> frozenset[int]:
        """The classes of the first side's values that depend on one, but of none before it."""
        values, reached = self.first.recording.values, {t.index}
        for value in values[t.index + 1 :]:
            if reached & set(value.parents):
                reached.add(value.index)
        before = {self._class(v.index) for v in values[: t.index + 1]}
        return frozenset({self._class(i) for i in reached} - before)

    def _are_outputs(self, t: Value, s: Value) -> bool:
        outputs = {j: i for i, j in self._output_pairs()}
        return s.index in outputs and self._class(outputs[s.index]) == self._class(t.index)

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
        with suppress(_SeenEnoughError):
            self._run_second(trial, self.second, s.index)
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


def _simply(t: Value, s: Value, layout: Layout) -> bool:
    """Whether one value is the other times or plus a number."""
    return bool(factor_or_offset(s.array, layout(t.array), allowed_for(t.precise_to)))
