"""What is made of several sweeps' times."""

import pytest
from process_files import part, timed

from benchmarks import sweeps


def found(name, *rounds, **more):
    return timed("jax", name, rounds or (1.0,), queued=None, **more)


def test_the_rounds_of_all_sweeps_are_pooled() -> None:
    first = part(found("a", 4.0, 9.0, first_call=0.5), found("b", 1.0), failed=["x: broke"])
    later = [part(found("a", 3.0)), part(found("a", 5.0), failed=["x: broke", "b: broke"])]
    pooled = sweeps.pool(first, later)
    a, b = pooled["benchmarks"]
    assert a["stats"] == {"min": 3.0, "spread": 1.0, "rounds": 4, "calls": 3}
    assert b["stats"]["min"] == 1.0  # it is in the first sweep only, and is kept
    assert a["extra_info"]["case"]["first_call"] == 0.5
    assert pooled["session"]["failed"] == ["x: broke", "b: broke"]
    assert pooled["session"]["busy"] == pytest.approx(3 * 45.0)


def test_sweeps_whose_runs_have_different_numbers_of_calls_are_pooled_per_call() -> None:
    """Each sweep finds out for itself whether one pass is short, and may find otherwise."""
    first = part(found("a", 16.0, 32.0, calls_per_run=16))
    later = [part(found("a", 3.6, calls_per_run=4)), part(found("a", 17.6, calls_per_run=16))]
    (pooled,) = sweeps.pool(first, later)["benchmarks"]
    assert pooled["stats"] == {
        "min": 0.9, "spread": pytest.approx(0.1), "rounds": 4, "calls": 12,
    }  # fmt: skip
    assert "calls_per_run" not in pooled["extra_info"]["case"]


@pytest.mark.parametrize(
    ("rounds", "spread"),
    [
        ([2.0, 9.0, 9.0, 2.0, 9.0, 9.0, 2.0], 0.0),  # each part finds the least again
        ([2.0, 9.0, 9.0, 3.0, 9.0, 9.0, 4.0], 1.0),
        ([2.0], 0.0),
    ],
    ids=["repeated", "drifting", "one round"],
)
def test_the_spread_tells_how_well_the_least_repeats(rounds, spread) -> None:
    (pooled,) = sweeps.pool(part(found("a", *rounds)), [])["benchmarks"]
    assert pooled["stats"]["spread"] == spread


def test_a_sweep_whose_process_crashed_takes_nothing_away() -> None:
    first = part(found("a", 4.0))
    assert sweeps.pool(first, [{}])["benchmarks"][0]["stats"]["min"] == 4.0


def test_the_least_time_of_a_busy_gpu_is_kept() -> None:
    parts = [part(timed("jax", "a", [1.0], queued=time)) for time in (3.0, 2.0)]
    (pooled,) = sweeps.pool(parts[0], parts[1:])["benchmarks"]
    assert pooled["extra_info"]["case"]["queued"] == 2.0
