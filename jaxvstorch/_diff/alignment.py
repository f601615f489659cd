"""Which values of one run have a counterpart in the other.

The second run gets the first one's numbers wherever the two agree but for roundings. So roundings
do not add up, and each operation of the second is judged on the first one's own numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jaxvstorch._diff.numbers import (
    Layout,
    Summaries,
    allowed_for,
    distance,
    find_layout,
    sorted_numbers,
)
from jaxvstorch._diff.operations import takes_part
from jaxvstorch._diff.recording import (
    Array,
    Kind,
    Recording,
    Stage,
    Value,
    eps_of,
)

_EQUAL = 1e-14
_FINE = 1e-10  # a distance within which other values do not lie
_CANCELLED = 1e-5  # a sum that is this much smaller than its terms holds only roundings
_MOST_LOST = 100.0

# Operations that change only the shape or the dtype.
TRANSPARENT = {
    "_conj", "_reshape_alias", "_to_copy", "_unsafe_view", "alias", "broadcast_in_dim", "clone",
    "contiguous", "convert_element_type", "copy", "copy_", "copy_p", "detach", "expand",
    "expand_dims", "flatten", "lift_fresh", "lift_fresh_copy", "optimization_barrier", "permute",
    "ravel", "reduce_precision", "reshape", "squeeze", "stop_gradient", "t", "to", "transpose",
    "unflatten", "unsqueeze", "view", "x[i]",
}  # fmt: skip
_LARGE = 1 << 18  # elements
_SUMS = {
    "add", "add_any", "addmm", "convolution", "dot_general", "mean", "mm", "bmm", "reduce_sum",
    "rsub", "sub", "sum",
}  # fmt: skip


@dataclass(frozen=True)
class Counterpart:
    """What a value of the second run has in the first.

    Attributes:
        index: of the first run's value.
        layout: how that lies in the second's; None where the same numbers are in another order,
            which no turn of the axes gives.
    """

    index: int
    layout: Layout | None


class First:
    """The first run, prepared for finding counterparts; values with equal numbers are a class."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.classes: list[int] = []  # of each value: the first value with its numbers
        self._summaries = Summaries()
        self._sorted: dict[int, Array | None] = {}
        self.precise_to = max((v.precise_to for v in recording.values), default=0.0)
        for value in recording.values:
            if is_turned(recording, value):
                self.classes.append(self.classes[value.parents[0]])
                continue
            # Not by its precision: `x + eps` is another value than `x`, also where that is coarse.
            same = self._find(value.array, _EQUAL)
            self.classes.append(value.index if same is None else self.classes[same.index])
            if same is None:
                self._summaries.add(value.index, value.array)

    def find(self, value: Value, eps: float, exact: set[int]) -> Counterpart | None:
        """The counterpart of a value of the second run.

        Args:
            value: the value.
            eps: how precise it is.
            exact: the classes of which the second run has the very numbers.
        """
        return self._find(value.array, allowed_for(eps), exact)

    def _find(
        self, array: Array, allowed: float, exact: set[int] | None = None
    ) -> Counterpart | None:
        widest = allowed if exact is None else max(allowed, allowed_for(self.precise_to))
        near = self._summaries.near(array, widest)
        limits = dict.fromkeys(near, allowed)
        if exact is not None:
            limits = {i: max(allowed, allowed_for(self._precision(i, exact))) for i in near}
        best: tuple[float, Counterpart] | None = None
        for i in near:
            layout = find_layout(self._array(i), array, limits[i])
            if layout is not None:
                # With few digits, an operation that hardly changes a number, as `+ eps`, fits too.
                gap = distance(layout(self._array(i)), array) if limits[i] > _FINE else 0.0
                if best is None or gap < best[0]:
                    best = gap, Counterpart(i, layout)
                if gap == 0.0:
                    break
        if best is not None:
            return best[1]
        if exact is None or not near or (ours := sorted_numbers(array)) is None:
            return None
        for i in near:
            if i not in self._sorted:
                theirs = sorted_numbers(self._array(i))
                moved = None if theirs is None else self.recording.storage.moved(theirs)
                self._sorted[i] = theirs if moved is None else moved
            theirs = self._sorted[i]
            if theirs is not None and distance(theirs, ours) <= limits[i]:
                return Counterpart(i, None)
        return None

    def _precision(self, index: int, exact: set[int]) -> float:
        value = self.recording.values[index]
        if value.precise_to <= eps_of(value.array):
            return value.precise_to
        return self.recording.precision_after(index, lambda i: self.classes[i] in exact)

    def _array(self, index: int) -> Array:
        return self.recording.values[index].array


