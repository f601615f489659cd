"""Which cases a session times, and what a case is made of."""

import numpy as np
import pytest

from benchmarks import cases, selection
from benchmarks.workloads import predicates, yardsticks
from jaxvstorch._frameworks import FRAMEWORKS
from jaxvstorch._pairs.registry import PAIRS

CACHE = 2**24
BY_NAME = {str(pair): pair for pair in PAIRS}
LEFT_OUT = {name for name, pair in BY_NAME.items() if selection.why_not_timed(pair)}


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair.benchmark.quick], ids=str)
def test_pairs_chosen_for_a_quick_session_can_be_compared(pair) -> None:
    assert not selection.why_not_timed(pair)


@pytest.mark.parametrize("framework", ["numpy", *FRAMEWORKS])
def test_no_two_cases_have_one_name(framework) -> None:
    names = [str(case) for case in selection.cases(framework)]
    assert len(set(names)) == len(names)
    assert {str(case) for case in selection.cases(framework, quick=True)}


@pytest.mark.parametrize("gpu_memory", [0, 80 * 2**30], ids=["cpu", "gpu"])
@pytest.mark.parametrize("framework", ["numpy", *FRAMEWORKS])
def test_what_a_quick_session_times_a_full_one_times_too(framework, gpu_memory) -> None:
    quick, full = (
        set(map(str, selection.cases(framework, quick, gpu_memory))) for quick in (True, False)
    )
    assert quick < full


def test_every_pair_that_can_be_compared_is_timed_in_every_way() -> None:
    timed = {
        (f"{case.topic}.{case.name}", case.framework, case.mode)
        for framework in ("numpy", *FRAMEWORKS)
        for case in selection.cases(framework)
    }
    ways = [("numpy", "eager"), *((f, m) for f in FRAMEWORKS for m in ("eager", "compiled"))]
    wanted = {(n, *way) for n, p in BY_NAME.items() if n not in LEFT_OUT for way in ways}
    assert wanted <= timed


def test_both_frameworks_are_timed_at_the_same_sizes() -> None:
    jax, torch = (
        {(c.topic, c.name, c.size) for c in selection.cases(f) if c.topic != "memory"}
        for f in FRAMEWORKS
    )
    assert jax == torch


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if str(pair) not in LEFT_OUT], ids=str)
def test_inputs_are_no_larger_than_their_size_says(pair) -> None:
    """Where a size is a matrix's side, say, the sizes that other pairs have would be too much."""
    size = max(pair.benchmark.sizes)
    fewer, more = (cases.bytes_of(pair.make_inputs(size)) for size in (16, 64))
    if more - fewer > 64 * (64 - 16):  # a network's weights do not grow, and do not count
        assert size <= 2_048


def test_small_inputs_are_used_again_and_large_ones_fill_the_cache_twice() -> None:
    small = cases.rotated(lambda seed: (np.full(4, seed),), cache=CACHE)
    assert all(arguments is small[0] for arguments in small)
    large = cases.rotated(lambda seed: (np.full(1_000_000, seed, np.float32),), cache=CACHE)
    assert [int(x[0]) for (x,) in large] == list(range(len(large)))
    assert 2 * CACHE <= sum(x.nbytes for (x,) in large) < 2 * CACHE + large[0][0].nbytes
    nested = cases.rotated(lambda s: ({"x": [np.full(10**6, s, np.float32)]},), cache=CACHE)
    assert len(nested) == len(large)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_loops_are_also_timed_by_their_number_of_steps(framework) -> None:
    by_steps = [c for c in selection.cases(framework) if c.name.endswith(" by steps")]
    assert {(c.name, c.size) for c in by_steps} == {
        (f"{name} by steps", steps)
        for name in ("evolve_python", "evolve_fori")
        for steps in (4, 128)
    }


@pytest.mark.parametrize("framework", ["numpy", *FRAMEWORKS])
@pytest.mark.parametrize("dtype", yardsticks.SIDES)
def test_a_product_is_of_its_dtype_and_counts_its_operations(framework, dtype) -> None:
    if framework != "numpy":
        pytest.importorskip(framework, reason=f"{framework} is not installed")
    elif "16" in dtype:
        assert not [c for c in yardsticks.cases("numpy", False) if dtype in c.name]
        return
    work = yardsticks._product(framework, dtype, 8)
    work.start()()
    assert work.facts() == {"dtype": dtype, "moved": 0, "operations": 1024, "memory": 0}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_smallest_call_is_a_yardstick_of_quick_sessions_too(framework) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    eager, compiled = yardsticks.cases(framework, quick=True)
    assert [eager.mode, compiled.mode] == ["eager", "compiled"]
    work = eager.build()
    work.start()()
    assert work.facts()["dtype"] == "float32"


def test_bytes_are_stated_where_arguments_do_not_stay_in_a_cache(monkeypatch) -> None:
    monkeypatch.setattr(cases, "last_level_cache", lambda: 2**22)
    few = cases._build_pair(BY_NAME["tracing.sin_cos"], 1_000, "numpy", "eager", None)
    assert few.facts()["moved"] == 0
    many = cases._build_pair(BY_NAME["tracing.sin_cos"], 1_000_000, "numpy", "eager", None)
    assert many.facts()["moved"] == 8_000_000
    sums = cases._build_pair(BY_NAME["tracing.polynomial_sum"], 1_000_000, "numpy", "eager", None)
    assert sums.facts()["moved"] == 4_000_000 + sums.sample().nbytes


@pytest.mark.parametrize("framework", ["numpy", *FRAMEWORKS])
def test_a_pair_is_built_and_runs(framework) -> None:
    if framework != "numpy":
        pytest.importorskip(framework, reason=f"{framework} is not installed")
    case = cases.pair_case(BY_NAME["branching.select_where"], 5, framework, "eager")
    work = case.build()
    work.start()()
    assert work.facts()["dtype"] == "float32"
    assert str(case) == f"branching.select_where-5-{framework}-eager"


@pytest.mark.parametrize("quick", [True, False])
def test_every_compiled_pair_of_jax_is_timed_without_a_hand_over_too(quick) -> None:
    names = {str(pair) for pair in PAIRS}
    usual = [case for case in selection.cases("jax", quick) if case.mode == "compiled"]
    synchronous = selection.cases("jax", quick, synchronous=True)
    assert {case.mode for case in synchronous} == {"compiled, synchronous"}
    assert [(c.topic, c.name, c.size) for c in synchronous] == [
        (c.topic, c.name, c.size) for c in usual if f"{c.topic}.{c.name}" in names
    ]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_predicates_are_timed_both_ways(framework) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    names = {case.name for case in selection.cases(framework)}
    for name in predicates.NAMES:
        assert {name, f"{name} if true"} <= names
        predicate, *_ = BY_NAME[f"branching.{name}"].make_inputs(65_536)
        assert not predicate  # what the pair's own cases time
    (case,) = [c for c in predicates.cases(framework, False) if str(c).startswith(
        "branching.expensive_cond if true-16-")]  # fmt: skip
    matrix = np.asarray(case.build().sample())
    assert np.abs(matrix).max() < 1  # a tangent: the expensive side was taken
