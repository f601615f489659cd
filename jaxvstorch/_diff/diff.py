"""Where do two implementations part?

Both run on the same inputs, and every intermediate array of both is recorded, with the line that
made it. The arrays are matched by their numbers, so no names need to be aligned. The first array
that has no counterpart, though all it is computed from has one, is where they part. The second side
then gets the first's numbers there, and the search goes on.
"""

import linecache
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from jaxvstorch import _frameworks
from jaxvstorch._diff.difference import Counted, Diff, Difference, Output
from jaxvstorch._diff.recording import Recording, eps_of
from jaxvstorch._diff.side import Inputs, Side, keep
from jaxvstorch._frameworks.containers import arrays_in
from jaxvstorch._frameworks.importing import importing
from jaxvstorch._parity.refusals import require_inputs

_TURNED = 1e-2  # so near are outputs whose axes are in another order
_MANY = 1e4  # roundings
_GROWS = (
    "each operation agrees, but the outputs are far apart in their own dtypes: roundings grow from "
    "operation to operation, or a number overflows"
)
_DRAWS = (
    "neither framework draws the other's numbers: compare in eval mode, without dropout, or draw "
    "them once with NumPy and pass them to both sides as an input"
)


def diff(
    first: Any,
    second: Any,
    inputs: Inputs,
    *,
    weights: Mapping[str, str] | None = None,
    gradient: bool = False,
) -> Diff:
    """Find each place where two implementations part, such as a PyTorch model and its JAX port.

    Both sides run on the same inputs, in float64 where they can, and operation by operation:
    compiled functions are not compiled, and loops of JAX are unrolled. A side can be:

    - a function of either framework, or a method of a module;
    - an ``nn.Module``, or a module of flax's NNX, of linen with its variables bound, or of equinox;
    - ``(function, weights)``, called as ``function(weights, *inputs)``; ``(module, variables)`` of
      linen, or ``(transformed, params)`` of haiku.

    Both may be of one framework. Nothing of the reader's model changes. Weights that have other
    numbers on the second side are given the first's: if most agree, those that do not are
    differences; if most do not, they are carried over by name and shape.

    Args:
        first: the side that counts as right, as a rule the original.
        second: the other, as a rule the port.
        inputs: positional arguments for both: NumPy arrays, Python values, and tuples, lists and
            dicts of these.
        weights: names of the second side's weights, each with the first side's name for it, where
            names and shapes do not tell.
        gradient: whether to compare the backward pass too: the gradients with respect to the
            weights, or to the inputs where a side has no weights. They are those of the output
            if it is one number, else of the sum of the squares of all outputs.

    Returns:
        The report. It prints each place with the lines of both sides; the cause, if a way in which
        operations commonly differ gives the second side's numbers or the operations show it; and
        how far the outputs move once the second side has the first's numbers there.

    Raises:
        TypeError: a side is none of the above, or ``inputs`` is no tuple of arrays.
        ValueError: the sides return different numbers of arrays, or ``weights`` names a weight
            that a side does not have.
        MissingFrameworkError: one of the frameworks is not installed.

    >>> import numpy as np, jax, torch
    >>> def original(x):
    ...     return torch.nn.functional.gelu(x) * 2
    >>> def port(x):
    ...     return jax.nn.gelu(x) * 2
    >>> report = diff(original, port, (np.linspace(-2, 2, 9, dtype=np.float32),))
    >>> report.differences[0].cause
    "with approximate='none' in place of approximate='tanh', JAX agrees"
    """
    for name in _frameworks.FRAMEWORKS:
        _frameworks.require(name, wanted_by="diff")
    require_inputs(inputs)
    with importing("diff"):
        from jaxvstorch._diff import sides as made
        from jaxvstorch._diff.carrying import carry_weights
        from jaxvstorch._diff.causes import Causes
        from jaxvstorch._diff.places import effect, places, zero_outputs

    linecache.checkcache()  # a report shows the lines as they are now
    sides = made.side_of(first, "first"), made.side_of(second, "second")
    titles = made.titles_of(sides)
    wanted = _gradients(sides, inputs, weights or {}) if gradient else ([], [])
    search, notes = _search(sides, inputs, titles, wanted)
    found, about_weights = carry_weights(search, titles, weights or {})
    counted = tuple(
        Counted(title, sum(status.has), len(status.has))
        for title, status in zip(titles, search.statuses(), strict=True)
    )
    found += (stopped := zero_outputs(search, titles))
    search.forward_only = bool(stopped)  # other gradients differ in consequence
    partings = search.partings()
    while True:
        causes, before = Causes(search, titles), search.second
        parting = next(partings, None)
        if parting is None:
            break
        where = places(search, parting, titles, causes.statuses)
        cause = causes.of(parting)
        search.go_on(parting)
        found.append(Difference(where, cause, effect(before, search.second)))
    runs = search.first.recording, search.second
    outputs = tuple(_outputs(search))
    notes += [*about_weights, *_notes(runs, titles, same=not found)]
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
    )


