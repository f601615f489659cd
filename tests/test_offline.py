"""The one command for a machine without a network: what it refuses, cuts, keeps and says."""

import importlib
import json
import shutil
import subprocess
import sys
import time
import zipfile
from argparse import Namespace
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks import __main__ as command

ROOT = Path(__file__).parents[1]
TOOLS = ROOT / "tools"


@pytest.fixture
def tool(monkeypatch):
    """Imports a module of the folder ``tools``."""
    monkeypatch.syspath_prepend(TOOLS)
    return importlib.import_module


@pytest.fixture
def wheel(tmp_path) -> Path:
    """A wheel of a package that nobody else has, alone in a folder."""
    path = tmp_path / "wheels" / "onlyhere-1.0-py3-none-any.whl"
    path.parent.mkdir()
    files = {
        "onlyhere.py": "",
        "onlyhere-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: onlyhere\nVersion: 1.0\n",
        "onlyhere-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
        "onlyhere-1.0.dist-info/RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


# What it refuses


@pytest.fixture
def refused(tmp_path, wheel):
    """Runs the command on the CPU; returns its one line on standard error."""

    def refused(*options: str, python: tuple[str, ...] = (), **folders: Path) -> str:
        places = {"wheels": wheel.parent, "output": tmp_path / "out"} | folders
        command = [sys.executable, *python, TOOLS / "offline.py", "--device", "cpu",
                   *(f"--{name}={path}" for name, path in places.items()), *options]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1
        return done.stderr

    return refused


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--minutes", "7.9"], "--minutes 7.9: tests and benchmarks take at least 8"),
        (["--minutes", "4", "--only", "benchmarks"], "--only benchmarks take at least 5"),
        (["--minutes", "2", "--only", "tests"], "--minutes 2: --only tests take at least 3"),
        (["--shard", "3/2"], "--shard 3/2: not a part such as 1/2"),
        (["--shard", "half"], "--shard half: not a part such as 1/2"),
    ],
)
def test_numbers_that_make_no_sense(refused, options, says) -> None:
    assert says in refused(*options)


def test_no_wheels(refused, tmp_path) -> None:
    assert "no wheels there: `nox -s wheelhouse` collects them" in refused(wheels=tmp_path / "no")


def test_a_python_without_the_frameworks(refused) -> None:
    assert "has no jax: run this with the Python that has" in refused(python=("-S",))


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_an_output_that_cannot_be_written(refused, tmp_path, name) -> None:
    both_frameworks()
    (tmp_path / "file").touch()
    assert f"{tmp_path / name}: cannot be written: " in refused(output=tmp_path / name)


def test_an_output_that_has_something_in_it(refused, tmp_path) -> None:
    both_frameworks()
    assert f"{tmp_path}: is not empty" in refused(output=tmp_path)


def test_no_gpu(refused) -> None:
    both_frameworks()
    if list(Path("/dev").glob("nvidia[0-9]*")):
        pytest.skip("there is a GPU here")
    assert "no GPU here: there is no /dev/nvidia" in refused("--device", "cuda")


def test_a_full_disk(tool, monkeypatch, tmp_path, wheel) -> None:
    both_frameworks()
    offline = tool("offline")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(9, 8, 1 << 20))
    options = Namespace(minutes=10, only=None, shard=None, wheels=wheel.parent, device="cpu")
    with pytest.raises(offline.InputError, match="1 MiB free, and 2048 are needed: set TMPDIR"):
        offline.check(options)


def both_frameworks() -> None:
    for name in ("jax", "torch"):
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed: nothing else is looked at")


# The environment


def test_wheels_come_before_all_that_this_python_has(tool, tmp_path, wheel) -> None:
    environment = tool("environment")
    both_frameworks()
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    python = environment.make(tmp_path / "environment", [wheel])
    code = (
        "import importlib.metadata as m, jaxvstorch, onlyhere, pytest;"
        "print(jaxvstorch.__file__, m.version('jaxvstorch'), onlyhere.__file__, pytest.__file__)"
    )
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    package, _, added, found = done.stdout.split()
    assert package == str(ROOT / "jaxvstorch" / "__init__.py")
    assert Path(added).is_relative_to(tmp_path / "environment")
    assert found == pytest.__file__


