"""Figures of one topic's results: ratios, first calls, time by size, and share of the limit."""

from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.lines import Line2D

from benchmarks.report import limits
from benchmarks.report.entries import Timing
from benchmarks.report.rows import Row, plain_rows
from benchmarks.report.schema import Results
from extensions import results_svg as svg
from jaxvstorch.frameworks import COMPILERS, MODES
from jaxvstorch.measure.durations import seconds

_LINES = {"eager": "--", "compiled": "-", "compiled, synchronous": "-."}
_SCALING = 3  # sizes that make a curve


def figures(name: str, found: Sequence[Row], results: Results) -> str:
    """Every figure that there is something to draw for.

    Args:
        name: unique in the page; the figures' inner names begin with it.
        found: what is drawn, of one topic.
        results: the whole run on that machine, with its yardsticks.

    Returns:
        ``<figure>`` elements, whose drawings have text alternatives; or nothing.
    """
    plain = plain_rows(found)
    with mpl.rc_context(svg.SETTINGS):
        drawings = [
            _ratios(f"{name}-ratio", plain),
            _first_calls(f"{name}-first", found),
            *_curves(f"{name}-size", plain),
            _limits(f"{name}-limit", found, results),
        ]
    return "\n".join(drawings)


def _title(name: str, size: int) -> str:
    return f"{name}, {size:,}"


def _ratios(name: str, found: Sequence[Row]) -> str:
    ratios = [(_title(row.name, row.size), ratio) for row in found if (ratio := row.ratio())]
    if not ratios:
        return ""
    drawing, ax = svg.listed([title for title, _ in ratios])
    ax.axvline(1, color=svg.TEXT, linewidth=1)
    for place, (_, ratio) in enumerate(ratios):
        less = "jax" if ratio.value < 1 else "torch"
        reach = [[ratio.value - ratio.low], [ratio.high - ratio.value]]
        style = {"color": svg.COLOURS[less], "marker": svg.MARKERS[less]}
        ax.errorbar(ratio.value, place, xerr=reach, **style)
    svg.logarithmic(ax, 0.5, 2)
    ax.set_xlabel("● JAX took less  ←  1  →  ▲ PyTorch took less", loc="right")
    said = "; ".join(f"{title}: {ratio}" for title, ratio in ratios)
    caption = "Later calls: jax.jit's time over torch.compile's, with the range of the sessions"
    return svg.inline(name, drawing, caption, f"{caption}. {said}")


def _first_calls(name: str, found: Sequence[Row]) -> str:
    compiled = {
        _title(row.name, row.size): {f: row.times.get((f, "compiled")) for f in COMPILERS}
        for row in found
    }
    timed = {
        title: {f: t for f, t in both.items() if t and t.first_call}
        for title, both in compiled.items()
    }
    timed = {title: both for title, both in timed.items() if both}
    if not timed:
        return ""
    drawing, ax = svg.listed(list(timed))
    said = []
    for place, (title, both) in enumerate(timed.items()):
        for framework, timing in both.items():
            style = {"color": svg.COLOURS[framework], "marker": svg.MARKERS[framework]}
            ax.plot(timing.first_call, place, linestyle="", **style)
            if timing.new_shape:
                ax.plot(timing.new_shape, place, linestyle="", markerfacecolor="none", **style)
            times = f"{seconds(timing.first_call)}, new shape {seconds(timing.new_shape)}"
            said.append(f"{title}, {COMPILERS[framework]}: {times}")
    svg.logarithmic(ax)
    ax.set_xlabel("seconds")
    ax.legend(handles=[*map(_key, COMPILERS), _hollow()], loc="lower right",
              bbox_to_anchor=(1.03, 1), ncols=3, columnspacing=0.8, handletextpad=0.1)  # fmt: skip
    caption = "The first call, and the first with a new shape"
    return svg.inline(name, drawing, caption, f"{caption}. {'; '.join(said)}")


def _key(framework: str) -> Line2D:
    style = {"color": svg.COLOURS[framework], "marker": svg.MARKERS[framework]}
    return Line2D([], [], linestyle="", label=COMPILERS[framework], **style)


def _hollow() -> Line2D:
    style = {"color": svg.TEXT, "marker": "o", "markerfacecolor": "none"}
    return Line2D([], [], linestyle="", label="hollow: new shape", **style)


def _curves(name: str, found: Sequence[Row]) -> list[str]:
    by_name: dict[str, list[Row]] = {}
    for row in found:
        by_name.setdefault(row.name, []).append(row)
    curves = {
        function: several for function, several in by_name.items() if len(several) >= _SCALING
    }
    return [_curve(f"{name}-{function}", function, several) for function, several in curves.items()]


def _curve(name: str, function: str, found: Sequence[Row]) -> str:
    drawing = mpl.figure.Figure(figsize=(svg.WIDTH, 2.9))
    ax = drawing.subplots()
    said = []
    for (framework, mode), label in MODES.items():
        timed = [row.times[framework, mode] for row in found if (framework, mode) in row.times]
        if not timed:
            continue
        line = ":" if framework == "numpy" else _LINES[mode]
        style = {"color": svg.COLOURS[framework], "marker": svg.MARKERS[framework]}
        points = [[t.size for t in timed], [t.median for t in timed]]
        ax.loglog(*points, linestyle=line, label=label, **style)
        listed = ", ".join(f"{seconds(t.median)} at {t.size:,}" for t in timed)
        said.append(f"{label}: {listed}")
    ax.set(xlabel="size", ylabel="seconds per call")
    ax.legend()
    svg.tidy(ax)
    caption = f"{function}: time of a later call by size"
    return svg.inline(name, drawing, caption, f"{caption}. {'; '.join(said)}")


def _limits(name: str, found: Sequence[Row], results: Results) -> str:
    timings = [timing for row in found for timing in row.times.values()]
    shares = [(t, share) for t in timings if (share := limits.fraction(t, results))]
    if not shares:
        return ""
    titles = [f"{_title(t.name, t.size)}\n{_how(t)}" for t, _ in shares]
    drawing, ax = svg.listed(titles)
    for place, (timing, share) in enumerate(shares):
        style = {"color": svg.COLOURS[timing.framework], "marker": svg.MARKERS[timing.framework]}
        ax.plot([0, 100 * share.value], [place, place], markevery=[1], **style)
    ax.axvline(100, color=svg.TEXT, linewidth=1)
    ax.set_xlim(0)
    ax.set_xlabel("% of the fastest copy's, or product's", loc="right")
    said = "; ".join(
        f"{_title(t.name, t.size)}, {_how(t)}: {share.value:.0%} of a {share.of}"
        for t, share in shares
    )
    caption = "Rate, as a share of what the machine can do"
    return svg.inline(name, drawing, caption, f"{caption}. {said}")


def _how(timing: Timing) -> str:
    kind = MODES.get((timing.framework, timing.mode))
    return kind or f"{COMPILERS[timing.framework]}{timing.mode.removeprefix('compiled')}"
