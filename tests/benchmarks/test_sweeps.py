"""Which processes a session starts, what each of them times, and what stops them."""

from types import SimpleNamespace

import pytest

from benchmarks import __main__ as command
from benchmarks import one_framework, sweeps
from benchmarks.bench_cases import bench_case
from benchmarks.cases import Case, Work
from benchmarks.conftest import Stopwatch
from benchmarks.report import files


def run(output, *options):
    code = command.main([*options, "--output", str(output)])
    return code, files.read(output)


def test_a_full_session_goes_through_the_set_several_times(tmp_path, processes) -> None:
    code, whole = run(tmp_path / "full.json")
    assert (code, whole.sweeps, whole.partial) == (0, sweeps.SWEEPS, False)
    assert processes.told == [["numpy"], ["numpy", "--again"], ["numpy", "--again"]]
    assert (whole.timings[0].minimum, whole.timings[0].rounds) == (1.0, 6)


def test_a_quick_session_goes_through_it_once(tmp_path, processes) -> None:
    _, quick = run(tmp_path / "quick.json", "--quick")
    assert (quick.sweeps, len(processes.told)) == (1, 1)


@pytest.mark.parametrize(
    ("end", "code", "problems", "sweeps", "left_out"),
    [("stopped", 130, (), 2, ("sweep 3 of 3",)),
     (-9, 1, ("numpy: pytest ended with exit code -9",), 3, ())],
    ids=["stopped", "crashed"],
)  # fmt: skip
def test_a_later_sweep_that_does_not_end_well_is_named(
    tmp_path, processes, monkeypatch, end, code, problems, sweeps, left_out
) -> None:
    begin = one_framework.run

    def run_two(*arguments):
        processes.ends.update({"numpy": end} if len(processes.told) == 2 else {})
        return begin(*arguments)

    monkeypatch.setattr(one_framework, "run", run_two)
    found_code, found = run(tmp_path / "x.json")
    assert (found_code, found.problems) == (code, problems)
    assert (found.sweeps, found.left_out, len(found.timings)) == (sweeps, left_out, 1)


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


def test_the_frameworks_share_the_minutes(monkeypatch) -> None:
    """Each has its part of what is left then."""
    seconds, now = [], [0.0]
    monkeypatch.setattr(sweeps.time, "perf_counter", lambda: now[0])

    def run(framework, path, choice):
        seconds.append(float(choice[choice.index("--seconds") + 1]))
        now[0] += 60.0
        return pytest.ExitCode.NO_TESTS_COLLECTED

    monkeypatch.setattr(one_framework, "run", run)
    sweeps.run(["numpy", "jax", "torch"], [], count=1, end=600.0)
    assert seconds == [600 / 8, pytest.approx(540 * 2 / 7), 480]
