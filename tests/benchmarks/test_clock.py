"""How the harness's clock is compared with others."""

import os

import pytest

from benchmarks import clock


def test_a_round_comes_after_an_untimed_one_and_a_products_after_a_pause(monkeypatch) -> None:
    done = []
    monkeypatch.setattr(clock.time, "sleep", done.append)
    for name in clock.NAMES:
        clock.get_ready(name, lambda: done.append("round"))
    assert done == [0.0, "round", *3 * [clock.PAUSE_SECONDS, "round"]]


def test_clocks_are_compared_round_by_round() -> None:
    """A machine that is half as fast for a while, and a round of each that was disturbed alone."""
    harness = [1.0, 1.0, 2.0, 2.0, 2.0, 9.0, 1.0]
    other = [1.0, 1.0, 2.0, 2.0, 8.0, 1.0, 1.0]
    assert clock.ratio(harness, other) == 1.0
    assert clock.ratio([1.1 * seconds for seconds in harness], other) == pytest.approx(1.1)


def test_in_each_turn_everyone_measures_once_in_an_order_that_changes() -> None:
    names = ["harness", "timeit", "torch"]
    order = list(clock.turns(names, 60))
    turns = [tuple(order[i : i + 3]) for i in range(0, 180, 3)]
    assert all(sorted(turn) == names for turn in turns)
    assert len(set(turns)) == 6


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux can choose a core")
def test_clocks_of_one_thread_share_a_core_and_give_it_back() -> None:
    before = os.sched_getaffinity(0)
    for name in clock.NAMES:
        with clock.on_one_core(name):
            inside = os.sched_getaffinity(0)
        assert inside == ({min(before)} if name == clock.SHORTEST else before)
        assert os.sched_getaffinity(0) == before
