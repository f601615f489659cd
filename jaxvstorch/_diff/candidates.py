"""Values of two runs that may correspond behind the place where the runs part."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from jaxvstorch._diff.alignment import Alignment, First, Status
from jaxvstorch._diff.numbers import Layout, largest, possible_layouts, sample, widened
from jaxvstorch._diff.recording import Array, Recording, Value, eps_of, is_plain

TRIES = 40
_REACH = 24  # values of either side behind its first lost one that may correspond
_SAMPLE = 2048


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

    def near(
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
                is_pair = t.array.size == s.array.size and t.stage == s.stage
                if is_pair and skips < 2 and is_exact:
                    pairs.append((max(n, 0) + max(m, 0) + skips / 2, t, s))
        # What corresponded once likely does again, as in the next layer.
        for _, t, s in sorted(pairs, key=lambda row: (kind_of(*row[1:]) not in self.kinds, row[0])):
            for layout in self._layouts(t, s):
                yield t, s, layout

    def far(
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
