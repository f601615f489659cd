"""The operands of the operations at a parting, and what the other side has of them."""

from collections.abc import Iterator

from jaxvstorch._diff.operations import TRANSPARENT
from jaxvstorch._diff.parting import Search
from jaxvstorch._diff.recording import Kind, Recording, SourceLine, Value

_TURNS = {"expand", "permute", "reshape", "t", "transpose", "view"}


class Operands:
    """Finds the operands of operations in the runs of a search.

    Args:
        search: as it is now.
    """

    def __init__(self, search: Search) -> None:
        self.search = search

    def original(self, recording: Recording, index: int) -> Value:
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

    def of_first(self, value: Value) -> dict[int, int]:
        """The operands of the first side's value, by their classes."""
        recording = self.search.first.recording
        found = {}
        for i in self._sources(recording, value):
            if not recording.values[i].is_plain:
                found[self.search.first.classes[i]] = i
        return found

    def of_second(self, value: Value) -> dict[int, int]:
        """The operands of the second side's value that the first side has, by their classes."""
        found = {}
        counterparts = self.search.alignment.counterparts
        for j in self._sources(self.search.second, value):
            if j in counterparts and not self.search.second.values[j].is_plain:
                found[self.search.first.classes[counterparts[j].index]] = j
        return found

    def has(self, j: int, i: int) -> bool:
        """Whether a value of the second side is one of the first's but for its layout."""
        if self.search.second.values[j].is_plain:
            return False
        counterpart = self.search.alignment.counterparts.get(self._source(self.search.second, j))
        classes = self.search.first.classes
        original = classes[self._source(self.search.first.recording, i)]
        return counterpart is not None and classes[counterpart.index] == original

    def turned_at(self, index: int) -> Iterator[SourceLine]:
        """The lines of the second side that change the layout of a value."""
        value = self.search.second.values[index]
        while value.name in TRANSPARENT and value.parents:
            if value.line is not None and value.name in _TURNS:
                yield value.line
            value = self.search.second.values[value.parents[0]]


def named(value: Value) -> str:
    """A value as a sentence has it."""
    if value.kind in (Kind.WEIGHT, Kind.INPUT):
        return f"{value.kind} {value.name}"
    if value.line is None:
        return f"the result of {value.name}"
    return f"the result of {value.name} in line {value.line.number}"