def test_what_is_missing_is_named(tool, tmp_path, wheel, monkeypatch) -> None:
    environment = tool("environment")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\ndependencies = ["onlyhere>=2"]\n'
        '[dependency-groups]\ntest = ["nowhere-else"]\nbench = ["onlyhere>=1"]\n'
    )
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    says = r"have onlyhere>=2 \(there is 1\.0\); nowhere-else \(there is none\): collect"
    with pytest.raises(environment.SetUpError, match=says):
        environment.make(tmp_path / "environment", [wheel])


def test_a_wheel_for_another_python_is_named(tool, tmp_path, wheel) -> None:
    environment = tool("environment")
    other = wheel.rename(wheel.with_name("onlyhere-1.0-cp27-cp27m-linux_x86_64.whl"))
    with pytest.raises(environment.SetUpError, match=f"{other.name} is not a supported wheel"):
        environment.make(tmp_path / "environment", [other])


# What it begins


@pytest.fixture
def begun(tool, monkeypatch, tmp_path):
    """Begins the benchmarks of a run of ten minutes; returns their command, and what is said."""
    offline, stage = tool("offline"), tool("stage")

    def begun(seconds_ago: float) -> tuple[list[str], dict]:
        commands = []
        ended = stage.Ended(0, False, 1.0)
        monkeypatch.setattr(stage, "run", lambda command, *rest: commands.append(command) or ended)
        options = Namespace(minutes=10, only=None, shard=None, device="cpu", output=tmp_path)
        run = offline.Run(options)
        run.begun -= seconds_ago
        run.benchmarks("python")
        (found,) = json.loads((tmp_path / "summary.json").read_text())["stages"]
        return [word for command in commands for word in command], found

    return begun


def test_benchmarks_are_given_the_time_that_is_left(begun) -> None:
    command, _ = begun(250)  # of 550 seconds, less those of the last case
    assert command[-2:] == ["--minutes", "4.7"]


def test_benchmarks_that_are_too_late_do_not_begin(begun) -> None:
    command, found = begun(400)
    assert command == []
    assert (found["outcome"], found["says"]) == ("cut", "not begun: 2.2 minutes were left")


def test_a_warning_of_the_doctor_does_not_spoil_its_answer(tool, tmp_path, monkeypatch) -> None:
    offline, stage = tool("offline"), tool("stage")
    monkeypatch.setattr(stage, "_end_all", lambda: None)  # it would end what other tests started
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'a warning' >&2\necho '{\"checks\": []}'\n")
    python.chmod(0o755)
    run = offline.Run(Namespace(minutes=10, only=None, device="cpu", output=tmp_path))
    run.doctor(str(python))
    assert json.loads((tmp_path / "doctor.json").read_text()) == {"checks": []}
    assert (tmp_path / "doctor.log").read_text() == "a warning\n"


def test_a_log_has_all_that_a_stage_says_in_its_order(tool, tmp_path, monkeypatch) -> None:
    offline, stage = tool("offline"), tool("stage")
    monkeypatch.setattr(stage, "_end_all", lambda: None)
    run = offline.Run(Namespace(minutes=10, only=None, device="cpu", output=tmp_path))
    log = tmp_path / "some.log"
    command = ["sh", "-c", "echo one; echo two >&2; echo three"]
    run._stage("some", command, log, run.seconds, {}, str)
    assert log.read_text() == "one\ntwo\nthree\n"


def test_the_least_minutes_leave_the_benchmarks_theirs(tool) -> None:
    """Also where the tests take all the time they can have, and then as long to stop."""
    offline = tool("offline")
    both, alone = (offline.LEAST_MINUTES[only] * 60 - offline.RESERVE - offline.GRACE
                   for only in (None, "benchmarks"))  # fmt: skip
    needed = (offline.LEAST_BENCHMARKS + offline.LAST_CASE) * 60
    assert both * (1 - offline.TESTS_SHARE) - 2 * offline.GRACE > needed
    assert alone - 50 > needed  # for the set-up and the doctor
    assert offline.LEAST_BENCHMARKS == command.LEAST_MINUTES


# Deadlines: each in a process of its own, because a stage ends every child of its process


