"""Which stages it begins, and how it ends them."""

import json
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path

import pytest
from offline_needs import TOOLS

from benchmarks import __main__ as command

# What it begins.


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


# Deadlines: each in a process of its own, because a stage ends every child of its process.


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
