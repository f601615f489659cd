"""What a machine can do at most, as its own results say: what other results are held against."""

from collections.abc import Iterable
from dataclasses import dataclass

from jaxvstorch.timings import Timing


@dataclass(frozen=True)
class Limit:
    """The highest rate that was measured.

    Attributes:
        rate: bytes per second.
        spread: of the rate, from the timing's interquartile range.
        framework: which reached it.
    """

    rate: float
    spread: float
    framework: str


def copy(timings: Iterable[Timing]) -> Limit | None:
    """The fastest of the plain copies; ``None`` where none was timed."""
    copies = [timing for timing in timings if timing.mode == "copy"]
    if not copies:
        return None
    best = min(copies, key=lambda timing: timing.median)
    rate = best.moved / best.median
    return Limit(rate, rate * best.spread / best.median, best.framework)
