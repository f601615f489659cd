"""Why two runs part: each common way is tried, and what gives the other side's numbers is said."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from jaxvstorch._diff.alignment import TRANSPARENT, Status
from jaxvstorch._diff.numbers import allowed_for, distance, find_layout
from jaxvstorch._diff.parting import Parting, Search
from jaxvstorch._diff.recording import Kind, Operand, Recording, SourceLine, Value, eps_of, is_plain
from jaxvstorch._diff.relations import constant_where_they_differ, relation
from jaxvstorch._diff.torch_run import again
from jaxvstorch._diff.ways import ACTIVATIONS, ways

_FEW = 8
_NEAR = 200  # values of the other side behind the parting that a way's numbers are looked for in
_TURNS = {"expand", "permute", "reshape", "t", "transpose", "view"}


class Causes:
    """Tries what may have made two runs part.

    Args:
        search: before it goes on behind the parting.
        titles: of the two sides.
    """

    def __init__(self, search: Search, titles: tuple[str, str]) -> None:
        self.search, self.titles = search, titles
        self.statuses = search.statuses()

    def of(self, parting: Parting) -> str:
        """The cause, as a sentence; empty where no way gives the other side's numbers."""
        for trial in (
            self._narrower,
            self._same_operation,
            self._one_constant,
            self._ways,
            self._activation,
            self._left_out,
            self._operands,
            self._constants,
            self._other_operation,
            self._relation,
            self._also,
            self._order,
        ):
            if text := trial(parting):
                return text
        return ""

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
        if self.statuses[1].has[s.index] and parting.layout is not None:
            return self._only_one(parting.first, self.search.first.recording, 0)
        if self.statuses[0].has[t.index] and parting.layout is not None:
            return self._only_one(parting.second, self.search.second, 1)
        return ""

    def _only_one(self, values: list[Value], recording: Recording, side: int) -> str:
        names = dict.fromkeys(v.name for v in values if v.name not in TRANSPARENT and v.call)
        operations = ", ".join(list(names)[:4]) or "an operation"
        if len(names) > 4:
            operations += f" and {len(names) - 4} more"
        sources = [self._original(recording, i) for v in values for i in v.parents]
        weights = dict.fromkeys(v.name for v in sources if v.kind == Kind.WEIGHT)
        of = f" with {', '.join(list(weights)[:3])}" if weights else ""
        other = self.titles[1 - side]
        return f"{other} leaves out what {self.titles[side]} does here: {operations}{of}"

    def _original(self, recording: Recording, index: int) -> Value:
        """The first value with the numbers of one."""
        if recording is self.search.first.recording:
            return recording.values[self.search.first.classes[index]]
        return recording.values[self._source(recording, index)]

    def _sources(self, recording: Recording, value: Value) -> Iterator[int]:
        """The operands of a value, behind what only changes the layout."""
        for i in value.parents:
            yield self._source(recording, i)

    def _source(self, recording: Recording, index: int) -> int:
        value = recording.values[index]
        while value.name in TRANSPARENT and value.parents:
            before = recording.values[value.parents[0]]
            if before.array.size != value.array.size:  # each number occurs several times
                break
            value = before
        return value.index

    def _operands(self, parting: Parting) -> str:
        """An operand that the other side has too, but uses elsewhere."""
        first, second = self.search.first.recording, self.search.second
        if _sort(parting.start) != _sort(parting.start_second):
            return ""
        ours = self._classes_of(first, parting.start)
        theirs = self._classes_in_second(parting.start_second)
        missing = [i for c, i in ours.items() if c not in theirs]
        instead = [j for c, j in theirs.items() if c not in ours]
        if len(missing) == 1 and len(instead) == 1:
            a, b = first.values[missing[0]], second.values[instead[0]]
            if a.array.size == b.array.size or a.kind == b.kind == Kind.WEIGHT:
                same = self.search.alignment.counterparts[b.index].index
                named = first.values[same]
                return (
                    f"{self.titles[1]} uses {_described(b)} ({_described(named)} in "
                    f"{self.titles[0]}) instead of {_described(a)}"
                )
        return ""

    def _constants(self, parting: Parting) -> str:
        """One number that is written in the code of both, and is not the same."""
        ours = [_scalars(value) for value in _once(parting.first)]
        theirs = [_scalars(value) for value in _once(parting.second)]
        first = dict.fromkeys(x for scalars in ours for x in scalars)
        second = dict.fromkeys(x for scalars in theirs for x in scalars)
        here = [x for x in first if not any(_close(x, y) for y in second)]
        there = [y for y in second if not any(_close(x, y) for x in first)]
        if len(here) == len(there) == 1:
            return (
                f"the constant {here[0]:.9g} in {self.titles[0]} is {there[0]:.9g} in "
                f"{self.titles[1]}"
            )
        return ""

    def _also(self, parting: Parting) -> str:
        """One operation with a number in the code, which only one side does."""
        regions = parting.first, parting.second
        for n in (0, 1):
            counts = [
                Counter(text for v in region if (text := _ARITHMETIC.get(v.name.removesuffix("_"))))
                for region in (regions[1 - n], regions[n])
            ]
            more, less = counts[1] - counts[0], counts[0] - counts[1]
            if less or sum(more.values()) != 1:
                continue
            (text,) = more
            for value in regions[n]:
                if _ARITHMETIC.get(value.name.removesuffix("_")) == text:
                    numbers = _scalars(value, with_simple=True)
                    nothing = 1.0 if text in ("multiplies", "divides") else 0.0
                    if len(numbers) == 1 and numbers[0] != nothing:
                        by = " by" if text in ("multiplies", "divides") else ""
                        return f"only {self.titles[n]} {text}{by} {numbers[0]:g}"
        return ""

    def _one_constant(self, parting: Parting) -> str:
        """``_constants``, where each side does the same one operation."""
        t, s = parting.start, parting.start_second
        sorts = {_ARITHMETIC.get(v.name.removesuffix("_")) for v in (t, s)}
        is_one = t is parting.first[-1] and s is parting.second[-1] and not t.inner
        return self._constants(parting) if is_one and len(sorts) == 1 and None not in sorts else ""

    def _other_operation(self, parting: Parting) -> str:
        """Another operation on the same operands."""
        t, s = parting.start, parting.start_second
        if t is not parting.first[-1] or s is not parting.second[-1]:
            return ""  # one of the two does more than this operation
        names = t.name.removesuffix("_"), s.name
        one, other = (_ARITHMETIC.get(name) for name in names)
        if one is None or other is None or one == other:
            return ""
        if not self._classes_of(self.search.first.recording, t).keys() & (
            self._classes_in_second(s).keys()
        ):
            return ""
        return f"{self.titles[1]} {other} where {self.titles[0]} {one}"

    def _classes_of(self, recording: Recording, value: Value) -> dict[int, int]:
        found = {}
        for i in self._sources(recording, value):
            if not is_plain(recording.values[i].array):
                found[self.search.first.classes[i]] = i
        return found

    def _classes_in_second(self, value: Value) -> dict[int, int]:
        found = {}
        counterparts = self.search.alignment.counterparts
        for j in self._sources(self.search.second, value):
            if j in counterparts and not is_plain(self.search.second.values[j].array):
                found[self.search.first.classes[counterparts[j].index]] = j
        return found

    def _same_operation(self, parting: Parting) -> str:
        """One operation of one framework on both sides, with other arguments."""
        t, s = parting.start, parting.start_second
        if t.call is None or s.call is None or t.call[0] is not s.call[0]:
            return ""
        ours, theirs = _settings(t), _settings(s)
        differ = [
            (key, ours[key], theirs[key])
            for key in ours.keys() & theirs.keys()
            if str(ours[key]) != str(theirs[key])
        ]
        if len(differ) != 1:
            return ""
        key, here, there = differ[0]
        return f"{t.name}: {key}{here} in {self.titles[0]}, {key}{there} in {self.titles[1]}"

    def _ways(self, parting: Parting) -> str:
        first, second = self.search.first.recording, self.search.second
        if first.framework == "torch":
            values = [*_operations(first, parting.start), *parting.first]
            found = self._way(first, values, self._lost(second, self.statuses[1], parting.second))
            if found:
                return f"with {found[0]} in place of {found[1]}, {self.titles[1]} agrees"
        elif second.framework == "torch":
            values = [*_operations(second, parting.start_second), *parting.second]
            found = self._way(second, values, self._lost(first, self.statuses[0], parting.first))
            if found:
                return f"with {found[1]} in place of {found[0]}, {self.titles[1]} agrees"
        return ""

    def _activation(self, parting: Parting) -> str:
        """Another function of each number, however both are written."""
        t, s, layout = parting.first[-1], parting.second[-1], parting.layout
        first = self.search.first
        sources = {
            first.classes[i]: first.recording.values[i]
            for value in parting.first
            for i in value.parents
            if self.statuses[0].has[i] and not is_plain(first.recording.values[i].array)
        }
        if layout is None or len(sources) != 1:
            return ""
        (x,) = sources.values()
        if x.array.shape != t.array.shape or x.array.dtype.kind != "f" or x.array.size < _FEW:
            return ""
        here, there = "", ""
        allowed = allowed_for(max(t.precise_to, min(s.precise_to, self.search.working)))
        for name, compute in ACTIVATIONS.items():
            array = compute(torch.from_numpy(x.array.copy())).numpy()
            here = here or name * (distance(array, t.array) <= allowed)
            there = there or name * (distance(layout(array), s.array) <= allowed)
        if there in ("", "no activation"):  # the other side then leaves something out
            return ""
        here = here or f"what {self.titles[0]} computes"
        return f"with {here} in place of {there}, {self.titles[1]} agrees"

    def _lost(self, recording: Recording, status: Status, values: list[Value]) -> list[Value]:
        begin = values[0].index
        return [
            v
            for v in recording.values[begin : begin + _NEAR]
            if not status.has[v.index] and not is_plain(v.array)
        ]

    def _way(
        self, recording: Recording, values: list[Value], others: list[Value]
    ) -> tuple[str, str] | None:
        seen = set()
        for value in values:
            if value.call is None or id(value.call) in seen:
                continue
            seen.add(id(value.call))
            function, args, kwargs = again(value.call, recording)
            names = [a.name for a in function._schema.arguments]
            arguments = {**dict(zip(names, args, strict=False)), **kwargs}
            arguments = {
                a.name: arguments.get(a.name, a.default_value)
                for a in function._schema.arguments
                if a.name in arguments or a.has_default_value()
            }
            for way in ways(function, arguments):
                if self._gives(way.compute, others):
                    return way.here, way.there
        return None

    def _gives(self, compute: Any, others: list[Value]) -> bool:
        try:
            with torch.no_grad():
                result = compute()
        except Exception:  # the way is not one for these arguments
            return False
        result = result[0] if isinstance(result, list | tuple) else result
        if not isinstance(result, torch.Tensor):
            return False
        array = result.numpy(force=True)
        if is_plain(array):
            return False
        for other in others:
            if other.array.size == array.size:
                eps = max(min(other.precise_to, self.search.working), eps_of(array))
                if find_layout(array, other.array, allowed_for(eps)) is not None:
                    return True
        return False

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
        if numbers := constant_where_they_differ(s.array, ours):
            return (
                f"they differ only where {self.titles[0]} has {numbers[0]:g} and "
                f"{self.titles[1]} {numbers[1]:g}"
            )
        return ""

    def _order(self, parting: Parting) -> str:
        """Operands with the same numbers, which lie in another order."""
        ours = self._classes_of(self.search.first.recording, parting.start)
        theirs = self._classes_in_second(parting.start_second)
        one, other = _sort(parting.start), _sort(parting.start_second)
        if not ours or ours.keys() != theirs.keys() or one is None or one != other:
            return ""
        lines = dict.fromkeys(
            str(line.number) for i in parting.start_second.parents for line in self._turned(i)
        )
        at = f" in line {' or '.join(list(lines)[:3])}" if lines else ""
        return (
            "the operands have the same numbers, but in another order: look at what reshapes or "
            f"transposes them{at}"
        )

    def _turned(self, index: int) -> Iterator[SourceLine]:
        """The lines of the second side that change the layout of a value."""
        value = self.search.second.values[index]
        while value.name in TRANSPARENT and value.parents:
            if value.line is not None and value.name in _TURNS:
                yield value.line
            value = self.search.second.values[value.parents[0]]


