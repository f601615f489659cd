"""The figure of what a machine can do: its smallest calls, its products, its copies."""

from collections.abc import Sequence

import matplotlib as mpl

from benchmarks.report import limits
from benchmarks.report.entries import Timing
from extensions import results_svg as svg
from jaxvstorch.frameworks import MODES, TITLES

_NAMES = {"numpy": "NumPy", **TITLES}
Entry = tuple[str, str, float]  # line, framework, value


def figure(name: str, timings: Sequence[Timing]) -> str:
    """One drawing for each yardstick that was measured; nothing where there is none."""
    mine = [timing for timing in timings if timing.topic == limits.YARDSTICKS]
    calls = [
        (MODES[t.framework, t.mode], t.framework, 1e6 * t.median)
        for t in mine if t.name == "dispatch"
    ]  # fmt: skip
    products = [
        (f"{t.dtype}, {_NAMES[t.framework]}", t.framework, t.operations / limits.busy(t) / 1e9)
        for t in sorted(mine, key=lambda t: t.name) if t.operations
    ]  # fmt: skip
    copies = [
        (_NAMES[t.framework], t.framework, t.moved / limits.busy(t) / 1e9)
        for t in timings if t.mode == "copy"
    ]  # fmt: skip
    with mpl.rc_context(svg.SETTINGS):
        return "\n".join(
            [
                _drawing(f"{name}-calls", calls, "The smallest call: one number plus one", "µs"),
                _drawing(f"{name}-copies", copies, "A copy: bytes read and written", "GB/s"),
                _drawing(f"{name}-products", products, "A product of matrices", "GFLOP/s"),
            ]
        )


def _drawing(name: str, entries: Sequence[Entry], caption: str, unit: str) -> str:
    if not entries:
        return ""
    drawing, ax = svg.listed([line for line, _, _ in entries])
    for place, (_, framework, value) in enumerate(entries):
        style = {"color": svg.COLOURS[framework], "marker": svg.MARKERS[framework]}
        ax.plot(value, place, linestyle="", **style)
    low, high = (pick(value for _, _, value in entries) for pick in (min, max))
    if high > 20 * low:
        svg.logarithmic(ax)
    else:
        ax.set_xlim(0, 1.1 * high)
    ax.set_xlabel(unit)
    said = "; ".join(f"{line}: {value:.3g} {unit}" for line, _, value in entries)
    return svg.inline(name, drawing, caption, f"{caption}. {said}")
