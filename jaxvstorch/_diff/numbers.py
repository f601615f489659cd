"""Whether two arrays have the same numbers, and how one lies in the other.

What only a layout changes (a transposed kernel, NHWC for NCHW, heads split off) does not matter:
summaries that no layout changes find a counterpart among many arrays, and then the axes of one are
laid along those of the other.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from jaxvstorch._diff.recording import Array

# Roundings that a short chain of operations may leave, as in check_parity.
_ROUNDINGS, _FEW_ROUNDINGS, _COARSE = 64, 8, 1e-4
_SAMPLE = 64
_MOST_AXES = 6
_SORTED = 1 << 22  # elements; sorting more takes too long
_LARGE = 1 << 20  # elements
_PART = 1 << 22  # elements that are made float64 at once


@dataclass(frozen=True)
class Layout:
    """How an array lies in another: its axes in this order, and then reshaped.

    Attributes:
        axes: an order of the axes.
        shape: of the other array.
        split: a shape that the array is brought to first; None for its own.
    """

    axes: tuple[int, ...]
    shape: tuple[int, ...]
    split: tuple[int, ...] | None = None

    def __call__(self, array: Array) -> Array:
        """The array as it lies in the other."""
        if self.split is not None:
            array = array.reshape(self.split)
        return array.transpose(self.axes).reshape(self.shape)

    def fits(self, array: Array) -> bool:
        """Whether an array can lie so."""
        shape = array.shape if self.split is None else self.split
        sizes = array.size, int(np.prod(shape))
        return len(shape) == len(self.axes) and sizes[0] == sizes[1] == int(np.prod(self.shape))

    def inverse(self, shape: tuple[int, ...]) -> "Layout":
        """How the other array, of ``self.shape``, lies in one of this shape."""
        before = self.split or shape
        turned = tuple(before[i] for i in self.axes)
        back = tuple(int(i) for i in np.argsort(self.axes))
        return Layout(back, shape, turned)


def allowed_for(eps: float) -> float:
    """The distance that two arrays of a dtype may have and count as the same numbers."""
    return eps * (_FEW_ROUNDINGS if eps > _COARSE else _ROUNDINGS)


def widened(array: Array) -> Array:
    """The numbers in float64, complex128 or as integers."""
    if array.dtype.kind in "biu":
        return array
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64, copy=False)


def largest(array: Array) -> float:
    """The largest finite magnitude; 0 if there is none."""
    if array.dtype.kind == "b" or not array.size:
        return float(array.size > 0)
    wide = widened(array)
    if wide.dtype.kind == "c":
        wide = np.abs(wide)
    with np.errstate(invalid="ignore"):
        top = max(float(wide.max()), -float(wide.min()))
        if np.isfinite(top):
            return top
        return float(np.abs(wide).max(initial=0.0, where=np.isfinite(wide)))


def distance(one: Array, other: Array) -> float:
    """The largest difference of two numbers in the same place, relative to the largest number.

    NaN equals NaN, and an infinity the same infinity; everything else is infinitely far from both.
    """
    if one.size == 0:
        return 0.0
    if one.size > _LARGE and one.dtype == other.dtype and np.array_equal(one, other):
        return 0.0  # as most weights are: without copies in float64
    a, b = widened(one), widened(other)
    if "b" in (one.dtype.kind, other.dtype.kind):
        return float((a != b).any())
    if a.dtype.kind in "iu" and b.dtype.kind in "iu":
        a, b = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        gap = float(np.abs(a - b).max())
        if np.isfinite(gap):
            return gap / max(largest(a), largest(b)) if gap else 0.0
        # Somewhere one of them is not finite, or the difference is not.
        finite = np.isfinite(a) & np.isfinite(b)
        if not np.array_equal(a[~finite], b[~finite], equal_nan=a.dtype.kind in "fc"):
            return float("inf")
        a, b = a[finite], b[finite]
        gap = float(np.abs(a - b).max(initial=0.0))
        return gap / max(largest(a), largest(b)) if gap else 0.0


def find_layout(array: Array, other: Array, allowed: float) -> Layout | None:
    """How an array lies in another of as many elements, if the numbers then agree."""
    for layout in possible_layouts(array.shape, other.shape):
        is_likely = _sample_agrees(array, other, layout, allowed)
        if is_likely and distance(layout(array), other) <= allowed:
            return layout
    return None


def possible_layouts(shape: tuple[int, ...], other: tuple[int, ...]) -> Iterable[Layout]:
    """The ways to lay an array of one shape into another: its axes, or the other's, turned."""
    if shape == other:
        yield Layout(tuple(range(len(shape))), other)
    if len(shape) <= _MOST_AXES:
        seen = set()
        for axes in permutations(range(len(shape))):
            turned = tuple(shape[i] for i in axes if shape[i] != 1)
            if (layout := _moved(axes, shape)) in seen:
                continue
            seen.add(layout)
            if _splits(turned, other) or _splits(other, turned):
                yield Layout(axes, other)
    if len(other) <= _MOST_AXES and len(other) > 1:
        for axes in permutations(range(len(other))):
            turned = tuple(other[i] for i in axes)
            if axes != tuple(range(len(other))) and _splits(turned, shape):
                yield Layout(tuple(int(i) for i in np.argsort(axes)), other, turned)


