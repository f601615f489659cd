"""Finds the differences of a search, and reports on them."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from jaxvstorch._diff.causes import Causes
from jaxvstorch._diff.difference import Counted, Diff, Difference, Growth, Output
from jaxvstorch._diff.numbers import distance, find_layout
from jaxvstorch._diff.parting import Parting, Search
from jaxvstorch._diff.places import effect, places, turned_outputs, zero_outputs
from jaxvstorch._diff.recording import Array, Recording, Stage, Value, eps_of
from jaxvstorch._diff.side import keep
from jaxvstorch._diff.status import cancels
from jaxvstorch._diff.storage import FullDiskError

_TURNED = 1e-2  # so near are outputs whose axes are in another order
_MANY = 1e4  # roundings
_SEEN = 4.0  # roundings from which their growth is told
_GROWS = (
    "each operation agrees, but the outputs are far apart in their own dtypes: roundings grow from "
    "operation to operation, or a number overflows"
)
_DRAWS = (
    "neither framework draws the other's numbers: compare in eval mode, without dropout, or draw "
    "them once with NumPy and pass them to both sides as an input"
)


def differences_of(
    search: Search, titles: tuple[str, str]
) -> Iterator[tuple[Difference, Parting | None]]:
    """The differences in the order of the run, each with its parting if it has one."""
    stopped = zero_outputs(search, titles)
    yield from ((difference, None) for difference in stopped)
    search.forward_only = bool(stopped)  # other gradients differ in consequence
    partings = search.partings()
    while True:
        causes, before = Causes(search, titles), search.second
        parting = next(partings, None)
        if parting is None:
            yield from ((difference, None) for difference in turned_outputs(search, titles))
            return
        cause = causes.of(parting)
        parting = causes.narrowed(parting)
        where = places(search, parting, titles, causes.statuses)
        search.go_on(parting)
        yield Difference(where, cause, effect(before, search.second)), parting


def report_on(
    search: Search, titles: tuple[str, str], found: list[Difference], notes: list[str]
) -> Diff:
    """The report on a search that has ended.

    Args:
        search: at its end.
        titles: of the sides.
        found: the differences.
        notes: what else there is to say.
    """
    counted = tuple(
        Counted(title, sum(status.has), len(status.has))
        for title, status in zip(titles, search.statuses(), strict=True)
    )
    runs = search.first.recording, search.second
    narrow, failed = _in_own_dtypes(search, titles)
    outputs = tuple(_outputs(search, narrow)) if narrow else ()
    notes = [*notes, *failed, *_notes(runs, titles, same=not found)]
    coarse = [v for v in runs[0].values if eps_of(v.array) > search.working]
    if coarse:
        line = f" in line {coarse[0].line.number}" if coarse[0].line else ""
        dtype = coarse[0].array.dtype
        notes.append(f"{titles[0]} computes in {dtype}{line}: what follows is compared to that")
    if not found and any(output.roundings > _MANY for output in outputs):
        notes.append(_GROWS)
    return Diff(
        tuple(_grouped(found)),
        outputs,
        (counted[0], counted[1]),
        "float64" if search.wide else "the dtypes that they have",
        tuple(notes),
        tuple(_growth(search, narrow)) if narrow and not found else (),
    )


def _in_own_dtypes(
    search: Search, titles: tuple[str, str]
) -> tuple[tuple[Recording, ...], list[str]]:
    """Both runs in the dtypes that the sides have; none, and why, where one fails in them."""
    runs = []

    def carry(_: Recording, value: Value) -> Array | None:
        """Let the second side have the weights that are carried over."""
        numbers = search.carried.get(value.index)
        return None if numbers is None else numbers.astype(value.array.dtype)

    for side, names, title, visit in zip(
        search.sides, search.gradients, titles, (keep, carry), strict=True
    ):
        try:
            runs.append(side.run(search.inputs, visit, wide=False, gradient=names))
        except FullDiskError:
            raise
        except Exception as error:  # as of float64 inputs that a layer in float32 refuses
            why = " ".join(str(error).split())[:120]
            return (), [f"compared in float64 alone, since {title} fails in its own dtypes: {why}"]
    return tuple(runs), []


def _notes(
    runs: tuple[Recording, Recording], titles: tuple[str, str], *, same: bool
) -> Iterator[str]:
    for run, title in zip(runs, titles, strict=True):
        drawn = next((v for v in run.values if v.draws), None)
        if drawn is not None and not same:
            line = f" in line {drawn.line.number}" if drawn.line else ""
            yield f"{title} draws random numbers ({drawn.name}{line}); {_DRAWS}"
        if run.left_out:
            yield f"{run.left_out} steps of loops of {title} ran without a look at their operations"
        for output in run.outputs:
            value = run.values[output.index]
            if _has_nan(value.array):
                before = [v for v in run.ancestors(value.index) if _has_nan(v.array)]
                first = (before or [value])[-1]
                line = f" in line {first.line.number}" if first.line else ""
                name = f"output {output.place}".strip()
                yield f"NaN in {name} of {title}, first from {first.name}{line}"


def _has_nan(array: Any) -> bool:
    return array.dtype.kind in "fc" and bool(np.isnan(array).any())


def _outputs(search: Search, runs: tuple[Recording, ...]) -> Iterator[Output]:
    """How far the outputs are apart in the dtypes that the sides have.

    Those that are nothing but roundings, as the gradient of a bias before a norm, are left out.
    """
    wide = search.first.recording.outputs, search.second.outputs
    for one, other, i, j in zip(runs[0].outputs, runs[1].outputs, *wide, strict=True):
        if search.are_roundings(i.index, j.index):
            continue
        a, b = runs[0].values[one.index].array, runs[1].values[other.index].array
        eps = max(eps_of(a), eps_of(b))
        gap = distance(a, b) if a.shape == b.shape else float("inf")
        is_gradient = runs[0].values[one.index].stage != Stage.FORWARD
        if a.size == b.size and gap > _TURNED and (a.shape != b.shape or is_gradient):
            layout = find_layout(a, b, _TURNED)
            gap = distance(layout(a), b) if layout is not None else gap
        yield Output(one.place, gap, gap / eps if eps else float("nan"), a.shape, b.shape)


def _growth(search: Search, narrow: tuple[Recording, ...]) -> Iterator[Growth]:
    """Where the sides come to be further apart in their own dtypes than before."""
    wide = search.first.recording, search.second
    for run, again in zip(wide, narrow, strict=True):
        if [v.name for v in run.values] != [v.name for v in again.values]:
            return  # casts that one of them has would shift what corresponds
    found = sorted(search.alignment.counterparts.items(), key=lambda item: item[1].index)
    top = _SEEN / 2
    for j, counterpart in found:
        value, other = narrow[0].values[counterpart.index], narrow[1].values[j]
        eps = max(eps_of(value.array), eps_of(other.array))
        if not eps or counterpart.layout is None or cancels(narrow[0], value):
            continue
        roundings = distance(counterpart.layout(value.array), other.array) / eps
        if 2 * top <= roundings < float("inf"):
            top = roundings
            depth = value.index / max(len(wide[0].values) - 1, 1)
            yield Growth(depth, roundings, value.module, value.line)


def _grouped(found: list[Difference]) -> list[Difference]:
    """The differences; those of the same lines and operations as one."""
    groups: dict[Any, Difference] = {}
    for difference in found:
        first, second = difference.places
        key: Any = first.line, second.line, first.operations, second.operations
        if difference.origin is not None:
            key = *key, difference.origin, difference.cause
        if second.operations == ("weight",):
            key = re.sub(r"\d+", "", difference.cause)
        if key not in groups:
            groups[key] = difference
            continue
        where = first.module or ", ".join(str(line.number) for line in first.stack)
        groups[key] = replace(groups[key], again=(*groups[key].again, where))
    return list(groups.values())
