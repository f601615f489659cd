"""What a machine can do at most, as its own results say: what other results are held against."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jaxvstorch.timings import Timing

YARDSTICKS = "yardsticks"  # the topic of the benchmarks that are made for this


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


def copy(timings: Iterable[Timing]) -> float:
    """Bytes per second of the fastest of the plain copies; 0 where there is none."""
    return max((t.moved / busy(t) for t in timings if t.mode == "copy"), default=0.0)


def product(timings: Iterable[Timing], dtype: str) -> float:
    """Operations per second of the fastest product in one dtype; 0 where there is none."""
    found = (t for t in timings if t.operations and t.dtype == dtype)
    return max((t.operations / busy(t) for t in found), default=0.0)


def fraction(timing: Timing, timings: Sequence[Timing]) -> Fraction | None:
    """What a timing is of its machine's limit: of a product's rate if it states its operations.

    A processor's memory is no limit of a GPU, nor a GPU's of a processor: the limit is the one of
    the kind of device that computed.

    Args:
        timing: of any function.
        timings: all of that machine.

    Returns:
        ``None`` where the timing states neither operations nor bytes, where the limit was not
        measured, or where the timing is itself a yardstick.
    """
    if timing.topic == YARDSTICKS or timing.mode == "copy":
        return None
    alike = [other for other in timings if other.platform == timing.platform]
    if timing.operations:
        limit, amount, of = product(alike, timing.dtype), timing.operations, "product"
    else:
        limit, amount, of = copy(alike), timing.moved, "copy"
    return Fraction(amount / busy(timing) / limit, of) if limit and amount else None


def busy(timing: Timing) -> float:
    """Seconds per call on a device that is kept busy: a rate is no matter of asking and waiting."""
    return timing.queued or timing.minimum


def missing(timings: Sequence[Timing]) -> list[str]:
    """The yardsticks that were not timed."""
    mine = [timing for timing in timings if timing.topic == YARDSTICKS]
    there = {
        "a copy": copy(timings),
        "the smallest call": any(timing.name == "dispatch" for timing in mine),
        "products in each dtype": any(timing.operations for timing in mine),
    }
    return [name for name, found in there.items() if not found]
