"""A session that is stopped keeps what it has measured."""

import os
import subprocess
import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import __main__ as command
from benchmarks import conftest, measuring, one_framework
from benchmarks.report import files
from benchmarks.selection import FRAMEWORKS

ROOT = Path(__file__).parents[2]


@pytest.fixture
def three(monkeypatch):
    """All frameworks are there."""
    monkeypatch.setattr(measuring, "FRAMEWORKS", FRAMEWORKS)
    monkeypatch.setattr(measuring.importlib.util, "find_spec", lambda name: True)


@pytest.mark.parametrize(
    ("end", "code", "problems", "lost"),
    [("stopped", 130, (), ("jax", "jax, synchronous", "torch")),
     (-9, 1, ("jax: pytest ended with exit code -9",), ("jax", "jax, synchronous"))],
    ids=["stopped", "crashed"],
)  # fmt: skip
def test_what_was_measured_is_kept_and_what_was_not_is_named(
    tmp_path, processes, three, capsys, end, code, problems, lost
) -> None:
    processes.ends["jax"] = end
    output = tmp_path / "stopped.json"
    assert command.main(["--quick", "-k", "a", "--output", str(output)]) == code
    found = files.read(output)
    assert (found.partial, found.problems) == (True, problems)
    assert found.timings[0].name == "select_where"
    assert found.left_out == tuple(f"every case of {n} that -k 'a' selects" for n in lost)
    assert "partial, without every case" in capsys.readouterr().out


def test_without_a_selection_each_case_is_named(tmp_path, processes, three) -> None:
    processes.ends["numpy"] = "stopped"
    output = tmp_path / "stopped.json"
    assert command.main(["--quick", "--output", str(output)]) == 130
    found = files.read(output)
    assert found.timings == ()
    assert "-numpy-" in found.left_out[0]


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
    choice = ["--quick", "-k", "select", "-p", "stopper"]
    line = one_framework.command("numpy", part, choice)
    done = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == pytest.ExitCode.INTERRUPTED, done.stdout + done.stderr
    found = one_framework.read(part)
    assert [e["extra_info"]["case"]["name"] for e in found["benchmarks"]] == ["select_cond"]
    assert found["session"]["left_out"] == [
        "branching.select_where-16-numpy-eager",
        "branching.select_where-100000-numpy-eager",
    ]


@pytest.mark.parametrize(("seconds", "skipped"), [(None, False), (5e3, False), (0.0, True)])
def test_a_case_that_cannot_begin_in_time_is_left_out(monkeypatch, seconds, skipped) -> None:
    options = {"--seconds": seconds, "--tell": None}
    config = SimpleNamespace(getoption=options.__getitem__)
    item = SimpleNamespace(config=config, nodeid="bench_case[a]")
    monkeypatch.setattr(conftest, "BEGUN", time.perf_counter())
    monkeypatch.setattr(conftest, "DONE", set())
    conftest.pytest_runtest_setup(item)  # the first is always timed
    conftest.DONE.add("a case")
    with pytest.raises(pytest.skip.Exception) if skipped else nullcontext():
        conftest.pytest_runtest_setup(item)


@pytest.mark.parametrize("text", ["0", "soon", "-1"])
def test_minutes_are_a_number(text, capsys) -> None:
    with pytest.raises(SystemExit, match="2"):
        command.main(["--minutes", text])
    assert "argument --minutes" in capsys.readouterr().err


def refuse(path, *arguments, **options):
    """What opening does to a file that may only be read; to root, every file may be written."""
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize("name", ["file/x.json", "folder", "read-only"])
def test_an_unwritable_path_is_an_error_before_anything_is_timed(
    tmp_path, monkeypatch, capsys, name
) -> None:
    monkeypatch.setattr(measuring, "run", lambda *arguments: pytest.fail("it was timed"))
    (tmp_path / "folder").mkdir()
    for file in ("file", "read-only"):
        (tmp_path / file).touch()
    if name == "read-only":
        monkeypatch.setattr(Path, "open", refuse)
    assert command.main(["--quick", "--output", str(tmp_path / name)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"{tmp_path / name}: cannot be written" in error


def test_results_that_cannot_be_written_after_all_are_kept_elsewhere(
    tmp_path, monkeypatch, capsys, processes
) -> None:
    """A disk without room: on /dev/full every write fails, and opening it does not."""
    monkeypatch.setattr(measuring.tempfile, "tempdir", str(tmp_path))
    assert command.main(["--quick", "--output", "/dev/full"]) == 2
    (kept,) = tmp_path.glob("*/full")
    assert capsys.readouterr().err == (
        f"/dev/full: cannot be written: No space left on device; the results are in {kept}\n"
    )
    assert [timing.name for timing in files.read(kept).timings] == ["select_where"]
