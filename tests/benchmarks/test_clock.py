"""How the harness's clock is compared with others."""

import os

import pytest
from result_files import MACHINE, write

from benchmarks import __main__ as command
from benchmarks import machine, one_framework
from benchmarks.clock import repeated, timers
from benchmarks.clock.bare import WITH_TORCH, BareClocks
from benchmarks.report import files


def test_a_round_comes_after_an_untimed_one_and_a_products_after_a_pause(monkeypatch) -> None:
    done = []
    monkeypatch.setattr(timers.time, "sleep", done.append)
    for name in timers.NAMES:
        timers.get_ready(name, lambda: done.append("round"))
    assert done == [0.0, "round", *3 * [timers.PAUSE_SECONDS, "round"]]


def test_clocks_are_compared_round_by_round() -> None:
    """A machine that is half as fast for a while, and a round of each that was disturbed alone."""
    harness = [1.0, 1.0, 2.0, 2.0, 2.0, 9.0, 1.0]
    other = [1.0, 1.0, 2.0, 2.0, 8.0, 1.0, 1.0]
    assert timers.ratio(harness, other) == 1.0
    assert timers.ratio([1.1 * seconds for seconds in harness], other) == pytest.approx(1.1)


def test_in_each_turn_everyone_measures_once_in_an_order_that_changes() -> None:
    names = ["harness", "timeit", "torch"]
    order = list(timers.turns(names, 60))
    turns = [tuple(order[i : i + 3]) for i in range(0, 180, 3)]
    assert all(sorted(turn) == names for turn in turns)
    assert len(set(turns)) == 6


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux can choose a core")
def test_clocks_of_one_thread_share_a_core_and_give_it_back() -> None:
    before = os.sched_getaffinity(0)
    for name in timers.NAMES:
        with timers.on_one_core(name):
            inside = os.sched_getaffinity(0)
        assert inside == ({min(before)} if name == timers.SHORTEST else before)
        assert os.sched_getaffinity(0) == before


def test_bare_clocks_measure_and_end() -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    clocks = BareClocks("jax")
    processes = clocks._processes()
    # JAX has a process without PyTorch, and one with its timer.
    assert len(processes) == (2 if WITH_TORCH else 1)
    try:
        for timer in clocks.timers:
            assert 0 < clocks.ask(timer, timers.SHORTEST, 10) < 1
    finally:
        clocks.stop()
    assert all(process.returncode is not None for process in processes)


def found(over_timeit, over_torch_timer, **more):
    """What one process found of one function."""
    return {
        "function": "f", "harness": 4.0, "timeit": 4.0, "torch_timer": 4.0,
        "over_timeit": over_timeit, "over_torch_timer": over_torch_timer, **more,
    }  # fmt: skip


def test_of_several_processes_the_median_ratio_is_kept() -> None:
    ratios = ((1.0, 0.9), (1.02, 1.0), (1.01, 2.0))
    pooled = repeated.pool(
        "jax", "f", [found(*r, timeit=t) for r, t in zip(ratios, (4, 3, 5), strict=True)]
    )
    assert (pooled.over_timeit, pooled.over_torch_timer) == (1.01, 1.0)
    assert pooled.over_timeit_spread == pytest.approx(0.01)
    assert pooled.over_torch_timer_spread == pytest.approx(1.0)
    assert (pooled.harness, pooled.timeit, pooled.passed) == (4.0, 3, True)


@pytest.mark.parametrize(
    ("ratios", "passed"),
    [((1.02, 0.98), True), ((1.04, 1.02), False), ((1.0, 0.95), False)],
    ids=["within", "over timeit", "under torch"],
)
def test_the_clock_is_right_within_three_percent(ratios, passed) -> None:
    assert repeated.pool("jax", "f", [found(*ratios)]).passed is passed


@pytest.mark.parametrize(("ratio", "passed"), [(1.0, True), (0.9, False)])
def test_without_pytorch_there_is_no_ratio_over_its_timer(ratio, passed) -> None:
    pooled = repeated.pool("jax", "f", [found(ratio, None, torch_timer=None)])
    assert (pooled.torch_timer, pooled.over_torch_timer) == (None, None)
    assert pooled.over_torch_timer_spread is None
    assert pooled.passed is passed


@pytest.fixture
def measured(monkeypatch):
    """A check that takes no time and finds what it is given, twice for each framework."""
    monkeypatch.setattr(repeated.importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(repeated.run, "__defaults__", (2,))
    monkeypatch.setattr(one_framework, "run", lambda *arguments: 0)

    def measured(*ratios):
        entries = [{"extra_info": {"clock": found(*ratios)}}]
        monkeypatch.setattr(
            one_framework, "read", lambda path: {"benchmarks": entries, "session": {"failed": []}}
        )

    return measured


HERE = MACHINE | {"cpu": machine.cpu_model(), "cores": machine.CORES}


def test_checks_are_shown_and_added_to_a_file(tmp_path, capsys, measured) -> None:
    path = write(tmp_path / "x.json", machine=HERE)
    measured(1.01, 1.0)
    assert command.main(["clock", str(path)]) == 0
    assert [(c.framework, c.over_timeit) for c in files.read(path).clock] == [
        ("jax", 1.01),
        ("torch", 1.01),
    ]
    assert "1.010" in capsys.readouterr().out
    measured(1.2, 1.0)
    assert command.main(["clock"]) == 1
    assert "1.200" in capsys.readouterr().out


def test_a_file_of_another_machine_is_refused(tmp_path, capsys) -> None:
    path = write(tmp_path / "x.json", machine=MACHINE)
    assert command.main(["clock", str(path)]) == 2
    assert f"{path} is of another machine, A processor, 2 cores" in capsys.readouterr().err


def test_a_process_that_fails_is_named_and_changes_no_file(
    tmp_path, monkeypatch, capsys, measured
) -> None:
    seen = []
    ends = iter([(3, {}), (1, {"benchmarks": [], "session": {"failed": ["bench_clock: broke"]}})])
    monkeypatch.setattr(repeated.run, "__defaults__", (1,))
    monkeypatch.setattr(
        one_framework, "run", lambda *arguments: seen.append(next(ends)) or seen[-1][0]
    )
    monkeypatch.setattr(one_framework, "read", lambda path: seen[-1][1])
    path = write(tmp_path / "x.json", machine=HERE)
    before = path.read_text()
    assert command.main(["clock", str(path)]) == 1
    shown = capsys.readouterr().out
    assert "problem: jax: pytest ended with exit code 3" in shown
    assert "problem: bench_clock: broke" in shown
    assert path.read_text() == before
