"""How much of a loop's time it spends waiting for the next batch."""

from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any


class Waiting:
    """The same batches; it keeps how long each was waited for, and what the loop then took.

    The loop must wait for its result, or the time of the result counts to whoever waits later.

    Attributes:
        waits: the seconds in ``next``, for each batch.
        works: the seconds between handing out a batch and being asked for the next one.
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
        """The part of the time that was spent waiting, from 0 to 1."""
        waits = sum(self.waits)
        return waits / (waits + sum(self.works))
