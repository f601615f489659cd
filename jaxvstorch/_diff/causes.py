"""Why two runs part: each common way is tried, and what gives the other side's numbers is said."""

from collections import Counter
from dataclasses import replace
from itertools import islice

from jaxvstorch._diff.numbers import allowed_for, distance, possible_layouts
from jaxvstorch._diff.operands import Operands, named
from jaxvstorch._diff.operations import (
    TRANSPARENT,
    are_close,
    does,
    scalars,
    settings,
    sort_of,
    written,
)
from jaxvstorch._diff.parting import Parting, Search
from jaxvstorch._diff.recording import Kind, Recording, Value, eps_of
from jaxvstorch._diff.relations import constant_where_they_differ, relation
from jaxvstorch._diff.trials import Trials

_TRIES = 8  # layouts
_SAME = 1e-6  # float32 in float64, or rounded once


class Causes:
    """Tries what may have made two runs part.

    Args:
        search: before it goes on behind the parting.
        titles: of the two sides.
    """

    def __init__(self, search: Search, titles: tuple[str, str]) -> None:
        self.search, self.titles = search, titles
        self.statuses = search.statuses()
        self.operands = Operands(search)
        self.trials = Trials(search, titles, self.statuses)

    def of(self, parting: Parting) -> str:
        """The cause, as a sentence; empty where no way gives the other side's numbers."""
        for trial in (
            self._narrower,
            self._same_operation,
            self._one_constant,
            self.trials.gate,
            self.trials.ways,
            self.trials.activation,
            self._left_out,
            self._operands,
            self._constants,
            self._other_operation,
            self._relation,
            self._also,
            self._order,
            self.trials.known_function,
        ):
            if text := trial(parting):
                return text
        return ""

    def narrowed(self, parting: Parting) -> Parting:
        """What a way that was found explains of a parting: a second fault may follow at once."""
        if self.trials.met is None or parting.layout is None:
            return parting
        value, other, layout = self.trials.met
        if self.search.first.recording.framework == "torch":
            t, s = value, other
        else:
            t, s, layout = other, value, layout.inverse(value.array.shape)
        ours, theirs = self.statuses
        ends = parting.first[-1].index, parting.second[-1].index
        is_earlier = t.index < ends[0] or s.index < ends[1]
        if not is_earlier or ours.has[t.index] or theirs.has[s.index] or not layout.fits(t.array):
            return parting
        first, second = ours.between(t.index), theirs.between(s.index)
        return replace(parting, first=first, second=second, layout=layout)

    def _narrower(self, parting: Parting) -> str:
        """A dtype that has fewer digits than the side is meant to compute in."""
        allowed = max(self.search.working, parting.first[-1].precise_to)
        for value in parting.second:
            if eps_of(value.array) > allowed:
                return f"{self.titles[1]} computes in {value.array.dtype} here"
        return ""

    def _left_out(self, parting: Parting) -> str:
        """Operations that only one side has."""
        t, s = parting.first[-1], parting.second[-1]
        if parting.layout is None:
            return ""
        ends = self.statuses[0].has[t.index], self.statuses[1].has[s.index]
        if not any(ends):
            return ""
        values = parting.first if ends[1] else parting.second
        recordings = self.search.first.recording, self.search.second
        side = 0 if ends[1] else 1
        text, numbers = self._only_one(values, recordings[side], side), self._relation(parting)
        return f"{numbers}; {text}" if numbers else text

    def _only_one(self, values: list[Value], recording: Recording, side: int) -> str:
        names = dict.fromkeys(v.name for v in values if v.name not in TRANSPARENT and v.call)
        operations = ", ".join(list(names)[:4]) or "an operation"
        if len(names) > 4:
            operations += f" and {len(names) - 4} more"
        sources = [self.operands.original(recording, i) for v in values for i in v.parents]
        weights = dict.fromkeys(v.name for v in sources if v.kind == Kind.WEIGHT)
        of = f" with {', '.join(list(weights)[:3])}" if weights else ""
        other = self.titles[1 - side]
        return f"{other} leaves out what {self.titles[side]} does here: {operations}{of}"

    def _operands(self, parting: Parting) -> str:
        """An operand that the other side has too, but uses elsewhere."""
        first, second = self.search.first.recording, self.search.second
        if sort_of(parting.start) != sort_of(parting.start_second):
            return ""
        ours = self.operands.of_first(parting.start)
        theirs = self.operands.of_second(parting.start_second)
        missing = [i for c, i in ours.items() if c not in theirs]
        instead = [j for c, j in theirs.items() if c not in ours]
        if len(missing) == 1 and len(instead) == 1:
            a, b = first.values[missing[0]], second.values[instead[0]]
            if a.array.size == b.array.size or a.kind == b.kind == Kind.WEIGHT:
                same = self.search.alignment.counterparts[b.index].index
                known = first.values[same]
                return (
                    f"{self.titles[1]} uses {named(b)} ({named(known)} in "
                    f"{self.titles[0]}) instead of {named(a)}"
                )
        return ""

    def _constants(self, parting: Parting) -> str:
        """One number that is written in the code of both, and is not the same."""
        ours = [scalars(value) for value in parting.first]
        theirs = [scalars(value) for value in parting.second]
        first = dict.fromkeys(x for numbers in ours for x in numbers)
        second = dict.fromkeys(x for numbers in theirs for x in numbers)
        here = [x for x in first if not any(are_close(x, y) for y in second)]
        there = [y for y in second if not any(are_close(x, y) for x in first)]
        if len(here) == len(there) == 1:
            return (
                f"the constant {written(here[0])} in {self.titles[0]} is {written(there[0])} in "
                f"{self.titles[1]}"
            )
        return ""

    def _also(self, parting: Parting) -> str:
        """One operation with a number in the code, which only one side does."""
        regions = parting.first, parting.second
        for n in (0, 1):
            counts = [
                Counter(text for v in region if (text := does(v)))
                for region in (regions[1 - n], regions[n])
            ]
            more, less = counts[1] - counts[0], counts[0] - counts[1]
            if less or sum(more.values()) != 1:
                continue
            (text,) = more
            for value in regions[n]:
                if does(value) == text:
                    numbers = scalars(value, with_simple=True)
                    nothing = 1.0 if text in ("multiplies", "divides") else 0.0
                    if len(numbers) == 1 and numbers[0] != nothing:
                        by = " by" if text in ("multiplies", "divides") else ""
                        return f"only {self.titles[n]} {text}{by} {numbers[0]:g}"
        return ""

    def _one_constant(self, parting: Parting) -> str:
        """``_constants``, where each side does the same one operation."""
        t, s = parting.start, parting.start_second
        sorts = {does(v) for v in (t, s)}
        is_one = t is parting.first[-1] and s is parting.second[-1] and not t.inner
        return self._constants(parting) if is_one and len(sorts) == 1 and None not in sorts else ""

    def _other_operation(self, parting: Parting) -> str:
        """Another operation on the same operands."""
        t, s = parting.start, parting.start_second
        if t is not parting.first[-1] or s is not parting.second[-1]:
            return ""  # one of the two does more than this operation
        one, other = does(t), does(s)
        if one is None or other is None or one == other:
            return ""
        if not self.operands.of_first(t).keys() & (self.operands.of_second(s).keys()):
            return ""
        return f"{self.titles[1]} {other} where {self.titles[0]} {one}"

    def _same_operation(self, parting: Parting) -> str:
        """One operation of one framework on both sides, with other arguments."""
        t, s = parting.start, parting.start_second
        if t.call is None or s.call is None or t.call[0] is not s.call[0]:
            return ""
        ours, theirs = settings(t), settings(s)
        differ = [
            (key, ours[key], theirs[key])
            for key in ours.keys() & theirs.keys()
            if str(ours[key]) != str(theirs[key])
        ]
        if len(differ) != 1:
            return ""
        key, here, there = differ[0]
        return f"{t.name}: {key}{here} in {self.titles[0]}, {key}{there} in {self.titles[1]}"

    def _relation(self, parting: Parting) -> str:
        t, s, layout = parting.first[-1], parting.second[-1], parting.layout
        if layout is None:
            return ""
        ours = layout(t.array)
        sizes = {
            size for i in t.parents for size in self.search.first.recording.values[i].array.shape
        }
        sizes |= set(t.array.shape)
        allowed = allowed_for(max(t.precise_to, min(s.precise_to, self.search.working)))
        if text := relation(s.array, ours, sizes, allowed):
            first = f"{self.titles[0]}'s"
            return f"{self.titles[1]}'s numbers are {text.format(first)}"
        if numbers := constant_where_they_differ(s.array, ours, allowed):
            return (
                f"they differ only where {self.titles[0]} has {numbers[0]:g} and "
                f"{self.titles[1]} {numbers[1]:g}"
            )
        return ""

    def _order(self, parting: Parting) -> str:
        """An operand with the first's numbers in another order, in whose order the sides agree."""
        first, second = self.search.first, self.search.second
        pairs = [
            (first.recording.values[i], second.values[j])
            for j in parting.start_second.parents
            for i in parting.start.parents
            if self.operands.has(j, i)
        ]
        if not any(self._agree_in_order_of(t, s) for t, s in pairs):
            return ""
        operands = parting.start_second.parents
        lines = dict.fromkeys(
            str(line.number) for i in operands for line in self.operands.turned_at(i)
        )
        at = f" in line {' or '.join(list(lines)[:3])}" if lines else ""
        return (
            "the operands have the same numbers, but in another order: look at what reshapes or "
            f"transposes them{at}"
        )

    def _agree_in_order_of(self, t: Value, s: Value) -> bool:
        layouts = islice(possible_layouts(t.array.shape, s.array.shape), _TRIES)
        return any(
            distance(layout(t.array), s.array) > _SAME and self.search.agrees(s, t, layout)
            for layout in layouts
        )
