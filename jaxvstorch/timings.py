"""Timings, and the rows that put both frameworks' timings of one function side by side."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

# What one function is timed as, in the order of the tables.
KINDS = {
    ("numpy", "eager"): "NumPy",
    ("jax", "eager"): "JAX eager",
    ("jax", "compiled"): "jax.jit",
    ("torch", "eager"): "PyTorch eager",
    ("torch", "compiled"): "torch.compile",
}


@dataclass(frozen=True)
class Timing:
    """One function at one size, in one framework and one mode. Times are in seconds.

    Attributes:
        topic: the example's topic, or the group that a benchmark of its own stands in.
        name: the function.
        size: what the topic's inputs were made for.
        framework: ``"numpy"``, ``"jax"`` or ``"torch"``.
        mode: ``"eager"``, ``"compiled"``, or what else a benchmark of its own compares.
        minimum: the least of the rounds, per call. What else a machine does only ever adds time.
        spread: how well the least repeats, per call: how far the median of the leasts of the sweeps
            over the set is above it, or of three parts of the rounds where there was one sweep.
        rounds: how many rounds were timed, in all sweeps over the set.
        calls: how many calls each round had.
        dtype: of the result.
        first_call: compiling included, in a fresh process; ``None`` where not measured.
        new_shape: the first call with another size, in that process.
        queued: where a GPU computes: per call, when many are asked for and the last is waited for;
            ``None`` where not measured.
        moved: bytes that a call must read and write at least, where its arguments are too large
            for a cache; 0 where not stated.
        operations: floating-point operations that a call must make; 0 where not stated.
        platform: what computed: ``"cpu"``, ``"gpu"``, ``"tpu"``. A file has it once per framework,
            in ``devices``; empty where it is not there.
    """

    topic: str
    name: str
    size: int
    framework: str
    mode: str
    minimum: float
    spread: float
    rounds: int
    calls: int
    dtype: str = ""
    first_call: float | None = None
    new_shape: float | None = None
    queued: float | None = None
    moved: int = 0
    operations: int = 0
    platform: str = ""


@dataclass(frozen=True)
class Ratio:
    """JAX's time over PyTorch's: below 1, JAX took less. The spread is on the same scale."""

    value: float
    spread: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ± {self.spread:.2f}"


@dataclass(frozen=True)
class Row:
    """One function at one size, in every way that it was timed."""

    topic: str
    name: str
    size: int
    times: Mapping[tuple[str, str], Timing]

    def ratio(self, mode: str = "compiled") -> Ratio | None:
        """JAX over PyTorch in one mode.

        Returns:
            ``None`` where one of them was not timed, or where they computed on different kinds of
            device: that would compare a GPU with a processor.
        """
        jax, torch = self.times.get(("jax", mode)), self.times.get(("torch", mode))
        if jax is None or torch is None or jax.platform != torch.platform:
            return None
        value = jax.minimum / torch.minimum
        relative = math.hypot(jax.spread / jax.minimum, torch.spread / torch.minimum)
        return Ratio(value, value * relative)


def rows(timings: Iterable[Timing], topic: str | None = None) -> list[Row]:
    """Timings gathered by function and size, for one topic or for all."""
    grouped: dict[tuple[str, str, int], dict[tuple[str, str], Timing]] = {}
    for timing in timings:
        if topic in (None, timing.topic):
            key = (timing.topic, timing.name, timing.size)
            grouped.setdefault(key, {})[timing.framework, timing.mode] = timing
    return [Row(*key, times) for key, times in sorted(grouped.items())]


def plain_rows(found: Iterable[Row]) -> list[Row]:
    """Rows with only the ways of calling in ``KINDS``, the ones that every pair is timed in.

    A row whose other ways differ in the memory that they write is not among them.
    """
    cut = (
        Row(row.topic, row.name, row.size, {k: t for k, t in row.times.items() if k in KINDS})
        for row in found
        if not any(t.moved for k, t in row.times.items() if k not in KINDS)
    )
    return [row for row in cut if row.times]


def own_rows(found: Iterable[Row]) -> list[Row]:
    """Rows in which some other way of calling was timed too."""
    return [row for row in found if row.times.keys() - KINDS.keys()]
