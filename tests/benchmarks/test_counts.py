"""Who took less: what counts, and what is too near."""

from benchmarks.report.rows import Ratio
from benchmarks.report.summary import Count, count


def test_one_session_and_what_the_clock_cannot_tell_decide_nothing() -> None:
    ratios = [
        Ratio(0.5, 0.4, 0.6, 3),
        Ratio(0.97, 0.95, 0.98, 3),  # within 3 % in one of its sessions
        Ratio(1.1, 0.9, 1.2, 3),
        Ratio(2.0, 1.04, 3.0, 3),
        Ratio(4.0, 4.0, 4.0, 1),
    ]
    assert count(ratios) == Count(jax=1, torch=1, neither=2, once=1)
