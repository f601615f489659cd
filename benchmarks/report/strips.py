"""Ratios on a logarithmic axis that is as wide as its box.

Positions along the axis are percentages, everything else is in pixels: a drawing fills a phone and
a wide screen, and its letters keep the page's size.
"""

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from benchmarks.report.rows import Ratio

SIDES = (
    '<div class="sides"><span class="jax">← jax.jit took less</span>'
    '<span class="torch">torch.compile took less →</span></div>'
)
_STEP = 5  # pixels from one mark of a heap to the next
_HEAP = 5  # marks; the sixth lies on the first


class Dot(NamedTuple):
    """One mark: its title, which the mouse shows, and its ratio."""

    title: str
    ratio: Ratio


class Axis:
    """Ratios where JAX takes less on the left, those of PyTorch on the right; equal is between."""

    def __init__(self, ratios: Sequence[Ratio]) -> None:
        self.most = 1.35 * max([4, *(max(ratio.value, 1 / ratio.value) for ratio in ratios)])

    def position(self, value: float) -> float:
        """A ratio's position, in percent of the width."""
        value = min(max(value, 1 / self.most), self.most)
        return 50 + 50 * math.log(value) / math.log(self.most)

    def grid(self, height: int) -> str:
        """Lines at the factors that ``labels`` names."""
        positions = [self.position(value) for n in self._factors() for value in (n, 1 / n)]
        lines = [_line("grid", at, 0, height) for at in positions]
        return "".join([*lines, _line("equal", 50, 0, height)])

    def labels(self) -> str:
        """The row of numbers below."""
        labels = [("equal", 50.0)]
        for n in self._factors():
            sign = f"{n}\N{MULTIPLICATION SIGN}"
            labels += [(sign, self.position(value)) for value in (1 / n, n)]
        texts = "".join(f'<text x="{at:.2f}%" y="14">{label}</text>' for label, at in labels)
        return f'<svg class="axis" aria-hidden="true" width="100%" height="20">{texts}</svg>'

    def _factors(self) -> list[int]:
        return [n for n in (4, 16) if n < self.most]  # narrow lanes have no room for more


def lane(
    axis: Axis, dots: Sequence[Dot], alternative: str, *, hollow: bool = False, height: int = 30
) -> str:
    """One line of marks, each with the range of its sessions; several have a bar at their median.

    Args:
        axis: shared by the lanes that are compared.
        dots: the marks.
        alternative: the text alternative.
        hollow: whether marks are outlines.
        height: in pixels.
    """
    several, ranges, marks = len(dots) > 2, [], []
    heaps: dict[int, int] = {}
    for title, ratio in sorted(dots, key=lambda dot: dot.ratio.value):
        at = axis.position(ratio.value)
        heaps[round(at)] = heap = heaps.get(round(at), 0) % _HEAP + 1
        y = height / 2 + (_STEP * (heap // 2) * (-1) ** heap if several else 0)
        ranges.append(_range(axis, ratio, y))
        marks.append(_mark(ratio, at, y, hollow, f"{title}: {in_words(ratio)}"))
    middle = _median(axis, dots, height) if several else ""
    drawn = axis.grid(height) + "".join(ranges) + middle + "".join(marks)
    return (
        f'<svg class="lane" role="img" aria-label="{escape(alternative)}" width="100%" '
        f'height="{height}">{drawn}</svg>'
    )


def strips(kind: str, parts: Sequence[str]) -> str:
    """Cells of a grid, in rows of four: name, sizes, lanes, counts."""
    return f'<div class="strips {kind}">{"".join(parts)}</div>'


def _line(kind: str, at: float, top: float, bottom: float) -> str:
    return f'<line class="{kind}" x1="{at:.2f}%" x2="{at:.2f}%" y1="{top:g}" y2="{bottom:g}"/>'


def _range(axis: Axis, ratio: Ratio, y: float) -> str:
    low, high = axis.position(ratio.low), axis.position(ratio.high)
    return f'<line class="range" x1="{low:.2f}%" x2="{high:.2f}%" y1="{y:g}" y2="{y:g}"/>'


def _median(axis: Axis, dots: Sequence[Dot], height: int) -> str:
    values = sorted(dot.ratio.value for dot in dots)
    middle = math.sqrt(values[(len(values) - 1) // 2] * values[len(values) // 2])
    return _line("median", axis.position(middle), 1, height - 1)


def _mark(ratio: Ratio, at: float, y: float, hollow: bool, title: str) -> str:
    """A dot for JAX, and for PyTorch a triangle, which a nested SVG positions by percent."""
    side = "jax" if ratio.value < 1 else "torch"
    style = f'class="{side}{" hollow" if hollow else ""}"'
    title = f"<title>{escape(title)}</title>"
    if side == "jax":
        return f'<circle {style} cx="{at:.2f}%" cy="{y:g}" r="4">{title}</circle>'
    path = f'<path {style} d="M0-4.6L4.6 3.8H-4.6Z">{title}</path>'
    return f'<svg x="{at:.2f}%" y="{y:g}" overflow="visible">{path}</svg>'


def in_words(ratio: Ratio) -> str:
    """Such as ``"JAX took 2.7 times less (0.37)"``."""
    name, factor = ("JAX", 1 / ratio.value) if ratio.value < 1 else ("PyTorch", ratio.value)
    return f"{name} took {factor:.1f} times less ({ratio})"