def stopped(command: str, seconds: float, grace: float, folder: Path) -> list[str]:
    """Run Python code as a stage; returns its output and, last, what is said of its end.

    Its time begins when it has ended or has made a file "ready": Python may take a second to start,
    and a signal before that finds no handler.
    """
    program = f"""
import os, signal, sys, pathlib, subprocess, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # as the tool: see its main
sys.path.insert(0, {str(TOOLS)!r})
import stage
stage.adopt_orphans()
wait = subprocess.Popen.wait
def wait_once_ready(self, timeout=None):
    while self.poll() is None and not os.path.exists("ready"):
        time.sleep(0.01)
    return wait(self, timeout)
subprocess.Popen.wait = wait_once_ready
with open("log", "w") as log:
    ended = stage.run([sys.executable, "-c", {command!r}], pathlib.Path(), os.environ,
                      log, log, {seconds}, {grace})
print(ended.cut, ended.code)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return [*(folder / "log").read_text().splitlines(), *done.stdout.splitlines()]


def test_a_stage_that_ends_in_time(tmp_path) -> None:
    assert stopped("print('done'); raise SystemExit(3)", 30, 30, tmp_path) == ["done", "False 3"]


def test_a_stage_that_is_cut_keeps_what_it_has(tmp_path) -> None:
    command = (
        "import time\ntry: open('ready', 'w'); time.sleep(60)\n"
        "except KeyboardInterrupt: time.sleep(0.5); print('kept'); raise SystemExit(130)"
    )
    assert stopped(command, 0.1, 30, tmp_path) == ["kept", "True 130"]


def test_a_stage_that_does_not_stop_is_made_to(tmp_path) -> None:
    command = (
        "import signal, time\nsignal.signal(2, signal.SIG_IGN)\nopen('ready', 'w'); time.sleep(60)"
    )
    assert stopped(command, 0.1, 1, tmp_path) == ["True -9"]


def test_nothing_of_a_stage_runs_on(tmp_path) -> None:
    left = "import time, pathlib; time.sleep(2); pathlib.Path('ran-on').touch()"
    command = (
        f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {left!r}], "
        "start_new_session=True)"
    )
    assert stopped(command, 30, 30, tmp_path) == ["False 0"]
    time.sleep(3)
    assert not (tmp_path / "ran-on").exists()


# What is said of a stage


def test_what_the_doctor_found(tool, tmp_path) -> None:
    outcomes = tool("outcomes")
    path = tmp_path / "doctor.json"
    path.write_text("")
    assert outcomes.doctor(path) == "no answer"
    assert outcomes.without_gpu(path) == "JAX and PyTorch"
    jax = {"section": "devices", "name": "JAX", "problem": None,
           "value": "gpu:0 (NVIDIA H200), as JAX_PLATFORMS=cuda,cpu says"}  # fmt: skip
    torch = {"section": "devices", "name": "PyTorch", "problem": None, "value": "cuda:0 (NVIDIA)"}
    path.write_text(json.dumps({"checks": [jax, torch]}))
    assert (outcomes.doctor(path), outcomes.without_gpu(path)) == ("nothing is wrong", "")
    jax |= {"value": "cpu:0 (cpu), as JAX_PLATFORMS=cuda,cpu says", "problem": "too old"}
    path.write_text(json.dumps({"checks": [jax, torch]}))
    assert (outcomes.doctor(path), outcomes.without_gpu(path)) == ("JAX: too old", "JAX")


def test_how_many_tests_ran(tool, tmp_path) -> None:
    outcomes = tool("outcomes")
    report = tmp_path / "report.xml"
    assert outcomes.tests(report) == "no report"
    (tmp_path / "test_some.py").write_text(
        "import pytest\ndef test_a(): pass\ndef test_b(): assert 0\n"
        "@pytest.mark.skip(reason='not today')\ndef test_c(): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "test_some.py", f"--junit-xml={report}"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120)
    assert outcomes.tests(report) == "3 tests ran, 1 failures, 1 skipped"


def test_how_much_was_timed(tool, tmp_path) -> None:
    outcomes = tool("outcomes")
    assert outcomes.benchmarks(tmp_path / "none.json") == "no results"
    published = min((ROOT / "benchmarks" / "results").glob("*.json"))
    found = json.loads(published.read_text()) | {"partial": False, "problems": []}
    count = len(found["timings"])
    path = tmp_path / "results.json"
    path.write_text(json.dumps(found))
    assert outcomes.benchmarks(path) == f"{count} timings"
    path.write_text(json.dumps(found | {"partial": True, "left_out": ["a"], "problems": ["b"]}))
    assert outcomes.benchmarks(path) == f"{count} timings, partial, 1 left out, 1 problems"
