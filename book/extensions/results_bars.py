"""Bars of the results page: a machine's limits, and the share of them that functions reach."""

from collections.abc import Sequence

from benchmarks.report import limits, summary
from benchmarks.report.schema import Results
from benchmarks.report.timings import Timing
from extensions.bars import Bar, figure, panel
from jaxvstorch._frameworks import COMPILERS, FRAMEWORKS, MODES, TITLES
from jaxvstorch._measure.durations import seconds

_NAMES = {"numpy": "NumPy", **TITLES}


def yardsticks(results: Results) -> str:
    """Smallest calls, copies and products; empty where none was measured."""
    measured = [timing for timing in results.timings if timing.topic == limits.YARDSTICKS]
    calls = [
        Bar(MODES[t.framework, t.mode], t.framework, t.median, seconds(t.median))
        for t in measured
        if t.name == "dispatch"
    ]
    copies = [
        _rate(_NAMES[t.framework], t, t.moved, "GB/s") for t in results.timings if t.mode == "copy"
    ]
    products = [
        _rate(f"{t.dtype}, {_NAMES[t.framework]}", t, t.operations, "GFLOP/s")
        for t in sorted(measured, key=lambda timing: timing.name)
        if t.operations
    ]
    titles = {
        "The smallest call: one number plus one": calls,
        "A copy: bytes read and written": copies,
        "A product of matrices": products,
    }
    panels = [panel(title, bars) for title, bars in titles.items() if bars]
    return figure(panels, "What this machine can do at most.") if panels else ""


def _rate(label: str, timing: Timing, amount: int, unit: str) -> Bar:
    value = amount / limits.busy(timing) / 1e9
    return Bar(label, timing.framework, value, f"{value:.3g} {unit}")


def shares(timings: Sequence[Timing], results: Results) -> str:
    """How much of the machine's limit a topic's functions reach; empty where none states it."""
    fractions = [(t, share) for t in timings if (share := limits.fraction(t, results))]
    largest = {(t.name, t.framework, t.mode): (t, share) for t, share in fractions}  # the last one
    bars = [
        Bar(_label(t), t.framework, share.value, f"{share.value:.0%} of a {share.of}")
        for t, share in largest.values()
    ]
    return figure([panel("", bars)], "Of what the machine can do.") if bars else ""


def _label(timing: Timing) -> str:
    how = MODES.get((timing.framework, timing.mode), f"{_NAMES[timing.framework]}, {timing.mode}")
    return f"{timing.name} {timing.size:,}: {how}"


def first_calls(results: Results) -> str:
    """The medians over the functions, of a first call and of one with a new shape."""
    panels = []
    for title, what in (("A first call", "first_call"), ("A new shape", "new_shape")):
        times = {name: summary.first_call(results, name, what) for name in FRAMEWORKS}
        bars = [Bar(COMPILERS[n], n, time, seconds(time)) for n, time in times.items() if time]
        panels += [panel(title, bars)] if bars else []
    number = len(summary.first_calls(results)["jax"])
    return figure(panels, f"Medians of {number} functions.") if panels else ""
