"""Processes that are asked to stop once, however early, and are waited for."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks import processes

ROOT = Path(__file__).parents[2]


@pytest.fixture
def interrupted(monkeypatch):
    """A Ctrl-C comes when a process has begun to run and ``Popen`` has not returned yet."""
    started = []

    class Interrupted(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            started.append(self)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield started
    signal.signal(signal.SIGINT, before)
    for process in started:
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_process_is_asked_once_and_waited_for(tmp_path, number) -> None:
    """The child needs a second to write; one more signal in that time would disturb it."""
    child = (
        "import pathlib, time\n"
        "try:\n    print('ready', flush=True); time.sleep(60)\n"
        "except KeyboardInterrupt:\n    time.sleep(1); pathlib.Path('kept').touch()\n"
    )
    program = (
        "import sys\nfrom benchmarks import processes\n"
        "with processes.stoppable():\n"
        "    try:\n"
        f"        processes.run([sys.executable, '-c', {child!r}], cwd={str(tmp_path)!r})\n"
        "    except KeyboardInterrupt:\n        print('stopped')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert process.stdout.readline() == "ready\n"
    os.killpg(process.pid, number)  # as a terminal does; the child is in a group of its own
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGTERM)  # as nox does after Ctrl-C
    assert process.communicate()[0] == "stopped\n"
    assert process.returncode == 0
    assert (tmp_path / "kept").exists()


def test_signals_mean_again_what_they_meant() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with processes.stoppable():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_process_that_was_hardly_begun_is_ended(interrupted) -> None:
    with processes.stoppable(), pytest.raises(KeyboardInterrupt):
        processes.run(["sleep", "60"])
    assert [process.returncode for process in interrupted] == [-signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_cannot_be_started_leaves_signals_as_they_were() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(FileNotFoundError, match="no-such-command"):
        processes.start(["no-such-command"])
    assert signal.getsignal(signal.SIGINT) is before


def test_what_ignores_ctrl_c_goes_on_ignoring_it(interrupted) -> None:
    """A shell's background job, and so the process that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    process, heed = processes.start(["sleep", "0.2"])
    process.send_signal(signal.SIGINT)
    heed()
    assert process.wait() == 0
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
