"""A session that is stopped keeps what it has measured."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import __main__ as benchmarks_command
from benchmarks import one_framework, processes, session
from jaxvstorch import results

ROOT = Path(__file__).parents[2]
SELECT = "select_cond-16-numpy"


@pytest.fixture
def stop(monkeypatch):
    """Sends this process Ctrl-C while the given framework's cases are timed."""
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    begin = processes.run

    def stop(framework):
        def run(line, **options):
            if framework in line:
                raise KeyboardInterrupt
            return begin(line, **options)

        monkeypatch.setattr(processes, "run", run)

    return stop


def test_what_was_measured_is_kept_and_what_was_not_is_named(tmp_path, stop, capsys) -> None:
    stop("jax")
    output = tmp_path / "stopped.json"
    code = benchmarks_command.main(["--quick", "-k", SELECT, "--output", str(output)])
    found = results.read(output)
    assert code == (1 if found.problems else 130)  # a framework that is not installed is one
    assert found.partial
    assert [timing.framework for timing in found.timings] == ["numpy"]
    assert found.left_out == tuple(
        f"every case of {name} that -k {SELECT!r} selects"
        for name in ("jax", "torch")
        if f"{name} is not installed: left out" not in found.problems
    )
    assert "partial, without every case" in capsys.readouterr().out


def test_without_a_selection_each_case_is_named(tmp_path, stop) -> None:
    stop("numpy")
    output = tmp_path / "stopped.json"
    code = benchmarks_command.main(["--quick", "--shard", "1/20", "--output", str(output)])
    found = results.read(output)
    assert code == (1 if found.problems else 130)
    assert found.timings == ()
    assert all("-numpy-" in name for name in found.left_out[:1])
    assert found.shard == "1/20"


def test_what_a_process_that_crashed_has_not_written_is_named(tmp_path, monkeypatch) -> None:
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    crash = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    begin = processes.run
    monkeypatch.setattr(session, "FRAMEWORKS", ("numpy", "json"))  # no framework, but importable
    monkeypatch.setattr(
        processes, "run", lambda line, **more: begin(crash if "json" in line else line, **more)
    )
    output = tmp_path / "crashed.json"
    assert benchmarks_command.main(["--quick", "-k", SELECT, "--output", str(output)]) == 1
    found = results.read(output)
    assert [timing.framework for timing in found.timings] == ["numpy"]
    assert found.problems == ("json: pytest ended with exit code -9",)
    assert found.partial
    assert found.left_out == (f"every case of json that -k {SELECT!r} selects",)


@pytest.mark.parametrize("text", [None, "", '{"benchmarks": ['], ids=["none", "empty", "cut off"])
def test_a_part_that_cannot_be_read_does_not_take_the_others_with_it(tmp_path, text) -> None:
    part = tmp_path / "part.json"
    if text is not None:
        part.write_text(text)
    assert one_framework.read(part) == {}


def test_cases_after_the_one_that_was_stopped_are_named(tmp_path) -> None:
    """The process that times one framework, stopped in its second case."""
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    (tmp_path / "stopper.py").write_text(
        "import pytest\n"
        "@pytest.hookimpl(tryfirst=True)\n"
        "def pytest_runtest_call(item):\n"
        "    if 'select_where' in item.name: raise KeyboardInterrupt\n"
    )
    part = tmp_path / "part.json"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": str(tmp_path), "OPENBLAS_NUM_THREADS": "1"}
    command = one_framework.command("numpy", part, ["--quick", "-k", "select", "-p", "stopper"])
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == pytest.ExitCode.INTERRUPTED, done.stdout + done.stderr
    found = one_framework.read(part)
    assert [e["extra_info"]["case"]["name"] for e in found["benchmarks"]] == ["select_cond"]
    assert found["session"]["left_out"] == [
        "branching.select_where-16-numpy-eager",
        "branching.select_where-100000-numpy-eager",
    ]


def test_cases_that_cannot_begin_in_time_are_left_out_and_the_clock_is_checked(tmp_path) -> None:
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    pytest.importorskip("jax", reason="JAX is not installed")
    part = tmp_path / "part.json"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    choice = ["--quick", "-k", "select_cond or 150", "--seconds", "0"]
    command = one_framework.command("jax", part, choice)
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == pytest.ExitCode.OK, done.stdout + done.stderr
    found = one_framework.read(part)
    timed, check = [entry["extra_info"] for entry in found["benchmarks"]]
    assert timed["case"]["mode"] == "eager"
    assert check["clock"]["function"] == "150 by 150 product"
    assert found["session"]["left_out"] == ["branching.select_cond-16-jax-compiled"]
    assert found["session"]["failed"] == []


@pytest.mark.parametrize("text", ["2", "soon"])
def test_too_few_minutes(text, capsys) -> None:
    with pytest.raises(SystemExit, match="2"):
        benchmarks_command.main(["--minutes", text])
    assert f"argument --minutes: {text}: at least 3" in capsys.readouterr().err


def refuse(path, *arguments, **options):
    """What opening does to a file that may only be read; to root, every file may be written."""
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize("name", ["file/x.json", "folder", "read-only"])
def test_a_place_that_cannot_be_written_is_said_before_anything_is_timed(
    tmp_path, monkeypatch, capsys, name
) -> None:
    monkeypatch.setattr(session, "run", lambda *arguments: pytest.fail("it was timed"))
    (tmp_path / "folder").mkdir()
    for file in ("file", "read-only"):
        (tmp_path / file).touch()
    if name == "read-only":
        monkeypatch.setattr(Path, "open", refuse)
    assert benchmarks_command.main(["--quick", "--output", str(tmp_path / name)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"{tmp_path / name}: cannot be written" in error


def test_results_that_cannot_be_written_after_all_are_kept_elsewhere(
    tmp_path, monkeypatch, capsys
) -> None:
    """A disk without room: on /dev/full every write fails, and opening it does not."""
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    monkeypatch.setattr(session, "FRAMEWORKS", ("numpy",))
    monkeypatch.setattr(session.tempfile, "tempdir", str(tmp_path))
    arguments = ["--quick", "-k", SELECT, "--output", "/dev/full"]
    assert benchmarks_command.main(arguments) == 2
    (kept,) = tmp_path.glob("*/full")
    assert capsys.readouterr().err == (
        f"/dev/full: cannot be written: No space left on device; the results are in {kept}\n"
    )
    assert [timing.name for timing in results.read(kept).timings] == ["select_cond"]
