"""One results file from the files of one process per framework."""

import json

import pytest
from result_files import CPU, MACHINE, SETTINGS, check

from benchmarks import merge
from jaxvstorch import results


def entry(framework, mode="compiled", minimum=1e-3, **more):
    case = {
        "topic": "branching", "name": "select_where", "size": 16, "framework": framework,
        "mode": mode, "moved": 0, "operations": 0,
        "dtype": "float32", "first_call": None,
        "new_shape": None,
    }  # fmt: skip
    stats = {"min": minimum, "spread": 0.1 * minimum, "rounds": 7, "calls": 12}
    return {"extra_info": {"case": case | more}, "stats": stats}


def clock(over_timeit, over_torch_timer):
    found = check(over_timeit=over_timeit, over_torch_timer=over_torch_timer)
    del found["passed"]  # merging says it
    stats = {"min": 4.0, "rounds": 7, "iterations": 3}
    return {"extra_info": {"clock": found}, "stats": stats}


def part(*entries, failed=()):
    session = {
        "busy": 45.0, "set_up": 1.0, "failed": list(failed), "versions": {"jax": "1"},
        "threads": 2, "device": CPU, "precision": {"tf32": False}, "peak_memory": None,
    }  # fmt: skip
    return {"benchmarks": list(entries), "session": session}


def merged(**parts):
    return merge.merge(
        parts, date="2026-01-02", quick=True, sweeps=1, select="", shard="", partial=False,
        left_out=[], seconds=100.0, commit="c0ffee", image="", machine=MACHINE,
        versions={"python": "3.11"}, settings=SETTINGS, problems=["before"],
    )  # fmt: skip


def test_each_case_is_a_timing_and_the_file_can_be_read(tmp_path) -> None:
    path = tmp_path / "merged.json"
    path.write_text(json.dumps(merged(jax=part(entry("jax")), torch=part(entry("torch")))))
    found = results.read(path)
    assert [timing.framework for timing in found.timings] == ["jax", "torch"]
    assert found.timings[0].minimum == pytest.approx(1e-3)
    assert found.timings[0].spread == pytest.approx(1e-4)
    assert found.timings[0].calls == 12
    assert found.share == pytest.approx(0.9)
    assert found.versions == {"python": "3.11", "jax": "1"}
    assert found.precision == {"jax": {"tf32": False}, "torch": {"tf32": False}}
    assert found.devices == {"jax": CPU, "torch": CPU}


def test_what_failed_is_named() -> None:
    assert merged(jax=part(failed=["a case: an error"]))["problems"] == [
        "before",
        "a case: an error",
    ]


def test_nothing_timed_is_still_a_document() -> None:
    document = merged()
    assert (document["timings"], document["share"]) == ([], 0)


@pytest.mark.parametrize(
    ("ratios", "passed"),
    [
        ((1.02, 0.98), True),
        ((1.04, 1.02), False),
        ((1.0, 0.95), False),
        ((1.0, None), True),
        ((0.9, None), False),
    ],
    ids=["within", "over timeit", "under torch", "without torch", "under timeit"],
)
def test_the_clock_is_honest_within_three_percent(ratios, passed) -> None:
    (check,) = merged(jax=part(clock(*ratios)))["clock"]
    assert check["passed"] is passed
    assert (check["over_timeit"], check["over_torch_timer"]) == ratios
