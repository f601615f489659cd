"""Rows: both frameworks' timings of one function side by side, and the ratio of the two."""

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from benchmarks.report.schema import Results
from benchmarks.report.timings import Timing
from jaxvstorch._frameworks import MODES, SYNCHRONOUS

# Two times that are less than this apart count as equal. In turns with `timeit` and PyTorch's timer
# the harness was up to 1.2 % off: medians of nine processes, jax 0.10.2, torch 2.13.0, 2026-11-24.
TRUST = 0.03


@dataclass(frozen=True)
class Ratio:
    """JAX's time over PyTorch's: below 1, JAX took less.

    Attributes:
        value: the median of the sessions' ratios.
        low: the lowest of them.
        high: the highest.
        sessions: how many.
    """

    value: float
    low: float
    high: float
    sessions: int = 1

    def __str__(self) -> str:
        if self.low == self.high:  # a single session
            return f"{self.value:.2f}"
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"


@dataclass(frozen=True)
class Row:
    """One function at one size, in every way that it was timed.

    Attributes:
        topic: the example's topic.
        name: the function.
        size: of its inputs.
        times: by framework and mode.
        on_one_kind: whether both frameworks computed on the same kind of device.
    """

    topic: str
    name: str
    size: int
    times: Mapping[tuple[str, str], Timing]
    on_one_kind: bool = True

    def ratio(self, mode: str = "compiled") -> Ratio | None:
        """JAX over PyTorch in one mode; PyTorch's is the same but for ``", synchronous"``.

        Returns:
            ``None`` where no session timed both, or where they computed on different kinds of
            device: that would compare a GPU with a processor.
        """
        jax = self.times.get(("jax", mode))
        torch = self.times.get(("torch", mode.removesuffix(SYNCHRONOUS)))
        if jax is None or torch is None or not self.on_one_kind:
            return None
        return ratio(jax, torch)


def ratio(first: Timing, second: Timing) -> Ratio | None:
    """The first time over the second, of the sessions that timed both."""
    each = [a / b for a, b in zip(first.sessions, second.sessions, strict=True) if a and b]
    return Ratio(statistics.median(each), min(each), max(each), len(each)) if each else None


def rows(results: Results, topic: str | None = None) -> list[Row]:
    """Timings gathered by function and size, for one topic or for all."""
    alike = results.platform("jax") == results.platform("torch")
    grouped: dict[tuple[str, str, int], dict[tuple[str, str], Timing]] = {}
    for timing in results.timings:
        if topic in (None, timing.topic):
            key = (timing.topic, timing.name, timing.size)
            grouped.setdefault(key, {})[timing.framework, timing.mode] = timing
    return [Row(*key, times, alike) for key, times in sorted(grouped.items())]


def plain_rows(rows: Iterable[Row]) -> list[Row]:
    """Rows with only the ways of calling in ``MODES``, the ones that every pair is timed in.

    A row whose other ways differ in the memory that they write is not among them.
    """
    cut = (
        replace(row, times={k: t for k, t in row.times.items() if k in MODES})
        for row in rows
        if not any(t.moved for k, t in row.times.items() if k not in MODES)
    )
    return [row for row in cut if row.times]


def rows_in_other_modes(rows: Iterable[Row]) -> list[Row]:
    """Rows that were timed in some other mode too."""
    return [row for row in rows if row.times.keys() - MODES.keys()]
