"""Says of a parting where it is on either side, and what it does to the output."""

from jaxvstorch._diff.difference import Difference, Place
from jaxvstorch._diff.numbers import distance
from jaxvstorch._diff.operations import TRANSPARENT
from jaxvstorch._diff.parting import Parting, Search
from jaxvstorch._diff.recording import Kind, Recording, SourceLine, Stage, Value
from jaxvstorch._diff.status import Status

_OPERATIONS = 5
_NUMBERS = 4


def places(
    search: Search, parting: Parting, titles: tuple[str, str], statuses: tuple[Status, Status]
) -> tuple[Place, Place]:
    """Where both sides part."""
    return (
        _place(titles[0], statuses[0], parting.start, parting.first),
        _place(titles[1], statuses[1], parting.start_second, parting.second),
    )


def _place(title: str, status: Status, start: Value, values: list[Value]) -> Place:
    last, then = values[-1], None
    operations = [v.name for v in values if v.kind == Kind.RESULT and v.name not in TRANSPARENT]
    begins = status.begins(start)
    if status.has[last.index]:  # this side leaves out what the other does next
        while last.name in TRANSPARENT and last.parents:
            last = status.recording.values[last.parents[0]]
        then = start.line
        start = last if last.stack else start
        operations = [last.name]
    return Place(
        title,
        start.stack,
        start.module,
        shortened(list(dict.fromkeys(operations)) or [start.name]),
        described(values[-1]),
        then,
        begins.line if begins else None,
    )


def shortened(names: list[str]) -> tuple[str, ...]:
    """The first and the last of many names."""
    return tuple(names if len(names) <= _OPERATIONS else [*names[:2], "…", *names[-2:]])


def described(value: Value) -> str:
    """A value's dtype and shape, and its first numbers."""
    numbers = ", ".join(f"{x:.5g}" for x in value.array.ravel()[:_NUMBERS].tolist())
    more = ", …" if value.array.size > _NUMBERS else ""
    return f"{value.array.dtype}{list(value.array.shape)} {numbers}{more}"


def lines_of_use(recording: Recording, value: Value) -> tuple[SourceLine, ...]:
    """The lines that led to the first operation on a value."""
    reached = {value.index}
    for later in recording.values[value.index :]:
        if reached & set(later.parents):
            if later.name not in TRANSPARENT:
                return later.stack
            reached.add(later.index)
    return ()


def effect(before: Recording, after: Recording) -> float:
    """How far the second side's outputs moved with numbers of the first's.

    Args:
        before: the second side without them.
        after: with them.

    Returns:
        The largest change of an output, relative to its largest number.
    """
    pairs = zip(before.outputs, after.outputs, strict=True)
    return max(
        (distance(before.values[a.index].array, after.values[b.index].array) for a, b in pairs),
        default=0.0,
    )


def turned_outputs(search: Search, titles: tuple[str, str]) -> list[Difference]:
    """The outputs of one shape that have the same numbers in other places."""
    runs, found = (search.first.recording, search.second), []
    for one, other in zip(runs[0].outputs, runs[1].outputs, strict=True):
        t, s = runs[0].values[one.index], runs[1].values[other.index]
        if one.is_update or t.stage != Stage.FORWARD or t.array.shape != s.array.shape:
            continue  # the gradient of a square kernel lies as the kernel does
        if search.is_in_place(t, s):
            continue
        first, second = (
            Place(title, value.stack, value.module, (value.name,), described(value))
            for title, value in zip(titles, (t, s), strict=True)
        )
        name = one.place or "the output"
        cause = f"{name} has the same numbers in another order: look at what reshapes or turns it"
        found.append(Difference((first, second), cause, distance(t.array, s.array)))
    return found


def zero_outputs(search: Search, titles: tuple[str, str]) -> list[Difference]:
    """The outputs that are 0 everywhere on the second side alone, as one difference."""
    pairs = zip(search.first.recording.outputs, search.second.outputs, strict=True)
    zero = [
        (one.place, one.index, other.index)
        for one, other in pairs
        if search.is_zero_in_second(one.index, other.index) and not one.is_update
    ]
    if not zero:
        return []
    names = [name or "the output" for name, _, _ in zero]
    shown = ", ".join(names[:_NUMBERS])
    more = f" and {len(names) - _NUMBERS} more" if len(names) > _NUMBERS else ""
    stopped = "; a gradient stops where it is detached" if names[0].startswith("gradient") else ""
    runs, indices = (search.first.recording, search.second), zero[0][1:]
    first, second = (
        Place(title, value.stack, value.module, (value.name,), described(value))
        for title, value in zip(
            titles, (run.values[i] for run, i in zip(runs, indices, strict=True)), strict=True
        )
    )
    cause = f"0 everywhere in {titles[1]}: {shown}{more}{stopped}"
    return [Difference((first, second), cause, 1.0)]
