"""What is made of what the processes of several sessions wrote."""

import pytest
from process_files import part, timed

from benchmarks import pooling


def found(name, *rounds, **more):
    return timed("jax", name, rounds or (1.0,), queued=None, **more)


def test_a_case_keeps_the_least_of_each_session() -> None:
    first = part(found("a", 4.0, 9.0, first_call=0.5), found("b", 1.0), failed=["x: broke"])
    later = [part(found("a", 3.0)), part(found("a", 5.0), failed=["x: broke", "b: broke"])]
    pooled = pooling.pool([[first], *([part] for part in later)])
    a, b = pooled["benchmarks"]
    assert a["stats"] == {"sessions": [4.0, 3.0, 5.0], "rounds": 4}
    assert b["stats"]["sessions"] == [1.0, None, None]
    assert a["extra_info"]["case"]["first_call"] == 0.5
    assert pooled["session"]["failed"] == ["x: broke", "b: broke"]
    assert pooled["session"]["busy"] == pytest.approx(3 * 45.0)


def test_sessions_whose_runs_have_different_numbers_of_calls_are_pooled_per_call() -> None:
    """Each session finds out for itself whether one pass is short, and may find otherwise."""
    rounds = [found("a", 16.0, 32.0, calls_per_run=16), found("a", 3.6, calls_per_run=4)]
    (pooled,) = pooling.pool([[part(entry)] for entry in rounds])["benchmarks"]
    assert pooled["stats"] == {"sessions": [1.0, pytest.approx(0.9)], "rounds": 3}
    assert "calls_per_run" not in pooled["extra_info"]["case"]


def test_two_processes_of_one_framework_make_one_document() -> None:
    pooled = pooling.pool([[part(found("a", 4.0)), part(found("a, synchronous", 2.0))]])
    assert [entry["stats"]["sessions"] for entry in pooled["benchmarks"]] == [[4.0], [2.0]]


def test_a_process_that_crashed_takes_nothing_away() -> None:
    pooled = pooling.pool([[part(found("a", 4.0)), {}], [{}, {}]])
    assert pooled["benchmarks"][0]["stats"]["sessions"] == [4.0, None]


def test_the_least_time_of_a_busy_gpu_is_kept() -> None:
    parts = [part(timed("jax", "a", [1.0], queued=time)) for time in (3.0, 2.0)]
    (pooled,) = pooling.pool([[found] for found in parts])["benchmarks"]
    assert pooled["extra_info"]["case"]["queued"] == 2.0
