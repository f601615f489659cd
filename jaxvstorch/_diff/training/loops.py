"""Takes both sides' training steps, batch by batch, until they part."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np
import torch

from jaxvstorch._diff.carrying import carry_weights
from jaxvstorch._diff.diff import precision
from jaxvstorch._diff.difference import Diff, Difference, Origin, Place
from jaxvstorch._diff.finding import differences_of, report_on
from jaxvstorch._diff.numbers import find_layout
from jaxvstorch._diff.parting import Parting, Search
from jaxvstorch._diff.places import described, lines_of_use
from jaxvstorch._diff.recording import Array, Kind, Recording, Stage, Value, is_plain
from jaxvstorch._diff.side import Inputs, keep
from jaxvstorch._diff.sides import titles_of
from jaxvstorch._diff.storage import Storage
from jaxvstorch._diff.training.jax_step import JaxStep
from jaxvstorch._diff.training.step import Compared, Step, gradient_of
from jaxvstorch._diff.training.torch_step import TorchStep
from jaxvstorch._diff.training.updates import Log, Pair, Updates
from jaxvstorch._diff.weights import correspond

_SHOWN = 4
_SAME = 1e-6  # float32 in float64, or rounded once
_ORIGINS = {
    Stage.FORWARD: Origin.FORWARD,
    Stage.BACKWARD: Origin.GRADIENT,
    Stage.UPDATE: Origin.RULE,
}


def diff_loops(
    first: Any, second: Any, batches: Sequence[Inputs], given: Mapping[str, str]
) -> Diff:
    """The report on the first step that parts, or on the last; see ``diff_training``."""
    sides = _step_of(first, "first"), _step_of(second, "second")
    titles = titles_of(sides)
    wide, working, notes = precision(sides, batches[0], titles)
    first_run, second_run = (side.run(batches[0], keep, wide=wide) for side in sides)
    runs = first_run, second_run
    for side, run in zip(sides, runs, strict=True):
        if isinstance(side, JaxStep):
            side.keep_weights(run)
    given = {**_by_step(sides, runs, given), **given}
    pairs, only = _pairs(sides, runs, titles, given)
    notes += _compare(sides, runs, pairs, titles)
    log = Log()
    for number, batch in enumerate(batches, 1):
        for side in sides:
            side.storage = Storage()  # the arrays of the step before are gone
        search = Search(sides, batch, wide, working)
        found: list[Difference] = []
        if number == 1:
            carried, about = carry_weights(search, titles, given)
            found, notes = [*carried, *only], [*notes, *about]
        for difference, parting in differences_of(search, titles):
            found.append(replace(difference, origin=_origin(search, parting)))
        if search.wrong_output() is None:
            found += Updates(search, pairs, titles, log).differences()
        if found or number == len(batches):
            break
        new = {
            pair.second: pair.layout(_after(search.first.recording, pair.first).array)
            for pair in pairs
        }
        sides[0].advance(search.first.recording, {})
        sides[1].advance(search.second, new)
    return replace(report_on(search, titles, found, notes), steps=len(batches), step=number)


def _step_of(given: Any, which: str) -> Step:
    """The side for what ``diff_training`` was given.

    Raises:
        TypeError: it is no step of JAX or PyTorch.
    """
    if isinstance(given, tuple) and len(given) > 1 and callable(given[0]):
        leaves = jax.tree.leaves(given[1:])
        if not any(isinstance(x, torch.Tensor | torch.nn.Module) for x in leaves):
            return JaxStep(given[0], given[1:])
    elif callable(given) and not isinstance(given, torch.nn.Module):
        step = TorchStep(given)
        if step.trained:
            return step
    if isinstance(given, tuple):
        what = "a tuple, as a step of JAX is, but without states, or with a model of PyTorch"
    elif isinstance(given, torch.nn.Module):
        what = "a module: pass the function that calls it and its optimizer"
    else:
        what = "a function that uses no tensor with requires_grad from outside"
    raise TypeError(
        f"{which} is no training step but {what}. A step of PyTorch is a function or method that "
        "uses its model and its optimizer from outside; one of JAX is (step, state, …)"
    )


def _by_step(
    sides: tuple[Step, Step], runs: tuple[Recording, Recording], given: Mapping[str, str]
) -> dict[str, str]:
    """Weights that get the same new values or gradients, where numbers and names do not tell."""
    weights = correspond(sides[0].weights, sides[1].weights, given)
    copies = list(_with_copies(sides[0].weights))  # of a target network, say
    unclear = (
        [*weights.only_first, *copies],
        [*weights.only_second, *(b for b, a in weights.equal.items() if a in copies)],
    )
    # An average of the weights begins as they do, and its first value may be theirs.
    for run, names in zip(runs, unclear, strict=True):
        stepped = getattr(run.ended, "entered", {})
        names[:] = [x for x in names if x in stepped] + [x for x in names if x not in stepped]
    pairs: dict[str, str] = {}
    for index_of in (lambda run, name: run.after[name], _gradient_of):
        found = [
            {name: index_of(run, name) for name in names if name in run.after}
            for run, names in zip(runs, unclear, strict=True)
        ]
        ours, theirs = (
            {name: run.values[i].array for name, i in indices.items() if i is not None}
            for run, indices in zip(runs, found, strict=True)
        )
        for name in (x for x in theirs if x not in pairs):
            for other, array in ours.items():
                is_free = other not in pairs.values()
                if is_free and find_layout(array, theirs[name], _SAME) is not None:
                    pairs[name] = other
                    break
    return pairs


def _gradient_of(run: Recording, name: str) -> int | None:
    return gradient_of(run, run.after[name])


def _with_copies(weights: Mapping[str, Array]) -> Iterator[str]:
    """The names of those that begin with the same numbers as another."""
    by_numbers: dict[Any, list[str]] = defaultdict(list)
    for name, array in weights.items():
        if not is_plain(array):
            by_numbers[array.shape, array.tobytes()].append(name)
    for names in by_numbers.values():
        if len(names) > 1:
            yield from names


def _pairs(
    sides: tuple[Step, Step],
    runs: tuple[Recording, Recording],
    titles: tuple[str, str],
    given: Mapping[str, str],
) -> tuple[list[Pair], list[Difference]]:
    """The weights of both that a step may change; and those that only one side trains.

    Raises:
        ValueError: there are none.
    """
    weights = correspond(sides[0].weights, sides[1].weights, given)
    layouts = dict(weights.by_name)
    for name, other in weights.equal.items():
        layout = find_layout(sides[0].weights[other], sides[1].weights[name], _SAME)
        if layout is not None:
            layouts[name] = other, layout
    pairs = {
        first: Pair(first, name, layout)
        for name, (first, layout) in reversed(layouts.items())
        if first in runs[0].after and name in runs[1].after
    }
    if not pairs:
        raise ValueError(
            f"no weight of {titles[0]} has a counterpart in {titles[1]} that its step returns: "
            "name them with weights={second: first}"
        )
    found, kept = [], []
    for pair in (pairs[name] for name in sides[0].weights if name in pairs):
        old, changed = [], []
        for run, name in zip(runs, (pair.first, pair.second), strict=True):
            before = next(v for v in run.values if v.kind == Kind.WEIGHT and v.name == name)
            old.append(before)
            touched = run.after[name] != before.index
            changed.append((touched, not np.array_equal(_after(run, name).array, before.array)))
        # An update of 0 is none: a frozen weight, or gradients that are only added up yet.
        if changed[0][0] == changed[1][0] or not any(new for _, new in changed):
            kept.append(pair)
            continue
        by = titles[not changed[0][0]]
        first, second = (
            Place(title, lines_of_use(run, v), v.name, ("weight",), described(v))
            for title, run, v in zip(titles, runs, old, strict=True)
        )
        cause = f"only {by} changes the weight {pair.first}"
        found.append(Difference((first, second), cause, origin=Origin.RULE))
    return kept, found


def _compare(
    sides: tuple[Step, Step],
    runs: tuple[Recording, Recording],
    pairs: Sequence[Pair],
    titles: tuple[str, str],
) -> list[str]:
    """Let the runs of both return what can be compared; what to say of the rest."""
    counts = [len(run.outputs) for run in runs]
    plain = [
        pair
        for pair in pairs
        if gradient_of(runs[0], runs[0].after[pair.first]) is None
        or gradient_of(runs[1], runs[1].after[pair.second]) is None
    ]
    is_equal = counts[0] == counts[1]
    for n, side in enumerate(sides):
        names = [((p.first, p.second)[n], p in plain) for p in pairs]
        side.compared = Compared(
            is_equal,
            [name for name, _ in names],
            frozenset(name for name, is_plain in names if is_plain),
        )
    notes = []
    if not is_equal:
        notes.append(
            f"what the steps return is not compared: {counts[0]} arrays in {titles[0]} and "
            f"{counts[1]} in {titles[1]}, beside the state"
        )
    for n, (side, run) in enumerate(zip(sides, runs, strict=True)):
        used = {(p.first, p.second)[n] for p in pairs}
        if left := [x for x in _changed(side, run) if x not in used]:
            more = f" and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
            shown = ", ".join(left[:_SHOWN])
            notes.append(f"{titles[n]} changes, and they are not compared: {shown}{more}")
    return notes


def _changed(side: Step, run: Recording) -> list[str]:
    """The tensors of PyTorch that a step changes, beside its optimizer's, such as averages."""
    before = {v.name: v.index for v in run.values if v.kind == Kind.WEIGHT}
    is_torch = isinstance(side, TorchStep)
    return [x for x in side.weights if is_torch and run.after.get(x) not in (None, before.get(x))]


def _after(run: Recording, name: str) -> Value:
    return run.values[run.after[name]]


def _origin(search: Search, parting: Parting | None) -> Origin:
    if parting is None:  # a gradient that is 0 everywhere
        return Origin.GRADIENT
    ends = (search.first.recording, parting.first[-1]), (search.second, parting.second[-1])
    if any(v.draws for run, end in ends for v in (end, *run.ancestors(end.index))):
        return Origin.RANDOM
    return _ORIGINS[parting.first[-1].stage]