@dataclass
class Alignment:
    """A visit of the second run that finds each value's counterpart.

    Attributes:
        first: the first run.
        substitutes: numbers for values of the second run, by index.
        working: the ``eps`` of the dtype that the second side is meant to compute in: narrower
            numbers are no counterpart.
        counterparts: by index of the second's values.
        changed: what the second run went on with, where that was other numbers.
        exact: the second's values that have the first's very numbers.
        base: of an earlier run, which this one repeats up to ``start``.
    """

    first: First
    substitutes: Mapping[int, Array] = field(default_factory=dict)
    working: float = 0.0
    base: "Alignment | None" = None
    start: int = 0
    counterparts: dict[int, Counterpart] = field(default_factory=dict)
    changed: dict[int, Array] = field(default_factory=dict)
    exact: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.base is not None:
            before = self.base.counterparts.items()
            self.counterparts = {i: counterpart for i, counterpart in before if i < self.start}
            changed = self.base.changed.items()
            self.changed = {i: change for i, change in changed if i < self.start}
            self.exact = {i for i in self.base.exact if i < self.start}
        classes = self.first.classes
        found = self.counterparts.items()
        self._exact_classes = {classes[c.index] for i, c in found if i in self.exact}

    def __call__(self, recording: Recording, value: Value) -> Array | None:
        """Find the counterpart of one value."""
        i = value.index
        if self.base is not None and i < self.start:
            return self._change(recording, value, self.changed.get(i))
        if i in self.substitutes:
            return self._take(recording, value, self.substitutes[i])
        if value.array.size > _LARGE and is_turned(recording, value):
            return None  # it has what its parent has
        eps = min(value.precise_to, self.working) * _loss(recording, value)
        counterpart = self.first.find(value, eps, self._exact_classes)
        if counterpart is None:
            if value.kind == Kind.WEIGHT and eps_of(value.array):
                # Perhaps computed from several of the first's, in its own dtype.
                recording.substitute(value, value.array, max(value.precise_to, self.working))
            return None
        self.counterparts[i] = counterpart
        theirs = self.first.recording.values[counterpart.index]
        if counterpart.layout is None or value.array.dtype.kind in "biu":
            return None
        change = self._take(recording, value, counterpart.layout(theirs.array))
        if i in self.exact:
            self._exact_classes.add(self.first.classes[counterpart.index])
        return change

    def _take(self, recording: Recording, value: Value, numbers: Array) -> Array | None:
        """Go on with the first's numbers."""
        cast = numbers.astype(value.array.dtype, copy=False)
        if eps_of(cast) <= eps_of(numbers):
            self.exact.add(value.index)
        return self._change(recording, value, cast)

    def _change(self, recording: Recording, value: Value, numbers: Array | None) -> Array | None:
        if numbers is not None:
            self.changed[value.index] = numbers
        if numbers is not None or value.index in self.exact:
            eps = 0.0 if value.index in self.exact else eps_of(value.array)
            recording.substitute(value, value.array if numbers is None else numbers, eps)
        return numbers


def is_turned(recording: Recording, value: Value) -> bool:
    """Whether a value has the numbers of its only parent, in another layout."""
    if value.name not in TRANSPARENT or len(value.parents) != 1:
        return False
    before = recording.values[value.parents[0]].array
    return before.size == value.array.size and before.dtype == value.array.dtype


def tells(recording: Recording, value: Value) -> bool:
    """Whether it tells something that a value has no counterpart.

    Few numbers, masks, what depends on no input, and sums that cancel tell nothing.
    """
    return value.fed and not value.is_plain and not cancels(recording, value)


def _loss(recording: Recording, value: Value) -> float:
    """How much less precise a sum is than its terms, as the larger of these cancel."""
    is_sum = value.name in ("mean", "reduce_sum", "sum") and value.parents
    if not is_sum or value.array.dtype.kind not in "fc":
        return 1.0
    whole, top = value.largest, recording.values[value.parents[0]].largest
    return min(max(1.0, top / whole), _MOST_LOST) if whole else 1.0


