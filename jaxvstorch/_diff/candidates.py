"""Values of two runs that may correspond behind the place where the runs part."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from jaxvstorch._diff.alignment import Alignment, First
from jaxvstorch._diff.numbers import Layout, largest, possible_layouts, sample, widened
from jaxvstorch._diff.recording import Array, Recording, Value, eps_of
from jaxvstorch._diff.status import Status

TRIES = 40
_REACH = 24  # values of either side behind its first lost one that may correspond
_SAMPLE = 2048
_ALIKE = 0.999


@dataclass(frozen=True)
class Candidates:
    """Where values of two runs may correspond.

    Attributes:
        first: the first run.
        second: the second one.
        alignment: of the two.
        given: the classes of the first's values that the second run was given.
        working: the ``eps`` of the dtype that the second side is meant to compute in.
        kinds: of values that corresponded before, as in another layer.
    """

    first: First
    second: Recording
    alignment: Alignment
    given: set[int]
    working: float
    kinds: set[object]

    def _class(self, index: int) -> int:
        return self.first.classes[index]

    def beside(self, first: Value, frontier: list[Value]) -> Value:
        """Of the second side's frontier, the value that shares most operands with the first's."""

        def shared(value: Value) -> int:
            found = {
                self._class(self.alignment.counterparts[j].index)
                for j in self._nearest_matched(value)
            }
            return len(found & {self._class(p) for p in self._nearest_of_first(first)})

        return max(frontier, key=lambda value: (shared(value), -value.index))

    def _nearest_matched(self, value: Value) -> list[int]:
        """The nearest values of the second run with a counterpart that lead to one."""
        return _nearest(self.second, value, self.alignment.counterparts.__contains__)

    def _nearest_of_first(self, value: Value) -> list[int]:
        matched = {self._class(c.index) for c in self.alignment.counterparts.values()} | self.given
        return _nearest(self.first.recording, value, lambda i: self._class(i) in matched)

    def all(
        self, ours: Status, theirs: Status, first: Value, start: Value
    ) -> Iterator[tuple[Value, Value, Layout]]:
        """Values that may correspond, the likeliest first."""
        near = self._near(ours, theirs, first, start)
        yield from islice(self._lying(near), TRIES)
        yield from self._far(ours, theirs, first, start)
        # Two approximations of one function of each number, however long they are written.
        yield from self._lying(
            (t, s)
            for t, s in near
            if self._is_alike(t, s)
            and None is not self._argument(ours, t, self._class)
            and self._argument(ours, t, self._class)
            == self._argument(theirs, s, self._class_of_second)
        )

    def _near(
        self, ours: Status, theirs: Status, first: Value, start: Value
    ) -> list[tuple[Value, Value]]:
        """The shortest way from where the runs part comes first."""
        pairs = []
        for n, t in self._reached(ours, first):
            for m, s in self._reached(theirs, start):
                # One of the two may be what both have before one side does more.
                skips = (n < 0) + (m < 0)
                # Numbers in a narrower dtype would not be the first's.
                is_exact = eps_of(s.array) <= max(self.working, eps_of(t.array))
                is_pair = t.array.size == s.array.size and t.stage == s.stage
                if is_pair and skips < 2 and is_exact:
                    pairs.append((max(n, 0) + max(m, 0) + skips / 2, t, s))
        # What corresponded once likely does again, as in the next layer.
        pairs.sort(key=lambda row: (kind_of(*row[1:]) not in self.kinds, row[0]))
        return [(t, s) for _, t, s in pairs]

    def _lying(self, pairs: Iterable[tuple[Value, Value]]) -> Iterator[tuple[Value, Value, Layout]]:
        """Pairs, with each way in which the first's value may lie in the second's."""
        for t, s in pairs:
            for layout in self._layouts(t, s):
                yield t, s, layout

    def _far(
        self, ours: Status, theirs: Status, first: Value, start: Value
    ) -> Iterator[tuple[Value, Value, Layout]]:
        """Values that correspond where one side leaves out many operations, such as a layer."""
        for given, status, is_first in ((start, ours, True), (first, theirs, False)):
            other = theirs if is_first else ours
            ranked = []
            for index in given.parents:
                value = other.recording.values[index]
                if not other.has[index] or value.is_plain:
                    continue
                for lost in status.recording.values:
                    is_pair = lost.array.size == value.array.size
                    if status.lost[lost.index] and is_pair and lost.stage == value.stage:
                        t, s = (lost, value) if is_first else (value, lost)
                        if (found := self._best_layout(t, s)) is not None:
                            ranked.append((-found[0], t, s, found[1]))
            for _, t, s, layout in sorted(ranked, key=lambda row: row[0])[:TRIES]:
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
            is_start = value.index == start.index
            if value.stage != start.stage or (status.has[value.index] and not is_start):
                continue
            reached.add(value.index)
            if status.lost[value.index] or is_start:
                site = lines.setdefault(_site(value), len(lines))
                found.append((site + steps / 1000, value))
                steps += 1
            if steps >= _REACH:
                break
        return found

    def _class_of_second(self, index: int) -> int:
        found = self.alignment.counterparts.get(index)
        return -1 if found is None else self._class(found.index)

    def _argument(self, status: Status, value: Value, class_of: Callable[[int], int]) -> int | None:
        """The class of the only array with a counterpart of which each number is a function."""
        values, between = status.recording.values, status.between(value.index)
        parents = {i for v in between for i in v.parents}
        found = {class_of(i) for i in parents if status.has[i] and not values[i].is_plain}
        is_of_each = all(v.array.size == value.array.size for v in between if v.fed)
        return found.pop() if len(found) == 1 and is_of_each else None

    def _is_alike(self, t: Value, s: Value) -> bool:
        """Whether the numbers are nearly proportional."""
        return any(
            self._likeness(t, s, layout) > _ALIKE
            for layout in (*self._usual_layout(t, s), *_as_it_is(t, s))
        )

    def _layouts(self, t: Value, s: Value) -> list[Layout]:
        """How the first's value may lie in the second's: as others do, or as it fits best."""
        best = self._best_layout(t, s)
        found = [*self._usual_layout(t, s), *_as_it_is(t, s), *([best[1]] if best else [])]
        return list(dict.fromkeys(found))

    def _usual_layout(self, t: Value, s: Value) -> list[Layout]:
        """How values of these shapes lie most often, if some do."""
        usual = self._usual.get((t.array.shape, s.array.shape))
        return [layout for layout, _ in usual.most_common(1)] if usual else []

    @cached_property
    def _usual(self) -> dict[object, Counter[Layout]]:
        found: dict[object, Counter[Layout]] = defaultdict(Counter)
        for j, c in self.alignment.counterparts.items():
            if c.layout is not None:
                shape = self.first.recording.values[c.index].array.shape
                found[shape, self.second.values[j].array.shape][c.layout] += 1
        return found

    def _likeness(self, t: Value, s: Value, layout: Layout) -> float:
        return _cosine(*map(_centred, sample(t.array, s.array, layout, _SAMPLE)))

    def _best_layout(self, t: Value, s: Value) -> tuple[float, Layout] | None:
        """How the first's value most likely lies in the second's, and how alike they are then."""
        best: tuple[float, Layout] | None = None
        for layout in possible_layouts(t.array.shape, s.array.shape):
            likeness = self._likeness(t, s, layout)
            if best is None or likeness > best[0] + 1e-6:
                best = likeness, layout
        return best


def _nearest(recording: Recording, value: Value, wanted: Callable[[int], bool]) -> list[int]:
    """The nearest of the wanted values that lead to one."""
    pending, seen, found = list(value.parents), set[int](), []
    while pending:
        index = pending.pop()
        if index in seen:
            continue
        seen.add(index)
        if wanted(index):
            found.append(index)
        else:
            pending += recording.values[index].parents
    return found


def _as_it_is(t: Value, s: Value) -> list[Layout]:
    shape = t.array.shape
    return [Layout(tuple(range(len(shape))), shape)] if shape == s.array.shape else []


def _site(value: Value) -> object:
    """What one step is made of: the operations of one line, or the steps of one operation."""
    return value.stack, value.module


def kind_of(t: Value, s: Value) -> object:
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
