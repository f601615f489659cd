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
from jaxvstorch._diff.operations import TRANSPARENT
from jaxvstorch._diff.recording import Array, Kind, Recording, Value, eps_of

_EQUAL = 1e-14
_FINE = 1e-10  # a distance within which other values do not lie
_MOST_LOST = 100.0
_LARGE = 1 << 18  # elements


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


def _loss(recording: Recording, value: Value) -> float:
    """How much less precise a sum is than its terms, as the larger of these cancel."""
    is_sum = value.name in ("mean", "reduce_sum", "sum") and value.parents
    if not is_sum or value.array.dtype.kind not in "fc":
        return 1.0
    whole, top = value.largest, recording.values[value.parents[0]].largest
    return min(max(1.0, top / whole), _MOST_LOST) if whole else 1.0
