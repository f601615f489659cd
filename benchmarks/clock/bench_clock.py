"""Times calls by the harness and, in turns with it, by other clocks in bare processes.

They take turns, round by round: what else a machine does can change its speed within a second.
"""

import itertools
import math
import timeit
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.cases import calling
from benchmarks.clock import timers
from benchmarks.clock.bare import BareClocks
from benchmarks.rotation import SMALL, SMALL_CALLS

# What a round takes at least. On a machine that others share, half of all pairs of rounds of 10 ms,
# one after the other, differed by a quarter and more: many short rounds tell more than a few long.
ROUND_SECONDS = 2.5e-3
SECONDS = 2.5  # how long all clocks together time one function, about
LEAST_ROUNDS = 5
HARNESS = "harness"


@pytest.fixture(scope="module")
def bare_clocks(framework: str) -> Iterator[BareClocks]:
    """Bare processes with other clocks, for as long as this one lasts."""
    clocks = BareClocks(framework)
    yield clocks
    clocks.stop()


@pytest.mark.parametrize("name", timers.NAMES)
def bench_clock(name: str, framework: str, bare_clocks: BareClocks, benchmark: Any) -> None:
    """In each turn a round of the harness and one of each other clock, in an order by chance.

    Always in the same order, one of them could be in step with what else disturbs the machine.
    """
    others: dict[str, list[float]] = {timer: [] for timer in bare_clocks.timers}
    with timers.on_one_core(name):
        function, arguments = timers.prepare(framework, name)
        inputs = [arguments] * (SMALL_CALLS if arguments[0].nbytes < SMALL else 1)
        run, calls = calling(function, inputs).begin()  # as every case begins
        seconds = min(timeit.repeat(run, number=1, repeat=5))
        number = math.ceil(ROUND_SECONDS / seconds)
        turn = (1 + len(others)) * (timers.pause(name) + 2 * number * seconds)
        rounds = max(LEAST_ROUNDS, round(SECONDS / turn))

        for timer in others:
            bare_clocks.ask(timer, name, number * calls)  # compiles
        order = timers.turns([HARNESS, *others], rounds + 2)
        untimed = timeit.Timer(run)  # made once: making it would disturb the round after it

        def until_next_round() -> None:
            for timer in itertools.takewhile(lambda timer: timer != HARNESS, order):
                others[timer].append(bare_clocks.ask(timer, name, number * calls))
            timers.get_ready(name, lambda: untimed.timeit(number))

        until_next_round()
        benchmark.pedantic(run, rounds=rounds, iterations=number, teardown=until_next_round)
    harness = [seconds / calls for seconds in benchmark.stats.stats.data]
    # pytest-benchmark ends with a call that it does not time: two turns more have begun.
    by_timeit, by_torch = (others.get(timer, [])[: len(harness)] for timer in ("timeit", "torch"))
    benchmark.extra_info["clock"] = {
        "function": name,
        "harness": min(harness),
        "timeit": min(by_timeit),
        "torch_timer": min(by_torch, default=None),
        "over_timeit": timers.ratio(harness, by_timeit),
        "over_torch_timer": timers.ratio(harness, by_torch) if by_torch else None,
    }