def _moved(axes: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The order of the axes that are longer than 1."""
    return tuple(axis for axis in axes if shape[axis] != 1)


def _splits(fine: tuple[int, ...], coarse: tuple[int, ...]) -> bool:
    """Whether neighbouring axes of one shape can be joined to give the other."""
    rest = [n for n in fine if n != 1]
    for size in coarse:
        product = 1
        while product < size and rest:
            product *= rest.pop(0)
        if product != size:
            return False
    return not rest


def _sample_agrees(array: Array, other: Array, layout: Layout, allowed: float) -> bool:
    if array.size <= 4 * _SAMPLE:
        return True
    ours, theirs = sample(array, other, layout, _SAMPLE)
    # A sample can lack the largest numbers, which set the scale.
    scale = max(largest(ours), largest(theirs)) or 1.0
    return distance(ours, theirs) <= allowed * max(1.0, (largest(other) or 1.0) / scale)


def sample(array: Array, other: Array, layout: Layout, count: int) -> tuple[Array, Array]:
    """Some numbers of an array, and those in the same places of the other that it lies in."""
    turned = (array if layout.split is None else array.reshape(layout.split)).transpose(layout.axes)
    flat = np.linspace(0, array.size - 1, min(array.size, count)).astype(np.int64)
    both = [x.reshape(x.shape or (1,)) for x in (turned, other)]
    first, second = (x[np.unravel_index(flat, x.shape)] for x in both)
    return first, second


def sorted_numbers(array: Array) -> Array | None:
    """The numbers in ascending order; None where there are too many."""
    return np.sort(widened(array).ravel()) if array.size <= _SORTED else None


class Summaries:
    """Finds arrays by summaries of their numbers that no layout changes."""

    def __init__(self) -> None:
        self._rows: dict[int, list[tuple[int, Array]]] = defaultdict(list)
        self._tables: dict[int, Array] = {}  # the summaries of all rows of one size

    def add(self, index: int, array: Array) -> None:
        """Add an array."""
        self._rows[array.size].append((index, _summary(array)))
        self._tables.pop(array.size, None)

    def near(self, array: Array, allowed: float) -> list[int]:
        """The indices of the arrays that may have the same numbers, the latest first."""
        rows = self._rows.get(array.size)
        if not rows:
            return []
        if array.size not in self._tables:
            self._tables[array.size] = np.stack([row for _, row in rows])
        summary, table = _summary(array), self._tables[array.size]
        with np.errstate(invalid="ignore"):
            scale = np.maximum(table[:, 3:4], summary[3])
            is_near = (np.abs(table[:, 3:] - summary[3:]) <= allowed * scale + 1e-300).all(1)
        is_near &= (table[:, :3] == summary[:3]).all(1)  # what is not finite
        return [rows[n][0] for n in np.flatnonzero(is_near)[::-1]]


def _summary(array: Array) -> Array:
    """Counts of what is not finite; then the largest magnitude, both ends, and two means."""
    flat = array.ravel()
    counts = [0, 0, 0]
    if array.dtype.kind not in "biu":
        with np.errstate(over="ignore", invalid="ignore"):
            total = flat.sum(dtype=widened(flat[:1]).dtype)
        if not np.isfinite(total):
            wide = widened(flat)
            counts = [np.isnan(wide).sum(), np.isinf(wide).sum(), np.sum(wide.real == np.inf)]
            flat = wide[np.isfinite(wide)]
    if not flat.size:
        return np.array([*counts, *[0.0] * 5])
    ends = max(float(x.real.max()) for x in _parts(flat)), min(x.real.min() for x in _parts(flat))
    is_complex = array.dtype.kind == "c"
    top = max(float(np.abs(x).max()) for x in _parts(flat)) if is_complex else max(map(abs, ends))
    # Squares of what is neither tiny nor huge are numbers too.
    scale = 1.0 if 1e-150 < top < 1e150 else top or 1.0
    total = squares = 0.0
    for part in _parts(flat):
        scaled = part if scale == 1.0 else part / scale
        total += float(scaled.real.sum())
        # Not by `vdot`: on a busy machine its threads wait for each other.
        squares += float(np.square(np.abs(scaled) if is_complex else scaled).sum())
    root = top and scale * float(np.sqrt(squares / flat.size))
    return np.array([*counts, top, *ends, scale * (total / flat.size), root])


def _parts(flat: Array) -> Iterator[Array]:
    """An array in parts, each in float64 or complex128."""
    dtype = np.complex128 if flat.dtype.kind == "c" else np.float64
    for begin in range(0, flat.size, _PART):
        yield flat[begin : begin + _PART].astype(dtype, copy=False)
