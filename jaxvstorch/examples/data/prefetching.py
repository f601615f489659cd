"""Batches made ahead of the loop that uses them, for both frameworks."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def prefetch(batches: Iterable[Any], place: Callable[[Any], Any], size: int = 2) -> Iterator[Any]:
    """The same batches, placed; ``size`` more are on their way when one is returned."""
    placed: deque[Any] = deque()
    for batch in batches:
        placed.append(place(batch))
        if len(placed) > size:
            yield placed.popleft()
    while placed:
        yield placed.popleft()


def prefetch_in_thread(batches: Iterable[Any], size: int = 2) -> Iterator[Any]:
    """The same batches in the same order; a thread makes up to ``size`` of them ahead."""
    source, end = iter(batches), object()
    with ThreadPoolExecutor(1) as thread:  # one: the order stays
        pending = deque(thread.submit(next, source, end) for _ in range(size))
        while (batch := pending.popleft().result()) is not end:
            pending.append(thread.submit(next, source, end))
            yield batch