def cancels(recording: Recording, value: Value) -> bool:
    """Whether a value is a sum that is so much smaller than its terms that it is only roundings."""
    while value.name in TRANSPARENT and len(value.parents) == 1:
        value = recording.values[value.parents[0]]
    if value.name not in _SUMS or value.array.dtype.kind not in "fc":
        return False
    terms = [recording.values[i] for i in value.parents]
    top = max((term.largest for term in terms), default=0.0)
    return value.largest < _CANCELLED * top or (len(terms) == 1 and cancels(recording, terms[0]))


class Status:
    """For each value of a run, whether it has a counterpart.

    Attributes:
        has: by index; a value that only lies or rounds differently has what its parents have.
        lost: by index; whether its numbers are missing in the other run, and that tells something.
        harmless: the lost ones from which something is computed that the other run has too.
    """

    def __init__(
        self, recording: Recording, matched: set[int], working: float, *, forward: bool = False
    ) -> None:
        """``forward`` is whether everything of the forward pass counts as matched."""
        self.recording = recording
        self.has: list[bool] = []
        self.lost: list[bool] = []
        for value in recording.values:
            is_narrow = eps_of(value.array) > max(
                working, *(eps_of(recording.values[i].array) for i in value.parents), 0.0
            )
            carried = bool(value.parents) and value.name in TRANSPARENT and not is_narrow
            has = value.index in matched or (forward and value.stage == Stage.FORWARD)
            has = has or (carried and all(self.has[i] for i in value.parents))
            self.has.append(has)
            is_result = value.kind == Kind.RESULT  # a weight is lost by the operation on it
            self.lost.append(not has and is_result and tells(recording, value))
        self.harmless: set[int] = set()
        for index in matched:
            value = recording.values[index]
            if value.call is None or takes_part(value):
                continue  # it may not depend on all of its parents, as a view of a changed tensor
            size = value.array.size  # a mean, say, tells little of its operand
            before = {
                v.index
                for v in self._unmatched_ancestors(index)
                if self.lost[v.index] and v.array.size <= size
            }
            if before - self.harmless and tells(recording, value):
                self.harmless |= before

    def frontier(self, output: int) -> list[Value]:
        """The lost values nearest to the inputs from which the output comes."""
        if self.has[output]:  # the other side has it, but does not return it here
            return [self.recording.values[output]]
        lost, pending = set[int](), {output}
        while pending:
            index = pending.pop()
            lost.add(index)
            parents = self.recording.values[index].parents
            pending |= {i for i in parents if not self.has[i]} - lost
        return self._nearest(lost, output, self.harmless) or self._nearest(lost, output, set())

    def _nearest(self, among: set[int], output: int, without: set[int]) -> list[Value]:
        first = []
        for index in sorted(among):
            if (self._is_lost(index, without) or index == output) and not any(
                self._is_lost(v.index, without) for v in self._unmatched_ancestors(index)
            ):
                first.append(self.recording.values[index])
        nothing = [v.index for v in first] == [output] and not self._is_lost(output, without)
        return [] if without and nothing else first

    def _is_lost(self, index: int, without: set[int]) -> bool:
        return self.lost[index] and index not in without

    def _unmatched_ancestors(self, index: int) -> list[Value]:
        """The values without a counterpart that lead to one, from values that have one."""
        seen, pending = set[int](), set(self.recording.values[index].parents)
        while pending:
            i = pending.pop()
            if i in seen or self.has[i]:
                continue
            seen.add(i)
            pending |= set(self.recording.values[i].parents)
        return [self.recording.values[i] for i in sorted(seen)]

    def between(self, index: int) -> list[Value]:
        """A value, and what leads to it from values that have a counterpart, in order."""
        if self.has[index]:
            return [self.recording.values[index]]
        return [*self._unmatched_ancestors(index), self.recording.values[index]]

    def begins(self, value: Value) -> Value | None:
        """Where an operand without a counterpart begins that depends on no input: a mask, say."""
        values = self.recording.values
        pending, seen = set(value.parents), set[int]()
        while pending:
            i = pending.pop()
            if i not in seen and not self.has[i] and not values[i].fed:
                seen.add(i)
                pending |= set(values[i].parents)
        return values[min(seen)] if seen else None
