"""Gives the second side the first's weights, and says which differ."""

from collections.abc import Mapping

import numpy as np

from jaxvstorch._diff.difference import Difference, Place
from jaxvstorch._diff.numbers import Layout, allowed_for
from jaxvstorch._diff.parting import Search
from jaxvstorch._diff.places import described, effect, lines_of_use
from jaxvstorch._diff.recording import Kind, Recording, Value
from jaxvstorch._diff.relations import relation
from jaxvstorch._diff.weights import correspond

_SHOWN = 4


def carry_weights(
    search: Search, titles: tuple[str, str], given: Mapping[str, str]
) -> tuple[list[Difference], list[str]]:
    """Let the second side have the first's weights.

    Args:
        search: at its beginning.
        titles: of the sides.
        given: names of the second's weights, each with the first's name for it.

    Returns:
        The weights that differ, if most do not; and what to say of the others.
    """
    first, second = search.sides
    if not first.weights or not second.weights:
        return [], []
    weights = correspond(first.weights, second.weights, given)
    first_values, second_values = (
        {v.name: v for v in run.values if v.kind == Kind.WEIGHT}
        for run in (search.first.recording, search.second)
    )

    def paired(found: Mapping[str, tuple[str, Layout]]) -> list[tuple[Value, Value, Layout]]:
        return [
            (first_values[other], second_values[name], layout)
            for name, (other, layout) in found.items()
        ]

    pairs = paired(weights.by_name)
    found, notes = [], []
    without = [list(weights.only_first), list(weights.only_second)]
    if weights.meant_equal:
        for t, s, layout in pairs:
            before = search.second
            if _is_better(search, [(t, s, layout)]):
                found.append(_difference(search, before, t, s, layout, titles))
            else:
                without[0].append(t.name)
                without[1].append(s.name)
    else:
        _is_better(search, pairs, least=0)
        in_order = paired(weights.by_order)
        if weights.by_order != weights.by_name and _is_better(search, in_order):
            pairs = in_order
            used = {t.name for t, _, _ in pairs}, {s.name for _, s, _ in pairs}
            without = [
                [name for name in names if name not in known]
                for names, known in zip(without, used, strict=True)
            ]
        search.carried = dict(search.given)
        names = [f"{s.name} from {t.name}" for t, s, _ in pairs]
        if names:
            notes.append(f"{len(names)} weights carried over by name and shape: {_listed(names)}")
    notes += [
        f"weights of {title} without a counterpart: {_listed(names)}"
        for title, names in zip(titles, without, strict=True)
        if names
    ]
    return found, notes


def _is_better(search: Search, pairs: list[tuple[Value, Value, Layout]], least: int = 1) -> bool:
    """Give the second side some of the first's weights, if more of its values then agree."""
    before, given = len(search.alignment.counterparts), dict(search.given)
    classes = set(search.given_classes)
    for t, s, layout in pairs:
        search.give(t, s, layout)
    search.begin()
    if len(search.alignment.counterparts) >= before + least:
        return True
    search.given, search.given_classes = given, classes
    search.begin()
    return False


def _listed(names: list[str] | tuple[str, ...]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


def _difference(
    search: Search,
    before: Recording,
    t: Value,
    s: Value,
    layout: Layout,
    titles: tuple[str, str],
) -> Difference:
    text = relation(s.array, layout(t.array), set(), allowed_for(search.working))
    numbers = np.unique(s.array)
    if numbers.size == 1:
        cause = f"the weight {s.name} is {numbers[0]:g} everywhere in {titles[1]}"
    elif text:
        numbers_of_first = f"{titles[0]}'s"
        cause = f"the weight {s.name}: {titles[1]}'s numbers are {text.format(numbers_of_first)}"
    else:
        cause = f"the weight {s.name} has other numbers in {titles[1]}"
    runs = search.first.recording, search.second
    first, second = (
        Place(title, lines_of_use(run, v), v.name, ("weight",), described(v))
        for title, run, v in zip(titles, runs, (t, s), strict=True)
    )
    return Difference((first, second), cause, effect(before, search.second))