# Operations of both frameworks whose result depends on the order of their operands' numbers.
_SORTS = {
    "bmm": "product", "cat": "join", "chunk": "part", "concatenate": "join",
    "conv_general_dilated": "convolution", "convolution": "convolution",
    "dot_general": "product", "dynamic_slice": "part", "embedding": "rows", "gather": "rows",
    "index": "rows", "index_select": "rows", "mm": "product", "select": "part", "slice": "part",
    "split": "part", "stack": "join", "unbind": "part", "unsafe_split": "part",
}  # fmt: skip
_ARITHMETIC = {
    "add": "adds", "add_any": "adds", "amax": "takes the largest", "div": "divides",
    "exp": "takes the exponential", "index_add": "adds at indices",
    "max": "takes the larger", "maximum": "takes the larger", "mean": "takes the mean",
    "min": "takes the smaller", "minimum": "takes the smaller",
    "mul": "multiplies", "reduce_max": "takes the largest", "rsub": "subtracts",
    "scatter-add": "adds at indices", "scatter-max": "takes the largest at indices",
    "scatter-min": "takes the smallest at indices", "scatter_add": "adds at indices",
    "sigmoid": "takes the sigmoid", "logistic": "takes the sigmoid", "sub": "subtracts",
    "tanh": "takes the tanh",
}  # fmt: skip


