"""Times every case: later calls by pytest-benchmark, first calls in fresh processes."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from benchmarks import framework_facts as facts
from benchmarks.cases import Case

ROUNDS = 5
_SECONDS = 0.05  # about how long a round takes
_MOST_PASSES = 1_000

Ask = Callable[[], Any]


def bench_case(case: Case, benchmark: Any, stopwatch: Any, pytestconfig: pytest.Config) -> None:
    """Compile one case, warm it up and time it."""
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
        on_device = queued_call(case.framework, work.ask, work.calls, waited)
    keys = ("topic", "name", "size", "framework", "mode")
    benchmark.extra_info["case"] = {
        **{key: getattr(case, key) for key in keys},
        "calls_per_run": calls,
        **work.facts(),
        "first_call": first,
        "new_shape": new_shape,
        "queued": on_device,
    }


def queued_call(framework: str, ask: Ask | None, calls: int, waited: float) -> float | None:
    """Seconds per call on a device that is kept busy; ``None`` on a CPU, or with no ``ask``.

    Many calls are asked for, and waited for once, in several rounds: the least counts. Where each
    call is waited for, a small one costs mostly the asking and the waiting.

    Args:
        framework: ``"jax"`` or ``"torch"``.
        ask: asks for some calls without waiting, and returns the last one's result.
        calls: how many.
        waited: about how long one call takes that is waited for, in seconds.
    """
    if ask is None or not facts.computes_elsewhere(framework):
        return None
    passes = max(1, min(_MOST_PASSES, round(_SECONDS / (waited * calls))))
    round_of = {"jax": by_waiting, "torch": by_events}[framework]
    return min(round_of(ask, passes) for _ in range(ROUNDS)) / (passes * calls)


def by_events(ask: Ask, passes: int) -> float:
    """Seconds between two events on the GPU, before and after the calls."""
    import torch

    event = partial(torch.cuda.Event, enable_timing=True)
    start, end = event(), event()
    torch.cuda.synchronize()
    start.record()
    for _ in range(passes):
        ask()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end)) / 1e3


def by_waiting(ask: Ask, passes: int) -> float:
    """Seconds until the last result is there; a device works in the order of the asking."""
    import jax

    jax.block_until_ready(ask())
    start = time.perf_counter()
    for _ in range(passes):
        last = ask()
    jax.block_until_ready(last)
    return time.perf_counter() - start
