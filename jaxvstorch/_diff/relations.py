"""What the numbers of one array are to those of another, where that is simple enough to say."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from jaxvstorch._diff.numbers import distance, largest, widened
from jaxvstorch._diff.recording import Array

_FEW = 8


def relation(theirs: Array, ours: Array, sizes: set[int], allowed: float) -> str:
    """How the other side's numbers come from ours; empty where nothing simple gives them.

    Args:
        theirs: the other side's, with ours in the same places.
        ours: of this side.
        sizes: of axes, whose roots and inverses a factor may be.
        allowed: the distance that counts as the same.

    Returns:
        A text with ``{}`` for ours, such as "2 times {}".
    """
    if theirs.dtype.kind not in "fc" or ours.dtype.kind not in "fc":
        return ""
    a, b = widened(ours), widened(theirs)
    for text, numbers in (*_scaled(a, b, sizes), *_other(a), *_moved(a)):
        if a.size < _FEW and " = " not in text and not _is_simple(a, b):
            continue  # any two numbers have some factor
        if distance(numbers, b) <= allowed:
            return text
    return ""


def factor_or_offset(theirs: Array, ours: Array, allowed: float) -> str:
    """``relation``, only where the other side's numbers are ours times or plus a number."""
    if ours.size < _FEW or theirs.dtype.kind not in "fc" or ours.dtype.kind not in "fc":
        return ""
    a, b = widened(ours), widened(theirs)
    scaled = _scaled(a, b, set())
    return next((text for text, numbers in scaled if distance(numbers, b) <= allowed), "")


def _is_simple(a: Array, b: Array) -> bool:
    """Whether one number is a simple multiple of another."""
    factor = float(np.real(b.flat[0] / a.flat[0])) if a.flat[0] else 0.0
    simple = float(Fraction(factor).limit_denominator(16)) if np.isfinite(factor) else 0.0
    return factor != 0 and abs(factor) < 1e4 and abs(simple / factor - 1) < 1e-9


def _scaled(a: Array, b: Array, sizes: set[int]) -> Iterator[tuple[str, Array]]:
    finite = np.isfinite(a) & np.isfinite(b)
    with np.errstate(all="ignore"):
        x, y = a[finite], b[finite]
        if (norm := np.vdot(x, x).real) > 0:
            factor = float(np.vdot(x, y).real / norm)
            yield f"{_named(factor, sizes)} times {{}}", a * factor
        if x.size:
            offset = float((y - x).real.mean())
            yield f"{{}} plus {offset:.6g}", a + offset


def _other(a: Array) -> Iterator[tuple[str, Array]]:
    with np.errstate(all="ignore"):
        yield "the reciprocals of {}", 1 / a
        yield "the squares of {}", a * a
        yield "the roots of {}", np.sqrt(a)
        yield "the logarithms of {}", np.log(a)
        yield "the exponentials of {}", np.exp(a)
        yield "1 less {}", 1 - a


def _moved(a: Array) -> Iterator[tuple[str, Array]]:
    for axis in range(a.ndim):
        size = a.shape[axis]
        if size > 1:
            yield f"{{}} in reverse order along axis {axis}", np.flip(a, axis)
            for n in (1, -1):
                yield f"{{}} moved by {n} along axis {axis}", np.roll(a, n, axis)
        for parts in (2, 3, 4):
            if size % parts == 0 and size > parts:
                interleaved = _interleaved(a, axis, parts)
                yield f"{{}} with {parts} parts of axis {axis} interleaved", interleaved
                apart = _interleaved(a, axis, size // parts)
                yield f"{{}} with every {parts}th element of axis {axis} taken first", apart


def _interleaved(array: Array, axis: int, parts: int) -> Array:
    moved = np.moveaxis(array, axis, 0)
    split = moved.reshape(parts, -1, *moved.shape[1:]).swapaxes(0, 1)
    return np.moveaxis(split.reshape(moved.shape), 0, axis)


def _named(factor: float, sizes: set[int]) -> str:
    """A factor, and what it is of the size of an axis."""
    for size in sorted(sizes):
        for text, value in (
            (f"{size}", size),
            (f"1/{size}", 1 / size),
            (f"sqrt({size})", size**0.5),
            (f"1/sqrt({size})", size**-0.5),
            (f"{size}/{size - 1}", size / max(size - 1, 1)),
            (f"{size - 1}/{size}", (size - 1) / size),
        ):
            if size > 2 and abs(factor / value - 1) < 1e-6:
                return f"{factor:.6g} = {text}"
    return f"{factor:.6g}"


def constant_where_they_differ(
    theirs: Array, ours: Array, allowed: float
) -> tuple[float, float] | None:
    """The two numbers, if the arrays differ only where each has one."""
    a, b = widened(ours), widened(theirs)
    with np.errstate(invalid="ignore"):
        near = max(allowed, 1e-9) * (max(largest(a), largest(b)) or 1.0)
        differ = ~((a == b) | (np.abs(a - b) <= near) | (np.isnan(a) & np.isnan(b)))
        if not differ.any() or differ.all():
            return None
        x, y = a[differ], b[differ]
        if not all(((z == z[0]) | (np.abs(z - z[0]) <= near)).all() for z in (x, y)):
            return None
    return float(x[0]), float(y[0])
