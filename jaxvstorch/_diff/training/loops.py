"""Takes both sides' training steps, batch by batch, until they part."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import torch

from jaxvstorch._diff.carrying import carry_weights
from jaxvstorch._diff.diff import precision
from jaxvstorch._diff.difference import Diff, Difference, Origin, Place
from jaxvstorch._diff.finding import differences_of, report_on
from jaxvstorch._diff.numbers import find_layout
from jaxvstorch._diff.parting import Parting, Search
from jaxvstorch._diff.places import described, lines_of_use
from jaxvstorch._diff.recording import Kind, Recording, Stage, Value
from jaxvstorch._diff.side import Inputs, keep
from jaxvstorch._diff.sides import titles_of
from jaxvstorch._diff.training.jax_step import JaxStep
from jaxvstorch._diff.training.step import Compared, Step, gradient_of
from jaxvstorch._diff.training.torch_step import TorchStep
from jaxvstorch._diff.training.updates import Log, Pair, Updates
from jaxvstorch._diff.weights import correspond

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
    given = {**_by_gradient(sides, runs, given), **given}
    pairs, only = _pairs(sides, runs, titles, given)
    notes += _compare(sides, runs, pairs, titles)
    log = Log()
    for number, batch in enumerate(batches, 1):
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
    raise TypeError(
        f"{which} is no training step: pass a function of PyTorch that uses its model and its "
        "optimizer from outside, or (step, state, …) of JAX"
    )


def _by_gradient(
    sides: tuple[Step, Step], runs: tuple[Recording, Recording], given: Mapping[str, str]
) -> dict[str, str]:
    """Weights that have no counterpart by numbers or names, but whose gradients have the same."""
    weights = correspond(sides[0].weights, sides[1].weights, given)
    left = []
    for run, names in zip(runs, (weights.only_first, weights.only_second), strict=True):
        found = {name: gradient_of(run, run.after[name]) for name in names if name in run.after}
        left.append({k: run.values[i].array for k, i in found.items() if i is not None})
    pairs: dict[str, str] = {}
    for name, gradient in left[1].items():
        for other, ours in left[0].items():
            if other not in pairs.values() and find_layout(ours, gradient, _SAME) is not None:
                pairs[name] = other
                break
    return pairs


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
            changed.append(run.after[name] != before.index)
        if changed[0] == changed[1]:
            kept.append(pair)
            continue
        by = titles[not changed[0]]
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
    if is_equal:
        return []
    return [
        f"what the steps return is not compared: {counts[0]} arrays in {titles[0]} and {counts[1]} "
        f"in {titles[1]}, beside the state"
    ]


def _after(run: Recording, name: str) -> Value:
    return run.values[run.after[name]]


def _origin(search: Search, parting: Parting | None) -> Origin:
    if parting is None:  # a gradient that is 0 everywhere
        return Origin.GRADIENT
    ends = (search.first.recording, parting.first[-1]), (search.second, parting.second[-1])
    if any(v.draws for run, end in ends for v in (end, *run.ancestors(end.index))):
        return Origin.RANDOM
    return _ORIGINS[parting.first[-1].stage]
