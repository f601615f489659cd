"""What a machine can do at most, as its own results say: what other results are held against."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jaxvstorch.timings import Timing

YARDSTICKS = "yardsticks"  # the topic of the benchmarks that are made for this


@dataclass(frozen=True)
class Limit:
    """The highest rate that was measured.

    Attributes:
        rate: bytes per second, or floating-point operations per second.
        spread: of the rate, from the timing's interquartile range.
        framework: which reached it.
    """

    rate: float
    spread: float
    framework: str


@dataclass(frozen=True)
class Fraction:
    """How much of what its machine can do a function reaches.

    Attributes:
        value: 1 is all of it. More than 1 is possible: a copy touches two arrays, and a function
            that writes over its own input touches one.
        of: ``"copy"`` or ``"product"``.
    """

    value: float
    of: str


def copy(timings: Iterable[Timing]) -> Limit | None:
    """The fastest of the plain copies; ``None`` where none was timed."""
    return _highest([(t, t.moved) for t in timings if t.mode == "copy"])


def product(timings: Iterable[Timing], dtype: str) -> Limit | None:
    """The fastest product of two matrices of one dtype; ``None`` where none was timed."""
    return _highest([(t, t.operations) for t in timings if t.operations and t.dtype == dtype])


def _highest(found: Sequence[tuple[Timing, int]]) -> Limit | None:
    if not found:
        return None
    best, amount = max(found, key=lambda pair: pair[1] / busy(pair[0]))
    rate = amount / busy(best)
    return Limit(rate, rate * best.spread / best.median, best.framework)


def fraction(timing: Timing, timings: Sequence[Timing]) -> Fraction | None:
    """What a timing is of its machine's limit: of a product's rate if it states its operations.

    Args:
        timing: of any function.
        timings: all of that machine.

    Returns:
        ``None`` where the timing states neither operations nor bytes, where the limit was not
        measured, or where the timing is itself a yardstick.
    """
    if timing.topic == YARDSTICKS or timing.mode == "copy":
        return None
    if timing.operations:
        limit, amount, of = product(timings, timing.dtype), timing.operations, "product"
    else:
        limit, amount, of = copy(timings), timing.moved, "copy"
    return Fraction(amount / busy(timing) / limit.rate, of) if limit and amount else None


def busy(timing: Timing) -> float:
    """Seconds per call on a device that is kept busy: a rate is no matter of asking and waiting."""
    return timing.queued or timing.median