def _search(
    sides: tuple[Side, Side],
    inputs: Inputs,
    titles: tuple[str, str],
    gradients: tuple[list[str], list[str]],
) -> tuple[Any, list[str]]:
    """The search, in float64 if both sides can."""
    from jaxvstorch._diff.parting import Search

    working = float(np.finfo(np.float32).eps)
    for title, side in zip(titles, sides, strict=True):
        try:
            side.run(inputs, keep, wide=True)
        except Exception as error:
            why = " ".join(str(error).split())[:120]
            note = f"compared as they are, since {title} does not run in float64: {why}"
            held = [eps_of(array) for side in sides for array in side.weights.values()]
            return Search(sides, inputs, False, max([working, *held]), gradients), [note]
    return Search(sides, inputs, True, working, gradients), []


def _gradients(
    sides: tuple[Side, Side], inputs: Inputs, given: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """The names, on both sides, of what the gradients are taken with respect to."""
    from jaxvstorch._diff.weights import correspond

    first, second = (side.weights for side in sides)
    weights = correspond(first, second, given)
    by_name = {name: other for name, (other, _) in weights.by_name.items()}
    pairs = [
        (other, name)
        for name, other in (weights.equal | by_name).items()
        if other in sides[0].trained and name in sides[1].trained
    ]
    if not pairs:
        arrays = [array for value in inputs for array in arrays_in(value)]
        pairs = [(f"input {n}",) * 2 for n, array in enumerate(arrays) if eps_of(array)]
    return [a for a, _ in pairs], [b for _, b in pairs]


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
        for place, i in run.outputs:
            if _has_nan(run.values[i].array):
                before = [v for v in run.ancestors(i) if _has_nan(v.array)]
                first = (before or [run.values[i]])[-1]
                line = f" in line {first.line.number}" if first.line else ""
                name = f"output {place}".strip()
                yield f"NaN in {name} of {title}, first from {first.name}{line}"


def _has_nan(array: Any) -> bool:
    return array.dtype.kind in "fc" and bool(np.isnan(array).any())


def _outputs(search: Any) -> Iterator[Output]:
    """How far the outputs are apart in the dtypes that the sides have."""
    from jaxvstorch._diff.numbers import distance, find_layout

    runs = [
        side.run(search.inputs, keep, wide=False, gradient=names)
        for side, names in zip(search.sides, search.gradients, strict=True)
    ]
    for (place, i), (_, j) in zip(runs[0].outputs, runs[1].outputs, strict=True):
        a, b = runs[0].values[i].array, runs[1].values[j].array
        eps = max(eps_of(a), eps_of(b))
        gap = distance(a, b) if a.shape == b.shape else float("inf")
        if a.size == b.size and gap > _TURNED:
            layout = find_layout(a, b, _TURNED)
            gap = distance(layout(a), b) if layout is not None else gap
        yield Output(place, gap, gap / eps if eps else gap, a.shape, b.shape)


def _grouped(found: list[Difference]) -> list[Difference]:
    """The differences; those of the same lines and operations as one."""
    groups: dict[Any, Difference] = {}
    for difference in found:
        first, second = difference.places
        key: Any = first.line, second.line, first.operations, second.operations
        if second.operations == ("weight",):
            key = re.sub(r"\d+", "", difference.cause)
        if key not in groups:
            groups[key] = difference
            continue
        where = first.module or ", ".join(str(line.number) for line in first.stack)
        groups[key] = replace(groups[key], again=(*groups[key].again, where))
    return list(groups.values())
