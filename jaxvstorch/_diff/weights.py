"""Which weight of one side is which of the other's."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches

from jaxvstorch._diff.numbers import (
    Layout,
    Summaries,
    distance,
    find_layout,
    possible_layouts,
    sorted_numbers,
)
from jaxvstorch._diff.recording import Array, is_plain

_SAME = 1e-6  # float32 in float64, or rounded once
_LIKE = 0.4
_WORDS = {"kernel": "weight", "scale": "weight", "embedding": "weight", "gamma": "weight",
          "w": "weight", "beta": "bias", "b": "bias", "running": "", "value": "",
          "params": "", "stats": "", "batch": ""}  # fmt: skip


@dataclass(frozen=True)
class Weights:
    """How the weights of two sides correspond.

    Attributes:
        equal: of the second's that have the first's numbers: the first's name.
        by_name: of the second's others: the first's name, and how it lies in the second's.
        by_order: the same, but those of one shape in the order in which the sides have them, where
            both have as many.
        meant_equal: whether most of the second's have the first's numbers, not counting those that
            tell nothing, such as biases of 0.
        only_first: names of the first's that correspond to nothing.
        only_second: names of the second's.
    """

    equal: dict[str, str]
    by_name: dict[str, tuple[str, Layout]]
    by_order: dict[str, tuple[str, Layout]]
    meant_equal: bool
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


def correspond(
    first: dict[str, Array], second: dict[str, Array], given: Mapping[str, str]
) -> Weights:
    """Pair the weights up: those with equal numbers, and the others by name and shape.

    Args:
        first: the weights of the first side.
        second: those of the second.
        given: names of the second's, each with the first's name for it.

    Raises:
        ValueError: a given name is none of a side's, or two weights have other sizes.
    """
    for b, a in given.items():
        for name, known, which in ((a, first, "first"), (b, second, "second")):
            if name not in known:
                near = get_close_matches(name, known, 3) or list(known)[:3]
                raise ValueError(
                    f"weights: the {which} side has no weight {name!r}, but {', '.join(near)}"
                )
        if first[a].size != second[b].size:
            raise ValueError(
                f"weights: {a!r} has the shape {first[a].shape} and {b!r} {second[b].shape}"
            )
    summaries = Summaries()
    for n, array in enumerate(first.values()):
        summaries.add(n, array)
    names, used, left = list(first), set[str](), list[str]()
    pairs: dict[str, str] = {}
    for name, array in second.items():
        near = [] if is_plain(array) else [names[n] for n in summaries.near(array, _SAME)]
        # A kernel that is reversed, say, has the same numbers too; its use shows if that is right.
        equal = [other for other in near if _have_same_numbers(first[other], array)]
        used |= set(equal)
        if equal:
            free = [other for other in equal if other not in given.values()] or equal
            named = given.get(name)
            pairs[name] = (
                named if named in equal else max(free, key=lambda other: _likeness(other, name))
            )
        else:
            left.append(name)
    rest = [name for name in first if name not in used]
    likeness = sorted(
        ((-_likeness(a, b), a, b) for a in rest for b in left if _same_sizes(first[a], second[b])),
    )
    by_name = {b: (a, _layout(a, first[a], b, second[b])) for b, a in given.items() if b in left}
    taken = set(given.values())
    for likely, a, b in likeness:
        if a not in taken and b not in by_name and -likely >= _LIKE:
            by_name[b] = a, _layout(a, first[a], b, second[b])
            taken.add(a)
    for name in left:  # a shape that only one weight of either side has left
        alike = [a for a in rest if a not in taken and _same_sizes(first[a], second[name])]
        others = [b for b in left if b not in by_name and _same_sizes(second[b], second[name])]
        if alike and others == [name] and all(_is_copy(first[a], first[alike[0]]) for a in alike):
            by_name[name] = alike[0], _layout(alike[0], first[alike[0]], name, second[name])
            taken.add(alike[0])
    telling = [name for name, array in second.items() if not is_plain(array)]
    meant_equal = bool(telling) and len(pairs) >= len(telling) / 2
    for b, (a, _) in list(by_name.items()):
        if b not in given and _have_same_numbers(first[a], second[b]):
            pairs[b] = by_name.pop(b)[0]
    return Weights(
        pairs,
        by_name,
        by_name | _in_order(first, second, rest, left, given),
        meant_equal,
        tuple(name for name in rest if name not in taken and first[name].dtype.kind == "f"),
        tuple(name for name in left if name not in by_name and name not in pairs),
    )


def _in_order(
    first: dict[str, Array],
    second: dict[str, Array],
    rest: list[str],
    left: list[str],
    given: Mapping[str, str],
) -> dict[str, tuple[str, Layout]]:
    """The weights that are left, those of one shape in their order."""
    found: dict[str, tuple[str, Layout]] = {}
    ours = [name for name in rest if name not in given.values()]
    theirs = [name for name in left if name not in given]
    for sizes in {tuple(sorted(n for n in second[b].shape if n > 1)) for b in theirs}:
        names = [
            [x for x in side if tuple(sorted(n for n in arrays[x].shape if n > 1)) == sizes]
            for side, arrays in ((ours, first), (theirs, second))
        ]
        if len(names[0]) == len(names[1]):
            for a, b in zip(*names, strict=True):
                found[b] = a, _layout(a, first[a], b, second[b])
    return found


def _same_sizes(a: Array, b: Array) -> bool:
    return sorted(n for n in a.shape if n > 1) == sorted(n for n in b.shape if n > 1)


def _is_copy(a: Array, b: Array) -> bool:
    """Whether one is the other, or its copy, as in an average of the weights."""
    return a.shape == b.shape and bool((a == b).all())


def _have_same_numbers(a: Array, b: Array) -> bool:
    if find_layout(a, b, _SAME) is not None:
        return True
    one, other = sorted_numbers(a), sorted_numbers(b)
    return one is not None and other is not None and distance(one, other) <= _SAME


def _likeness(first: str, second: str) -> float:
    return SequenceMatcher(None, _words(first), _words(second)).ratio()


def _words(name: str) -> list[str]:
    """The words and numbers of a weight's name, in PyTorch's terms."""
    words = re.findall(r"[a-z]+|\d+", name.lower())
    return [word for word in (_WORDS.get(word, word) for word in words) if word]


def _layout(first: str, a: Array, second: str, b: Array) -> Layout:
    """How a weight of the first lies in the second's: a kernel's axes are in another order."""
    kernels = [bool(re.search(r"kernel\W*(value)?\W*$", name)) for name in (first, second)]
    if kernels[0] != kernels[1] and a.ndim == b.ndim and a.ndim >= 2:
        last = a.ndim - 1
        to_kernel = (*range(2, a.ndim), 1, 0)
        from_kernel = (last, last - 1, *range(last - 1))
        axes = to_kernel if kernels[1] else from_kernel
        if tuple(a.shape[i] for i in axes) == b.shape:
            return Layout(axes, b.shape)
    return next(iter(possible_layouts(a.shape, b.shape)))
