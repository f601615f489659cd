"""Shards: parts of the set of cases that several machines or containers time at once.

Each machine has its own limits, and each limit is timed in one shard only. So where shards ran on
several machines, which must be of one kind, a share in the merged file can be one machine's rate
over another's limit.
"""

import re
import reprlib
from collections import Counter
from dataclasses import dataclass

from benchmarks import selection
from benchmarks.cases import Case
from benchmarks.report.schema import SHARD
from benchmarks.selection import FRAMEWORKS
from benchmarks.workloads import writing


class ShardError(ValueError):
    """What was given names no shard; the message says what would."""


@dataclass(frozen=True)
class Shard:
    """One of ``count`` shards, numbered from 1."""

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Read a shard such as ``"2/5"``.

        Raises:
            ShardError: it is of another form, or there is no such shard.
        """
        number, _, count = text.partition("/") if re.fullmatch(SHARD, text) else ("0", "", "0")
        if not 1 <= int(number) <= int(count):
            known = "say 2/5 for the second of five; a set has at most 999"
            raise ShardError(f"there is no shard {reprlib.repr(text)}: {known}")
        return cls(int(number), int(count))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def cases(
    framework: str, quick: bool = False, shard: Shard | None = None, gpu_memory: int = 0,
    synchronous: bool = False,
) -> list[Case]:  # fmt: skip
    """The cases of one framework that belong to a shard, in their usual order."""
    found = selection.cases(framework, quick, gpu_memory, synchronous)
    if shard is None:
        return found
    mine = shared_out(shard.count, quick)[shard.number - 1]
    return [case for case in found if _unit(case) in mine]


def shared_out(count: int, quick: bool = False) -> list[set[str]]:
    """The units of each shard: the largest unit goes first, to the shard with the fewest cases.

    All frameworks' cases are counted, whichever is asked for: so a unit is in one shard for all.
    """
    sizes = Counter(_unit(case) for name in FRAMEWORKS for case in selection.cases(name, quick))
    shards: list[set[str]] = [set() for _ in range(count)]
    loads = [0] * count
    for unit, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        lightest = loads.index(min(loads))
        shards[lightest].add(unit)
        loads[lightest] += size
    return shards


def _unit(case: Case) -> str:
    """What is never divided: a pair, for its ratio; a copy and the other ways to write memory."""
    return case.topic if case.topic == writing.TOPIC else f"{case.topic}.{case.name}"
