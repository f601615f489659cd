"""Times every case: later calls by pytest-benchmark, first calls in fresh processes."""

from typing import Any

from benchmarks.cases import Case
from jaxvstorch.measure import warm
from jaxvstorch.waiting import in_fair_thread


def bench_case(case: Case, benchmark: Any, stopwatch: Any) -> None:
    """Compile, warm, time. pytest's own call stack is deep, so JAX has a thread of its own."""
    work = case.build()

    def measure() -> None:
        run = work.start()
        warm(run)
        if work.after is None:
            benchmark(run)
        else:
            benchmark.pedantic(run, teardown=work.after, rounds=20)

    found = work.fresh() if work.fresh is not None else []
    stopwatch.seconds += sum(found)
    with stopwatch.running():
        in_fair_thread(measure, with_torch=case.framework == "torch")
    keys = ("topic", "name", "size", "framework", "mode")
    benchmark.extra_info["case"] = {
        **{key: getattr(case, key) for key in keys},
        "calls_per_run": work.calls,
        **work.facts(),
        "first_call": found[0] if found else None,
        "new_shape": found[1] if found else None,
    }
