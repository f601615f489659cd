"""What a machine can do at most, as its own results say; other results are compared with it."""

from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.report.schema import Results
from benchmarks.report.timings import Timing

_FASTEST = 1.2  # of the limit: a product that is faster has operands of fewer bits
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
    """Operations per second of the fastest plain product in one dtype; 0 where there is none.

    An example's product is no limit: its operands may have another dtype than its result, and its
    reference in NumPy may need fewer operations than the halves.
    """
    products = (t for t in timings if _is_plain_product(t) and t.dtype == dtype)
    return max((t.operations / busy(t) for t in products), default=0.0)


def _is_plain_product(timing: Timing) -> bool:
    is_made_for_it = timing.topic == YARDSTICKS or timing.name == "matmul"  # of a quick session
    return bool(timing.operations) and is_made_for_it


def fraction(timing: Timing, results: Results) -> Fraction | None:
    """What share of its machine's limit a timing reaches.

    The limit is a product's rate where the timing states its operations, and a copy's elsewhere. A
    processor's memory does not limit a GPU, nor a GPU's a processor: the limit is that of the kind
    of device that computed.

    Args:
        timing: of any function.
        results: the whole run on that machine.

    Returns:
        ``None`` where the timing states neither operations nor bytes, where the limit was not
        measured, where the timing is itself a yardstick, and where it states the operations of
        another way: NumPy's reference may need fewer, and operands of fewer bits than the result
        are multiplied faster than the limit.
    """
    if timing.topic == YARDSTICKS or timing.mode == "copy":
        return None
    if timing.operations and timing.framework == "numpy":
        return None
    where = results.platform(timing.framework)
    alike = [other for other in results.timings if results.platform(other.framework) == where]
    if timing.operations:
        limit, amount, of = product(alike, timing.dtype), timing.operations, "product"
    else:
        limit, amount, of = copy(alike), timing.moved, "copy"
    if not limit or not amount:
        return None
    share = amount / busy(timing) / limit
    return Fraction(share, of) if of == "copy" or share < _FASTEST else None


def busy(timing: Timing) -> float:
    """Seconds per call on a device that is kept busy: dispatch does not count toward a rate."""
    return timing.queued or timing.median


def missing(timings: Iterable[Timing]) -> list[str]:
    """The yardsticks that were not timed."""
    timings = list(timings)
    mine = [timing for timing in timings if timing.topic == YARDSTICKS]
    timed = {
        "a copy": copy(timings),
        "the smallest call": any(timing.name == "dispatch" for timing in mine),
        "products in each dtype": any(timing.operations for timing in mine),
    }
    return [name for name, there in timed.items() if not there]
