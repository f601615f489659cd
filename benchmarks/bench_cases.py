"""Times every case: later calls by pytest-benchmark, first calls in fresh processes."""

from typing import Any

import pytest

from benchmarks import queued
from benchmarks.cases import Case


def bench_case(case: Case, benchmark: Any, stopwatch: Any, pytestconfig: pytest.Config) -> None:
    """Compile, warm, time; in a thread of its own, as each case is run in."""
    work = case.build()
    without = pytestconfig.getoption("--again") or pytestconfig.getoption("--synchronous")
    first, new_shape = work.fresh() if work.fresh is not None and not without else (None, None)
    stopwatch.seconds += (first or 0.0) + (new_shape or 0.0)
    with stopwatch.running():
        run, calls = work.begin()
        if work.after is None:
            benchmark(run)
        else:
            benchmark.pedantic(run, teardown=work.after, rounds=20)
        waited = benchmark.stats.stats.min / calls
        on_device = queued.per_call(case.framework, work.ask, work.calls, waited)
    keys = ("topic", "name", "size", "framework", "mode")
    benchmark.extra_info["case"] = {
        **{key: getattr(case, key) for key in keys},
        "calls_per_run": calls,
        **work.facts(),
        "first_call": first,
        "new_shape": new_shape,
        "queued": on_device,
    }
