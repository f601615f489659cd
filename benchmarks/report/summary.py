"""Totals of one machine: which framework took less, by topic, and what compiling takes."""

import functools
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.report.limits import YARDSTICKS
from benchmarks.report.rows import TRUST, Ratio, Row, plain_rows, rows
from benchmarks.report.schema import Results

SmallAndLarge = tuple[Row, Row]
LARGE = 4.0  # a ratio, or its inverse, above which somebody has looked for a better half
_WHY = Path(__file__).parents[1] / "large_ratios.toml"


@dataclass(frozen=True)
class Count:
    """For how many functions each framework took less time in every session.

    Attributes:
        jax: where JAX did, by more than the clock can be trusted.
        torch: where PyTorch did.
        neither: where the sessions disagree, or the times are that near.
        once: functions that one session alone timed, which decides nothing.
    """

    jax: int
    torch: int
    neither: int
    once: int

    @property
    def all(self) -> int:
        """How many functions several sessions timed."""
        return self.jax + self.torch + self.neither


def count(ratios: Sequence[Ratio]) -> Count:
    """Who took less."""
    several = [ratio for ratio in ratios if ratio.sessions > 1]
    jax = sum(ratio.high < 1 - TRUST for ratio in several)
    torch = sum(ratio.low > 1 + TRUST for ratio in several)
    return Count(jax, torch, len(several) - jax - torch, len(ratios) - len(several))


def by_topic(results: Results) -> dict[str, list[SmallAndLarge]]:
    """Each pair's row with its smallest input and with its largest, by topic.

    What is timed by something other than the size of its input is not among them, nor are the
    yardsticks.
    """
    by_function: dict[tuple[str, str], list[Row]] = {}
    for row in plain_rows(rows(results)):
        if row.ratio() and row.topic != YARDSTICKS and " " not in row.name:
            by_function.setdefault((row.topic, row.name), []).append(row)
    topics: dict[str, list[SmallAndLarge]] = {}
    for (topic, _), several in by_function.items():
        if len(several) > 1:
            topics.setdefault(topic, []).append((several[0], several[-1]))
    return topics


def large_ratios(results: Results, topic: str) -> list[str]:
    """Functions of a topic where, with large inputs, one half takes over four times as long."""
    return [
        large.name
        for _, large in by_topic(results).get(topic, [])
        if (ratio := large.ratio()) and max(ratio.value, 1 / ratio.value) > LARGE
    ]


@functools.cache
def why_large() -> tuple[str, dict[str, dict[str, str]]]:
    """How it was measured; and why, and what was tried, by topic and function."""
    found = tomllib.loads(_WHY.read_text(encoding="utf-8"))
    return found.pop("measured"), found


def ratios(rows: Sequence[Row]) -> list[Ratio]:
    """Of compiled calls, where both frameworks were timed."""
    return [ratio for row in rows if (ratio := row.ratio())]


def small_and_large(results: Results) -> tuple[Count, Count]:
    """Who took less of all functions, with small inputs and with large ones."""
    pairs = [pair for several in by_topic(results).values() for pair in several]
    return count(ratios([small for small, _ in pairs])), count(ratios([big for _, big in pairs]))


def first_calls(results: Results, what: str = "first_call") -> dict[str, list[float]]:
    """Seconds of compiled functions by framework, where both frameworks were timed.

    Args:
        results: one machine's.
        what: ``"first_call"`` or ``"new_shape"``.
    """
    calls: dict[str, list[float]] = {"jax": [], "torch": []}
    for row in rows(results):
        if " " in row.name:  # a function that is among them already, by another size
            continue
        both = [row.times.get((name, "compiled")) for name in calls]
        times = [getattr(timing, what) for timing in both if timing]
        if len(times) == len(calls) and all(times):
            for name, time in zip(calls, times, strict=True):
                calls[name].append(time)
    return calls


def first_call(results: Results, framework: str, what: str = "first_call") -> float | None:
    """The median over the functions; ``None`` where there are none."""
    times = first_calls(results, what)[framework]
    return median(times) if times else None


def smallest_call(results: Results, framework: str) -> float | None:
    """Seconds of one number plus one, compiled; ``None`` where it was not timed."""
    for timing in results.timings:
        if (timing.name, timing.framework, timing.mode) == ("dispatch", framework, "compiled"):
            return timing.median
    return None
