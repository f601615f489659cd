"""Drawings of results as SVG that stands inside the page: its colours, its font, its width."""

import html
import io
import math
import re
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

# Colours to draw with, and what stands in their place in the page.
TEXT, JAX, TORCH = "#010203", "#010204", "#010205"
_IN_THE_PAGE = {
    TEXT: "currentColor",
    JAX: "var(--jaxvstorch-jax, #0b6e6e)",
    TORCH: "var(--jaxvstorch-torch, #a33f16)",
}
# A framework has a colour and a marker, so that nobody needs the colour.
COLOURS = {"numpy": TEXT, "jax": JAX, "torch": TORCH}
MARKERS = {"numpy": "s", "jax": "o", "torch": "^"}
SETTINGS = {
    "svg.fonttype": "none",  # text stays text: it can be selected, and takes the page's font
    "svg.hashsalt": "jaxvstorch",
    "font.family": "sans-serif",
    "font.size": 8.5,
    "axes.titlesize": 9.5,
    "lines.markersize": 4.5,
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor"), TEXT),
    **dict.fromkeys(("xtick.color", "ytick.color", "grid.color"), TEXT),
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "legend.frameon": False,
}
WIDTH = 4.0  # inches: on a phone, its letters are nearly as large as they are drawn
_LINE = 0.19  # inches from one line of a list to the next


def listed(names: Sequence[str]) -> tuple[Figure, Axes]:
    """A drawing with one named entry below the other; a name can have several lines."""
    lines = sum(name.count("\n") + 1 for name in names)
    drawing = Figure(figsize=(WIDTH, 1.0 + _LINE * lines))
    ax = drawing.subplots()
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    tidy(ax)
    return drawing, ax


def tidy(ax: Axes) -> None:
    """Only what is needed to read it."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.2)


def logarithmic(ax: Axes, low: float = math.inf, high: float = 0.0) -> None:
    """A logarithmic axis, at least from ``low`` to ``high``, with plain numbers.

    They are 1, 2 and 5 of each decade, or 1 alone where there are many decades.
    """
    ax.set_xscale("log")
    low, high = min(low, ax.get_xlim()[0]), max(high, ax.get_xlim()[1])
    ax.set_xlim(low, high)
    # matplotlib's own labels overlap here.
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 100 else (1,)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())


def inline(name: str, drawing: Figure, caption: str, description: str) -> str:
    """The drawing as an element of a page: no fixed size, names of its own, the page's colours.

    Args:
        name: unique in the page; the names inside of the drawing begin with it.
        drawing: what was drawn, with the settings in ``SETTINGS``.
        caption: what it shows, in one line that stands above it.
        description: the text alternative.
    """
    drawing.tight_layout()  # once: as the figure's own layout it would be worked out twice
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
    svg = svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
    caption = f"<figcaption>{html.escape(caption)}</figcaption>"
    return f'<figure class="results">{caption}{svg}</figure>'
