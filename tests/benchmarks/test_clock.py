"""How the harness's clock is compared with others."""

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
