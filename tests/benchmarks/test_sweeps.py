"""Which processes a session starts, what each of them times, and what stops them."""

import json
import subprocess
from types import SimpleNamespace

import pytest
from test_merge import clock, part
from test_pooling import found

from benchmarks import __main__ as command
from benchmarks import one_framework, processes, session, sweeps
from benchmarks.bench_cases import bench_case
from benchmarks.cases import Case, Work
from benchmarks.clock import SHORTEST
from benchmarks.conftest import Stopwatch
from benchmarks.origin import ROOT
from jaxvstorch import results

SELECT = "select_cond-16-numpy"


@pytest.fixture
def lines(monkeypatch):
    """Collects the command lines of a session's processes; NumPy's alone are run."""
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    monkeypatch.setattr(session, "FRAMEWORKS", ("numpy",))
    begin, seen = processes.run, []
    monkeypatch.setattr(
        processes, "run", lambda line, **o: (seen.append(line), begin(line, **o))[1]
    )
    return seen


def run(output, *options):
    code = command.main([*options, "-k", SELECT, "--output", str(output)])
    return code, results.read(output)


def test_a_full_session_goes_through_the_set_several_times(tmp_path, lines, monkeypatch) -> None:
    read, rounds = one_framework.read, []

    def count(path):
        part = read(path)
        rounds.extend(entry["stats"]["rounds"] for entry in part["benchmarks"])
        return part

    monkeypatch.setattr(one_framework, "read", count)
    code, whole = run(tmp_path / "full.json")
    assert (code, whole.sweeps, whole.partial) == (0, sweeps.SWEEPS, False)
    assert ["--again" in line for line in lines] == [False, True, True]
    assert len(rounds) == sweeps.SWEEPS
    assert whole.timings[0].rounds == sum(rounds)


def test_a_quick_session_goes_through_it_once(tmp_path, lines) -> None:
    _, quick = run(tmp_path / "quick.json", "--quick")
    assert (quick.sweeps, len(lines)) == (1, 1)


def test_a_later_sweep_that_is_stopped_is_named(tmp_path, lines, monkeypatch) -> None:
    begin = one_framework.run

    def stop(framework, part, choice):
        if len(lines) == 2:
            raise KeyboardInterrupt
        return begin(framework, part, choice)

    monkeypatch.setattr(one_framework, "run", stop)
    code, stopped = run(tmp_path / "stopped.json")
    assert (code, stopped.sweeps, stopped.left_out) == (130, 2, ("sweep 3 of 3",))
    assert len(stopped.timings) == 1


class Benchmark:
    """Stands for pytest-benchmark's fixture."""

    def __init__(self) -> None:
        self.extra_info: dict = {}
        self.stats = SimpleNamespace(stats=SimpleNamespace(min=1.0))

    def __call__(self, run) -> None:
        """Run it once."""
        run()


@pytest.mark.parametrize("again", [False, True])
def test_first_calls_are_timed_in_the_first_sweep_only(again) -> None:
    work = Work(start=lambda: lambda: None, fresh=lambda: [0.5, 0.25])
    case = Case("branching", "f", 16, "numpy", "eager", build=lambda: work)
    benchmark, config = Benchmark(), SimpleNamespace(getoption={"--again": again}.__getitem__)
    bench_case(case, benchmark, Stopwatch(), config)
    timed = benchmark.extra_info["case"]
    expected = (None, None) if again else (0.5, 0.25)
    assert (timed["first_call"], timed["new_shape"]) == expected


@pytest.mark.parametrize("choice", [[], ["--again"]], ids=["first", "later"])
def test_the_clock_is_checked_in_each_sweep_with_a_framework(tmp_path, choice) -> None:
    for framework in ("numpy", "jax", "torch"):
        line = one_framework.command(framework, tmp_path / "part.json", choice)
        assert ("benchmarks/bench_clock.py" in line) == (framework != "numpy")


@pytest.fixture
def only_started(monkeypatch):
    """Collects the command lines of processes, and runs none."""
    seen = []
    monkeypatch.setattr(processes, "run", lambda line, **o: (seen.append(line), 0)[1])
    return seen


