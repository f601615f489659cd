"""A program's process group: all of it ends, and it can use the terminal. No framework runs."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jaxvstorch._frameworks.limits import HANGING
from jaxvstorch._port import process_group
from jaxvstorch._port.process_group import ProcessGroup, interruptible

ASKS = """\
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from jaxvstorch._port.process_group import ProcessGroup
code = "import signal; print('got', input('name? ')); signal.signal(2, signal.SIG_DFL)"
code += "; print('more?', flush=True); input()"
group = ProcessGroup([sys.executable, "-c", code])
group.wait(1_200)
print("status", group.status, "at the end", flush=True)
"""


def wait_for(path: Path) -> int:
    """The number that a process writes to a file."""
    end = time.monotonic() + HANGING
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < end
        time.sleep(0.05)
    return int(path.read_text())


@pytest.mark.parametrize("trap", ["", "trap '' INT;"], ids=["ends", "ignores SIGINT"])
def test_children_do_not_outlive_a_program_that_is_stopped(tmp_path, monkeypatch, trap) -> None:
    monkeypatch.setattr(process_group, "GRACE", 0.5)
    group = ProcessGroup(["sh", "-c", f"{trap} sleep 3000 & echo $! > {tmp_path}/child; wait"])
    child = wait_for(tmp_path / "child")
    assert not group.wait(0.0)
    group.stop()
    assert group.status
    assert group.wait(0.0)
    end = time.monotonic() + HANGING
    while subprocess.run(["ps", "-o", "stat=", "-p", str(child)], capture_output=True, text=True,
                         check=False).stdout.strip() not in ("", "Z"):  # fmt: skip
        assert time.monotonic() < end


@pytest.mark.parametrize(("finishes", "status"), [(True, 3), (False, -signal.SIGKILL)])
def test_a_report_that_is_being_finished_is_waited_for(
    tmp_path, monkeypatch, finishes, status
) -> None:
    monkeypatch.setattr(process_group, "GRACE", 0.1)
    trap = "trap 'sleep 3; exit 3' INT"
    script = f"{trap}; echo 1 > {tmp_path}/begun; while :; do sleep 0.1; done"
    group = ProcessGroup(["sh", "-c", script])
    wait_for(tmp_path / "begun")
    group.stop(lambda: finishes)
    assert group.status == status


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_us_is_as_ctrl_c(number) -> None:
    with pytest.raises(KeyboardInterrupt), interruptible():
        signal.raise_signal(number)
    assert signal.getsignal(number) is signal.SIG_DFL


def test_a_program_reads_from_the_terminal_and_gets_ctrl_c() -> None:
    # The system ends the program: Python's own handler misses a signal just before a read begins.
    terminal, theirs = os.openpty()
    started = subprocess.Popen(
        [sys.executable, "-c", ASKS],
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    shown, answers = "", {"name? ": b"Ada\n", "more?": b"\x03"}
    while "at the end" not in shown:
        shown += os.read(terminal, 4096).decode()
        for question in [q for q in answers if q in shown]:
            os.write(terminal, answers.pop(question))
    started.wait()
    os.close(terminal)
    assert "got Ada" in shown
    assert f"status {-signal.SIGINT}" in shown
