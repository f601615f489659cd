"""What the report says of one call of the reader's, by how it and its operations compared."""

from collections.abc import Iterator, Sequence

from jaxvstorch._port.from_jax.calls import Judgement
from jaxvstorch._port.from_jax.equation import GENERATOR, OUT_OF_RANGE, REPEATED, SIGNED
from jaxvstorch._port.from_jax.watcher import WatchedCall
from jaxvstorch._port.map.rows import jax_rows, meaning
from jaxvstorch._port.outcome import Outcome
from jaxvstorch._port.report_data import PortCall, PortStatus

LOOPS = {
    "scan": "a Python `for` loop, which torch.compile unrolls",
    "while": "a Python `while` loop; if it depends on values, torch.compile breaks the graph there",
    "cond": "a Python `if`; if it depends on values, torch.compile breaks the graph there; "
    "`torch.cond` is a prototype",
}
_WORST = (
    PortStatus.DIFFERS,
    PortStatus.FAILED,
    PortStatus.UNKNOWN,
    PortStatus.ANOTHER_WAY,
    PortStatus.RANDOM,
    PortStatus.VERIFIED,
)
_IN_PLACE = "PyTorch changes its array: clone it first to keep it"
_ONE_BY_ONE = "its operations, one by one, gave the same in PyTorch"
_MOST = 40  # operations that a report writes for one call
_LOOPING = ("scan", "while_loop", "fori_loop", "map", "cond", "switch")


def worded(
    operations: Sequence[tuple[str, Outcome]],
    judged: Sequence[tuple[WatchedCall, Judgement]],
    written: Sequence[str] = (),
) -> Iterator[PortCall]:
    """The calls of a location, as the report has them.

    Args:
        operations: the names and outcomes of the operations that they became.
        judged: the calls, each time that one was done again.
        written: the operations in PyTorch.
    """
    alike: dict[tuple[str, str | None], list[Judgement]] = {}
    for call, judgement in judged:
        name = judgement.name or name_of_call(call)
        alike.setdefault((name, judgement.becomes), []).append(judgement)
    outcomes = [outcome for _, outcome in operations]
    if not judged and operations:
        names = ", ".join(dict.fromkeys(name for name, _ in operations))
        yield _by_operations(names, outcomes, "", written)
    loops = [o for o in outcomes if o.note in LOOPS.values()]
    for (name, _), same in alike.items():
        is_loop = name.rpartition(".")[2] in _LOOPING
        own = outcomes
        if is_loop and len(alike) > 1:
            own = loops or outcomes
        elif "." in name and not is_loop and len(loops) < len(outcomes):
            # The reader did not write the loops and dtypes inside a library's function.
            own = [o for o in outcomes if o not in loops]
            own = [o._replace(note="") if o.note.startswith(SIGNED) else o for o in own]
        said = _of_call(name, own, same, written)
        if said is not None:
            yield said


def _of_call(
    name: str,
    operations: Sequence[Outcome],
    judged: Sequence[Judgement],
    written: Sequence[str],
) -> PortCall | None:
    failed = next((j for j in judged if j.outcome is None), None)
    if failed is not None:
        return _by_operations(name, operations, failed.why, written) if operations else None
    done = [j.outcome for j in judged if j.outcome is not None]
    worst = min(done, key=lambda outcome: _WORST.index(outcome.status))
    becomes = judged[0].becomes
    random = any(o.status == PortStatus.RANDOM for o in operations)
    if worst.status == PortStatus.RANDOM or (worst.status == PortStatus.DIFFERS and random):
        return PortCall(name, becomes, PortStatus.RANDOM, GENERATOR)
    inside = next((o for o in operations if o.status == PortStatus.DIFFERS), None)
    if inside is not None and worst.status in (PortStatus.VERIFIED, PortStatus.ANOTHER_WAY):
        note = f"in an operation of it, or of its gradient: {inside.note}"
        return PortCall(name, becomes, PortStatus.DIFFERS, note, inside.gap)
    notes = dict.fromkeys(o.note for o in done if o.note and o.status == worst.status)
    if name.rpartition(".")[2] in _LOOPING:
        notes |= dict.fromkeys(o.note for o in operations if o.note in LOOPS.values())
    if name.startswith("x.at["):
        notes |= dict.fromkeys([REPEATED] * any(REPEATED in o.note for o in operations))
        notes |= dict.fromkeys([_IN_PLACE] * ("paste." not in f"{becomes}" and "get" not in name))
    gap = max((o.gap for o in done if o.gap is not None), default=None)
    return PortCall(name, becomes, worst.status, "; ".join(notes), gap)


def _by_operations(
    name: str, outcomes: Sequence[Outcome], why: str, written: Sequence[str]
) -> PortCall:
    """A call that PyTorch did not do as one, by the worst of its operations."""
    worst = min((o.status for o in outcomes), key=_WORST.index)
    notes = dict.fromkeys(o.note for o in outcomes if o.status == worst and o.note)
    if worst == PortStatus.RANDOM:
        return PortCall(name, None, worst, GENERATOR)
    gap = max((o.gap for o in outcomes if o.gap is not None), default=None)
    if worst == PortStatus.VERIFIED:
        outside = OUT_OF_RANGE if any(OUT_OF_RANGE in o.note for o in outcomes) else None
        reason = why if "has no counterpart" in why else outside or why
        notes = dict.fromkeys(filter(None, [reason, *notes, _one_by_one(written)]))
        worst = PortStatus.ANOTHER_WAY
    return PortCall(name, None, worst, "; ".join(notes), gap)


def _one_by_one(written: Sequence[str]) -> str:
    if not written:
        return _ONE_BY_ONE
    more = f"; and {len(written) - _MOST} more" if len(written) > _MOST else ""
    return f"{_ONE_BY_ONE}: {'; '.join(written[:_MOST])}{more}"


def name_of_call(call: WatchedCall) -> str:
    """A call as the report names it: a method as the function that it is a form of."""
    if call.name.startswith("Array.at."):
        return f"x.at[i].{call.name.removeprefix('Array.at.')}"
    if call.name.startswith("Array."):
        base = meaning(jax_rows()[call.name]).name
        return base.replace("Array.", "x.")
    return f"x{call.name}" if call.name.startswith(".") else call.name
