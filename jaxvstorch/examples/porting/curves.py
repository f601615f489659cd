"""Line plots as SVG that read on light and on dark pages, one small plot beside the other."""

from collections.abc import Iterable, Mapping, Sequence, Sized
from html import escape
from math import ceil, floor, log10
from typing import Literal

WIDTH, HEIGHT = 320, 190
LEFT, RIGHT, TOP, BOTTOM = 46, 8, 26, 24  # what titles and numbers take

_COLORS = {
    "PyTorch": "var(--jaxvstorch-torch, #a33f16)",
    "JAX": "var(--jaxvstorch-jax, #0b6e6e)",
}
_OTHERS = ("var(--pst-color-text-muted, #777)", _COLORS["JAX"])
_TEXT = "var(--pst-color-text-base, #777)"
_GRID = "var(--pst-color-border, #8888)"
_GRID_STYLE = (
    "margin:0;display:grid;grid-template-columns:repeat(auto-fit,minmax({least}px,1fr));gap:.5rem"
)


class Figure:
    """What a notebook shows of it is HTML with one SVG for each plot."""

    def __init__(self, plots: Sequence[str], least: int) -> None:
        self._html = "".join(plots)
        self._style = _GRID_STYLE.format(least=least)

    def _repr_html_(self) -> str:
        return f'<figure style="{self._style}">{self._html}</figure>'

    def __repr__(self) -> str:
        return "a figure"


def figure(plots: Sequence[str], least: int = 230) -> Figure:
    """Plots side by side, each at least so many pixels wide."""
    return Figure(plots, least)


def plot(
    title: str,
    lines: Mapping[str, Sequence[float]],
    says: str,
    every: int = 1,
    scale: Literal["log", "linear"] = "log",
) -> str:
    """One plot of one or two lines, as SVG.

    Args:
        title: what stands above it.
        lines: values by the name of each line; of two lines the first is dashed and above, such
            that both are seen.
        says: what a reader who does not see it is told.
        every: the steps from one value to the next; the first stands at this step.
        scale: of the values; a linear one begins at 0, and a logarithmic one leaves out zeros.
    """
    axis = _Axis([y for line in lines.values() for y in line], scale)
    last = every * max(map(len, lines.values()))
    parts = [_text(LEFT, 15, title, "start", "font-weight:600")]
    for mark in axis.marks:
        y = f"{axis.place(mark):.1f}"
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="{_GRID}"/>')
        parts.append(_text(LEFT - 5, float(y) + 4, _number(mark), "end"))
    parts += [_text(_across(x, last), HEIGHT - 8, f"{x:g}", "end") for x in (last / 2, last)]
    parts.append(_text(LEFT, HEIGHT - 8, "step", "start"))
    drawn = [
        _line(
            name,
            [(_across(every * (i + 1), last), axis.place(y)) for i, y in enumerate(line) if y > 0],
            color,
            dash,
        )
        for (name, line), color, dash in zip(
            lines.items(), _colors(lines), _dashes(lines), strict=True
        )
    ]
    label = escape(f"{title}. {says}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{label}" style="width:100%;height:auto;font:12px system-ui,sans-serif">'
        f"{''.join(parts + drawn[::-1])}</svg>"
    )


class _Axis:
    """Where a value stands, and the values that have a line across the plot."""

    def __init__(self, values: Sequence[float], scale: str) -> None:
        self._is_log = scale == "log"
        if self._is_log:
            low = floor(log10(min(y for y in values if y > 0)))
            high = max(low + 1, ceil(log10(max(values))))
            self.marks = [10.0**power for power in range(low, high + 1, 1 + (high - low) // 5)]
        else:
            low, high = 0, max(1, ceil(max(values)))
            self.marks = [float(mark) for mark in range(high + 1)]
        self._low, self._high = low, high

    def place(self, value: float) -> float:
        found = log10(value) if self._is_log else value
        share = (self._high - found) / (self._high - self._low)
        return TOP + (HEIGHT - TOP - BOTTOM) * share


def _across(step: float, last: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * step / last


def _line(name: str, points: Sequence[tuple[float, float]], color: str, dash: str) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return (
        f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2" '
        f'stroke-dasharray="{dash}"><title>{escape(name)}</title></polyline>'
    )


def _colors(names: Iterable[str]) -> list[str]:
    return [_COLORS.get(name, other) for name, other in zip(names, _OTHERS, strict=False)]


def _dashes(names: Sized) -> list[str]:
    return ["none"] if len(names) == 1 else ["6 4", "none"]


def legend(*names: str) -> str:
    """The names of the lines in their colours: a strip above the plots."""
    marks = "".join(
        f'<span style="color:{color};font-weight:600">{dash} {escape(name)}</span>'
        for name, color, dash in zip(names, _colors(names), ("╌╌", "──"), strict=False)
    )
    return f'<div style="grid-column:1/-1;display:flex;gap:1.5rem;flex-wrap:wrap">{marks}</div>'


def _number(value: float) -> str:
    return f"{value:.0e}".replace("e-0", "e-") if value < 1e-3 and value else f"{value:g}"


def _text(x: float, y: float, text: str, anchor: str, style: str = "") -> str:
    style = f' style="{style}"' if style else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{_TEXT}"{style}>'
        f"{escape(text)}</text>"
    )
