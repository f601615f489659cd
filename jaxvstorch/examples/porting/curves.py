"""Line plots as SVG that read on light and on dark pages, one small plot beside the other."""

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log10

WIDTH, HEIGHT = 320, 190
LEFT, RIGHT, TOP, BOTTOM = 46, 8, 26, 24  # what titles and numbers take

_COLORS = (
    "var(--jaxvstorch-torch, #a33f16)",
    "var(--jaxvstorch-jax, #0b6e6e)",
)
_TEXT = "var(--pst-color-text-base, #777)"
_GRID = "var(--pst-color-border, #8888)"
_GRID_STYLE = "display:grid;grid-template-columns:repeat(auto-fit,minmax({least}px,1fr));gap:.5rem"


class Figure:
    """What a notebook shows of it is HTML with one SVG for each plot."""

    def __init__(self, plots: Sequence[str], least: int) -> None:
        self._html = "".join(plots)
        self._style = _GRID_STYLE.format(least=least)

    def _repr_html_(self) -> str:
        return f'<div style="{self._style}">{self._html}</div>'

    def __repr__(self) -> str:
        return "a figure"


def figure(plots: Sequence[str], least: int = 230) -> Figure:
    """Plots side by side, each at least so many pixels wide."""
    return Figure(plots, least)


def plot(
    title: str,
    lines: Mapping[str, Sequence[tuple[float, float]]],
    says: str,
    width: int = WIDTH,
    height: int = HEIGHT,
) -> str:
    """One plot of one or two lines with a logarithmic axis, as SVG.

    Args:
        title: what stands above it.
        lines: points by the name of each line; the first is dashed, such that both are seen.
        says: what a reader who does not see it is told.
        width: of its coordinates.
        height: of its coordinates.
    """
    points = [point for line in lines.values() for point in line if point[1] > 0]
    low = floor(log10(min(y for _, y in points)))
    high = max(low + 1, ceil(log10(max(y for _, y in points))))
    last = max(x for x, _ in points)
    inner_x, inner_y = width - LEFT - RIGHT, height - TOP - BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + inner_x * x / last, TOP + inner_y * (high - log10(y)) / (high - low)

    parts = [_text(LEFT, 15, title, "start", "font-weight:600")]
    for power in range(low, high + 1, 1 + (high - low) // 5):
        y = at(0, 10.0**power)[1]
        parts.append(
            f'<line x1="{LEFT}" x2="{width - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{_GRID}"/>'
        )
        parts.append(_text(LEFT - 5, y + 4, _power(power), "end"))
    parts += [_text(at(x, 1)[0], height - 8, f"{x:g}", "end") for x in (last / 2, last)]
    parts.append(_text(LEFT, height - 8, "step", "start"))
    for (name, line), color, dash in zip(lines.items(), _COLORS, ("6 4", "none"), strict=False):
        path = " ".join("{:.1f},{:.1f}".format(*at(x, y)) for x, y in line if y > 0)
        parts.insert(
            1,
            f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2" '
            f'stroke-dasharray="{dash}"><title>{escape(name)}</title></polyline>',
        )
    label = escape(f"{title}. {says}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{label}" style="width:100%;height:auto;font:12px system-ui,sans-serif">'
        f"{''.join(parts)}</svg>"
    )


def legend(*names: str) -> str:
    """The names of the lines in their colours: a strip above the plots."""
    marks = "".join(
        f'<span style="color:{color};font-weight:600">{dash} {escape(name)}</span>'
        for name, color, dash in zip(names, _COLORS, ("╌╌", "──"), strict=False)
    )
    return f'<div style="grid-column:1/-1;display:flex;gap:1.5rem;flex-wrap:wrap">{marks}</div>'


def _power(power: int) -> str:
    return f"{10.0**power:g}" if -4 < power < 4 else f"1e{power}"


def _text(x: float, y: float, text: str, anchor: str, style: str = "") -> str:
    style = f' style="{style}"' if style else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{_TEXT}"{style}>'
        f"{escape(text)}</text>"
    )
