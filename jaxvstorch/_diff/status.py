"""Which values of a run the other run has too, and which that lack a counterpart tell something."""

from jaxvstorch._diff.operations import TRANSPARENT, takes_part
from jaxvstorch._diff.recording import Kind, Recording, Stage, Value, eps_of

_CANCELLED = 1e-5  # a sum that is this much smaller than its terms holds only roundings
_SUMS = {
    "add", "add_any", "addmm", "convolution", "dot_general", "mean", "mm", "bmm", "reduce_sum",
    "rsub", "sub", "sum",
}  # fmt: skip


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


def tells(recording: Recording, value: Value) -> bool:
    """Whether it tells something that a value has no counterpart.

    Few numbers, masks, what depends on no input, and sums that cancel tell nothing.
    """
    return value.fed and not value.is_plain and not cancels(recording, value)


def cancels(recording: Recording, value: Value) -> bool:
    """Whether a value is a sum that is so much smaller than its terms that it is only roundings."""
    while value.name in TRANSPARENT and len(value.parents) == 1:
        value = recording.values[value.parents[0]]
    if value.name not in _SUMS or value.array.dtype.kind not in "fc":
        return False
    terms = [recording.values[i] for i in value.parents]
    top = max((term.largest for term in terms), default=0.0)
    return value.largest < _CANCELLED * top or (len(terms) == 1 and cancels(recording, terms[0]))
