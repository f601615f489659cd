"""Times every case: later calls by pytest-benchmark, first calls in fresh processes."""

from typing import Any

import pytest

from benchmarks import queued
from benchmarks.cases import Case
from jaxvstorch.waiting import in_fair_thread


def bench_case(case: Case, benchmark: Any, stopwatch: Any, pytestconfig: pytest.Config) -> None:
    """Compile, warm, time. pytest's own call stack is deep, so JAX has a thread of its own."""
    work = case.build()

    def measure() -> tuple[int, float | None]:
        run, calls = work.begin()
        if work.after is None:
            benchmark(run)
        else:
            benchmark.pedantic(run, teardown=work.after, rounds=20)
        waited = benchmark.stats.stats.min / calls
        return calls, queued.per_call(case.framework, work.ask, work.calls, waited)

    again = pytestconfig.getoption("--again")
    found = work.fresh() if work.fresh is not None and not again else []
    stopwatch.seconds += sum(found)
    with stopwatch.running():
        calls, on_device = in_fair_thread(measure, with_torch=case.framework == "torch")
    keys = ("topic", "name", "size", "framework", "mode")
    benchmark.extra_info["case"] = {
        **{key: getattr(case, key) for key in keys},
        "calls_per_run": calls,
        **work.facts(),
        "first_call": found[0] if found else None,
        "new_shape": found[1] if found else None,
        "queued": on_device,
    }
