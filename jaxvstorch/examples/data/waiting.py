"""How much of a loop's time it spends waiting for the next batch."""

from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any


class Waiting:
    """The same batches; records how long the loop waited for each, and how long it then took.

    The loop must wait for its result, or the result's time counts for whoever waits later.

    Attributes:
        waits: the seconds in ``next``, for each batch.
        works: the seconds between returning a batch and being asked for the next one.
    """

    def __init__(self, batches: Iterable[Any]) -> None:
        self.batches = batches
        self.waits: list[float] = []
        self.works: list[float] = []

    def __iter__(self) -> Iterator[Any]:
        source, end = iter(self.batches), object()
        before = perf_counter()
        while (batch := next(source, end)) is not end:
            given = perf_counter()
            self.waits.append(given - before)
            yield batch
            before = perf_counter()
            self.works.append(before - given)

    @property
    def share(self) -> float:
        """The fraction of the time spent waiting, from 0 to 1."""
        waits = sum(self.waits)
        return waits / (waits + sum(self.works))
