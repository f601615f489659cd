"""Figures of benchmark results, as SVG that stands inside the page and takes its colours."""

import html
import io
import re
from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from jaxvstorch.timings import KINDS, Ratio, Row

# Colours to draw with, and what stands in their place in the page.
_TEXT, _JAX, _TORCH = "#010203", "#010204", "#010205"
_IN_THE_PAGE = {
    _TEXT: "currentColor",
    _JAX: "var(--jaxvstorch-jax, #0b6e6e)",
    _TORCH: "var(--jaxvstorch-torch, #a33f16)",
}
_STYLES = {
    ("numpy", "eager"): (_TEXT, ":", "s"),
    ("jax", "eager"): (_JAX, "--", "o"),
    ("jax", "compiled"): (_JAX, "-", "o"),
    ("torch", "eager"): (_TORCH, "--", "^"),
    ("torch", "compiled"): (_TORCH, "-", "^"),
}
_SETTINGS = {
    "svg.fonttype": "none",  # text stays text: it can be selected, and takes the page's font
    "svg.hashsalt": "jaxvstorch",
    "font.family": "sans-serif",
    "font.size": 10,
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor"), _TEXT),
    **dict.fromkeys(("xtick.color", "ytick.color", "grid.color"), _TEXT),
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "legend.frameon": False,
}
_SCALING = 3  # sizes that make a curve


def figure(name: str, rows: Sequence[Row]) -> str:
    """One topic's figure: ratios, or time against size where a function has several sizes.

    Args:
        name: unique in the page; the figure's inner names begin with it.
        rows: one topic's, of later calls.

    Returns:
        An ``<svg>`` element with a text alternative, or nothing where there is nothing to draw.
    """
    curves = {row.name: [other for other in rows if other.name == row.name] for row in rows}
    curves = {name: found for name, found in curves.items() if len(found) >= _SCALING}
    ratios = [(row, ratio) for row in rows if (ratio := row.ratio()) is not None]
    parts = []
    with mpl.rc_context(_SETTINGS):
        if curves:
            parts.append(_inline(f"{name}-size", _scaling(curves), _describe_curves(curves)))
        if ratios:
            parts.append(_inline(f"{name}-ratio", _ratios(ratios), _describe_ratios(ratios)))
    return "\n".join(parts)


def _scaling(curves: dict[str, list[Row]]) -> Figure:
    drawing = Figure(figsize=(7, 3.2 * len(curves)), layout="tight")
    axes = drawing.subplots(len(curves), squeeze=False)[:, 0]
    for ax, (name, rows) in zip(axes, curves.items(), strict=True):
        for kind, (colour, line, marker) in _STYLES.items():
            found = [(row.size, row.times[kind].median) for row in rows if kind in row.times]
            if found:
                style = {"color": colour, "linestyle": line, "marker": marker, "markersize": 5}
                ax.loglog(*zip(*found, strict=True), label=KINDS[kind], **style)
        ax.set(title=name, xlabel="elements", ylabel="seconds per call")
        ax.legend(fontsize=9)
        _tidy(ax)
    return drawing


def _ratios(ratios: Sequence[tuple[Row, Ratio]]) -> Figure:
    drawing = Figure(figsize=(7, 1.3 + 0.3 * len(ratios)), layout="tight")
    ax = drawing.subplots()
    ax.axvline(1, color=_TEXT, linewidth=1)
    for place, (_, ratio) in enumerate(ratios):
        low = min(ratio.spread, 0.9 * ratio.value)  # on a logarithmic axis, above zero
        colour = _JAX if ratio.value < 1 else _TORCH
        bars = [[low], [ratio.spread]]
        ax.errorbar(ratio.value, place, xerr=bars, color=colour, marker="o", markersize=5)
    labels = [f"{row.name}, {row.size:,}" for row, _ in ratios]
    ax.set_yticks(range(len(ratios)), labels)
    ax.invert_yaxis()
    ax.set_xscale("log")
    # 1, 2 and 5 of each decade, in plain numbers: matplotlib's own labels overlap here.
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("jax.jit's time over torch.compile's; below 1, JAX took less")
    _tidy(ax)
    return drawing


def _tidy(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.2)


def _describe_curves(curves: dict[str, list[Row]]) -> str:
    return f"Time against size of {', '.join(curves)}, in each way of calling; the table has them."


def _describe_ratios(ratios: Sequence[tuple[Row, Ratio]]) -> str:
    listed = "; ".join(f"{row.name} at {row.size:,}: {ratio}" for row, ratio in ratios)
    return f"jax.jit's time over torch.compile's. {listed}"


def _inline(name: str, drawing: Figure, description: str) -> str:
    """The drawing as an element for HTML: no fixed size, names of its own, the page's colours."""
    buffer = io.StringIO()
    drawing.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    for colour, replacement in _IN_THE_PAGE.items():
        svg = svg.replace(colour, replacement)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(url\(|href=")#', rf"\1#{name}-", svg)
    svg = re.sub(r' (?:width|height)="[\d.]+pt"', "", svg, count=2)
    label = html.escape(description, quote=True)
    style = "width: 100%; max-width: 46rem; height: auto"
    return svg.replace("<svg", f'<svg role="img" aria-label="{label}" style="{style}"', 1)