def _once(values: list[Value]) -> list[Value]:
    return [value for value in values if value.call is not None]


def _sort(value: Value) -> str | None:
    name = value.name.removesuffix("_")
    return _SORTS.get(name, _ARITHMETIC.get(name))


def _scalars(value: Value, *, with_simple: bool = False) -> list[float]:
    """The numbers among the arguments of a call; without 0 and 1, if these are not asked for."""
    if value.call is None:
        return []
    _, args, kwargs = value.call
    leaves = [*args, *(kwargs.values() if value.name in _SCALED else ())]
    numbers = []
    for x in leaves:
        if isinstance(x, Operand | str | bool | list | tuple | None) or np.ndim(x):
            continue
        kind = np.asarray(x).dtype.kind  # a whole number may be an axis or a size
        if kind == "f" or (kind == "i" and value.name in _ARITHMETIC):
            numbers.append(float(x))
    if with_simple:
        return numbers
    return [abs(x) for x in numbers if abs(x) not in (0.0, 1.0, float("inf"))]


_SCALED = {"add", "sub"}  # whose alpha is a keyword


def _close(one: float, other: float) -> bool:
    """Whether two constants are the same, or one divides where the other multiplies."""
    return any(abs(one - x) <= 1e-6 * abs(x) for x in (other, 1 / other))


def _described(value: Value) -> str:
    if value.kind in (Kind.WEIGHT, Kind.INPUT):
        return f"{value.kind} {value.name}"
    if value.line is None:
        return f"the result of {value.name}"
    return f"the result of {value.name} in line {value.line.number}"


def _settings(value: Value) -> dict[str, Any]:
    """What is not an array among a call's arguments, by name or position."""
    assert value.call is not None
    _, args, kwargs = value.call
    positions = {f"argument {n}: ": arg for n, arg in enumerate(args)}
    named = {f"{key}=": arg for key, arg in kwargs.items()}
    return {key: arg for key, arg in {**positions, **named}.items() if not isinstance(arg, Operand)}


def _operations(recording: Recording, value: Value) -> list[Value]:
    """An operation of PyTorch, after the one that it is a step of."""
    if not value.inner:
        return [value]
    for later in recording.values[value.index :]:
        if not later.inner and later.call is not None:
            return [later, value]
    return [value]
