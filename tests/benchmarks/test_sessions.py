"""Which processes a session starts, what each of them times, and what stops them."""

import importlib.util
import os
import subprocess
from types import SimpleNamespace

import pytest

from benchmarks import __main__ as command
from benchmarks import measuring, one_framework, sessions
from benchmarks.bench_cases import bench_case
from benchmarks.cases import Case, Work
from benchmarks.conftest import Stopwatch
from benchmarks.origin import ROOT
from benchmarks.report import files
from benchmarks.report.files import ResultsError


def run(output, *options):
    code = command.main([*options, "--output", str(output)])
    return code, files.read(output)


def test_a_set_is_run_as_often_as_asked(tmp_path, processes) -> None:
    code, whole = run(tmp_path / "full.json", "--sessions", "4")
    assert (code, len(whole.sessions), whole.partial) == (0, 4, False)
    assert processes.told == [["numpy"]] * 3 + [["numpy", "--again"]]
    assert (whole.timings[0].sessions, whole.timings[0].median) == ((4.0, 3.0, 2.0, 1.0), 2.5)


def test_first_calls_are_left_out_on_request(tmp_path, processes) -> None:
    _, found = run(tmp_path / "quick.json", "--quick", "--no-first-calls")
    assert len(found.sessions) == 1
    assert [told[:3] for told in processes.told] == [["numpy", "--quick", "--again"]]


def test_a_quick_session_says_how_long_it_takes_and_keeps_to_it(
    tmp_path, processes, capsys
) -> None:
    run(tmp_path / "quick.json", "--quick")
    words = capsys.readouterr().out.partition("\n")[0]
    assert words == (
        "This takes about 4 minutes on this machine as it is now. Cases that have not begun after "
        "8 minutes are left out."
    )
    ((*_, option, seconds),) = processes.told
    assert option == "--seconds"
    assert 475 < float(seconds) <= 480
    run(tmp_path / "two.json", "--quick", "--minutes", "2")
    assert "This takes" not in capsys.readouterr().out
    assert float(processes.told[-1][-1]) <= 120


def test_jax_is_timed_in_both_ways_of_calling(monkeypatch) -> None:
    """In a second process, for JAX reads the setting once; and only JAX has the second way."""
    started = []

    def run(framework, path, choice, progress):
        started.append([framework, *choice])
        return 0

    monkeypatch.setattr(one_framework, "run", run)
    sessions.run(["numpy", "jax", "torch"], [], count=1, end=None, commit="")
    assert started == [["numpy"], ["jax"], ["jax", "--synchronous"], ["torch"]]


@pytest.mark.parametrize(
    ("end", "code", "problems", "times", "left_out"),
    [("stopped", 130, (), 2, ("session 3 of 3",)),
     (-9, 1, ("numpy: pytest ended with exit code -9",), 2, ())],
    ids=["stopped", "crashed"],
)  # fmt: skip
def test_a_later_session_that_does_not_end_well_is_named(
    tmp_path, processes, monkeypatch, end, code, problems, times, left_out
) -> None:
    begin = one_framework.run

    def run_two(*arguments):
        processes.ends.update({"numpy": end} if len(processes.told) == 2 else {})
        return begin(*arguments)

    monkeypatch.setattr(one_framework, "run", run_two)
    found_code, found = run(tmp_path / "x.json", "--sessions", "3")
    assert (found_code, found.problems, found.left_out) == (code, problems, left_out)
    (timing,) = found.timings
    assert (len(found.sessions), len(timing.sessions)) == (times, times)


class Benchmark:
    """Stands for pytest-benchmark's fixture."""

    def __init__(self) -> None:
        self.extra_info: dict = {}
        self.stats = SimpleNamespace(stats=SimpleNamespace(min=1.0))

    def __call__(self, run) -> None:
        """Run it once."""
        run()


@pytest.mark.parametrize("again", [False, True])
def test_first_calls_are_timed_where_no_session_leaves_them_out(again) -> None:
    work = Work(start=lambda: lambda: None, fresh=lambda: [0.5, 0.25])
    case = Case("branching", "f", 16, "numpy", "eager", build=lambda: work)
    options = {"--again": again, "--synchronous": False}
    benchmark, config = Benchmark(), SimpleNamespace(getoption=options.__getitem__)
    bench_case(case, benchmark, Stopwatch(), config)
    timed = benchmark.extra_info["case"]
    expected = (None, None) if again else (0.5, 0.25)
    assert (timed["first_call"], timed["new_shape"]) == expected


def test_the_frameworks_share_the_minutes(monkeypatch) -> None:
    """Each has its part of what is left then."""
    seconds, now = [], [0.0]
    monkeypatch.setattr(sessions.time, "perf_counter", lambda: now[0])

    def run(framework, path, choice, progress):
        seconds.append(float(choice[choice.index("--seconds") + 1]))
        now[0] += 60.0
        return pytest.ExitCode.NO_TESTS_COLLECTED

    monkeypatch.setattr(one_framework, "run", run)
    sessions.run(["numpy", "jax", "torch"], [], count=1, end=600.0, commit="")
    assert seconds == pytest.approx([600 * 4 / 35, 540 * 8 / 31, 480 * 3 / 23, 420])


PLUGIN = """
import jax

def pytest_runtest_protocol(item):
    print("\\\\nhanded over:", jax.config.read("jax_cpu_enable_async_dispatch"))
"""


@pytest.mark.parametrize(("options", "handed"), [([], True), (["--synchronous"], False)])
def test_jax_hands_nothing_over_where_that_is_timed(tmp_path, options, handed) -> None:
    """An environment variable of that name does nothing."""
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    pytest.importorskip("jax", reason="JAX is not installed")
    (tmp_path / "plugin.py").write_text(PLUGIN)
    choice = ["--quick", "-k", "select_where-16-jax-compiled", "--again", "-p", "plugin", "-s"]
    command = one_framework.command("jax", tmp_path / "part.json", [*choice, *options])
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert f"handed over: {handed}" in done.stdout, done.stdout + done.stderr
    (entry,) = one_framework.read(tmp_path / "part.json")["benchmarks"]
    mode = entry["extra_info"]["case"]["mode"]
    assert mode == ("compiled" if handed else "compiled, synchronous")


def test_without_pytest_benchmark_it_says_so(monkeypatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    measuring._check_plugin({pytest.ExitCode.OK})
    with pytest.raises(ResultsError, match="pytest-benchmark is not installed: pip install"):
        measuring._check_plugin({pytest.ExitCode.USAGE_ERROR})