def clocks_alone(lines) -> list[str]:
    """The frameworks of the processes that check the clock alone, in the order of their start."""
    return [line[line.index("--framework") + 1] for line in lines if sweeps.CLOCK_ALONE[-1] in line]


def test_after_each_sweep_further_processes_check_the_clock(only_started) -> None:
    sweeps.run(["numpy", "jax", "torch"], ["--gpu-memory", "5"], count=3, end=None)
    assert len(only_started) == 3 * (3 + 4)
    assert clocks_alone(only_started) == 3 * ["jax", "jax", "torch", "torch"]
    assert all("--gpu-memory" in line for line in only_started)


@pytest.mark.parametrize(
    ("choice", "count"), [(["--quick"], 1), (["-k", "loops"], 3)], ids=["quick", "selection"]
)
def test_no_others_check_it_in_a_session_that_is_short_or_of_some_cases(
    only_started, choice, count
) -> None:
    sweeps.run(["jax", "torch"], choice, count, end=None)
    assert (len(only_started), clocks_alone(only_started)) == (2 * count, [])


def test_these_time_the_shortest_call_and_nothing_else(tmp_path) -> None:
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    choice = [*sweeps.CLOCK_ALONE, "--collect-only"]
    line = one_framework.command("jax", tmp_path / "part.json", choice)
    found = subprocess.run(map(str, line), cwd=ROOT, capture_output=True, text=True).stdout
    cases = [case for case in found.splitlines() if "::" in case]
    assert cases == [f"benchmarks/bench_clock.py::bench_clock[{SHORTEST}]"]


def test_what_they_find_joins_the_check_of_their_framework(monkeypatch) -> None:
    ratios = iter([1.06, 1.05, 1.01, 0.97, 1.0, 0.99, 1.02, 1.03, 1.04])

    def write(framework, path, choice):
        checked = clock(next(ratios), None) | {"name": "c"}
        cases = [] if "bench_clock" in choice[-1] else [found("a", 2.0)]
        path.write_text(json.dumps(part(*cases, checked)))
        return 0

    monkeypatch.setattr(one_framework, "run", write)
    timed = sweeps.run(["jax"], ["--gpu-memory", "5"], count=3, end=None)
    case, check = timed.parts["jax"]["benchmarks"]
    assert case["stats"]["rounds"] == 3
    assert check["extra_info"]["clock"]["over_timeit"] == 1.02
    assert check["extra_info"]["clock"]["over_timeit_spread"] == pytest.approx(0.05)
    assert timed.parts["jax"]["session"]["busy"] == pytest.approx(9 * 45.0)
    assert (timed.codes, timed.problems, timed.whole) == ({"jax": 0}, [], 3)


def test_one_that_crashes_is_a_problem_and_one_that_is_stopped_ends_the_sweeps(
    monkeypatch, only_started
) -> None:
    def crash(line, **options):
        only_started.append(line)
        if len(only_started) == 5:
            raise KeyboardInterrupt
        return 3 if clocks_alone([line]) else 0

    monkeypatch.setattr(processes, "run", crash)
    timed = sweeps.run(["jax"], [], count=3, end=None)
    assert timed.problems == ["jax: pytest ended with exit code 3"]
    assert timed.whole == 1  # the second one's clock was not checked to the end


def test_the_frameworks_share_the_minutes(monkeypatch) -> None:
    """Each has its part of what is left then, but for the clock checks, which NumPy has none of."""
    seconds, now = [], [0.0]
    monkeypatch.setattr(sweeps.time, "perf_counter", lambda: now[0])

    def run(line, **options):
        seconds.append(float(line[line.index("--seconds") + 1]))
        now[0] += 60.0
        return pytest.ExitCode.NO_TESTS_COLLECTED

    monkeypatch.setattr(processes, "run", run)
    sweeps.run(["numpy", "jax", "torch"], [], count=1, end=600.0)
    clock = sweeps.CLOCK_SECONDS
    assert seconds == [
        (600 - 2 * clock) / 8,
        pytest.approx((540 - 2 * clock) * 2 / 7),
        480 - clock,
    ]
