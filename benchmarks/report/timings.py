"""Timings: what all sessions found of one call."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.report.entries import Call, Record


@dataclass(frozen=True)
class Timing:
    """One function at one size, in one framework and one mode. Times are in seconds.

    Attributes:
        topic: the example's topic, or the group of a benchmark that is no example's.
        name: the function.
        size: what the topic's inputs were made for.
        framework: what computed.
        mode: how it was called, as in a ``Record``.
        sessions: the time of one call by session; ``None`` where the session did not time it.
        rounds: how many rounds were timed, in all sessions.
        dtype: of the result.
        first_call: the median of the sessions that timed one; ``None`` where none did.
        new_shape: likewise.
        queued: likewise.
        moved: bytes that a call must read and write at least; 0 where not stated.
        operations: floating-point operations that a call must make; 0 where not stated.
        memory: bytes that a call needs at once; 0 where not stated.
    """

    topic: str
    name: str
    size: int
    framework: str
    mode: str
    sessions: tuple[float | None, ...]
    rounds: int
    dtype: str = ""
    first_call: float | None = None
    new_shape: float | None = None
    queued: float | None = None
    moved: int = 0
    operations: int = 0
    memory: int = 0

    @property
    def times(self) -> list[float]:
        """The times of the sessions that have one."""
        return [time for time in self.sessions if time is not None]

    @property
    def median(self) -> float:
        """The median of the sessions."""
        return statistics.median(self.times)

    @property
    def call(self) -> Call:
        """What was timed."""
        return self.topic, self.name, self.size, self.framework, self.mode


def timings(records: Iterable[Record], sessions: int) -> tuple[Timing, ...]:
    """One timing for each call, in the order of their first records."""
    by_call: dict[Call, list[Record]] = {}
    for record in records:
        by_call.setdefault(record.call, []).append(record)
    return tuple(_timing(of_call, sessions) for of_call in by_call.values())


def _timing(records: Sequence[Record], sessions: int) -> Timing:
    first = records[0]
    times = {record.session: record.seconds for record in records}
    return Timing(
        *first.call,
        sessions=tuple(times.get(session) for session in range(sessions)),
        rounds=sum(record.rounds for record in records),
        dtype=first.dtype,
        first_call=_median(record.first_call for record in records),
        new_shape=_median(record.new_shape for record in records),
        queued=_median(record.queued for record in records),
        moved=first.moved,
        operations=first.operations,
        memory=first.memory,
    )


def _median(times: Iterable[float | None]) -> float | None:
    known = [time for time in times if time is not None]
    return statistics.median(known) if known else None
