"""What a machine that is lent for minutes is asked."""

import sys

from benchmarks import __main__ as command
from benchmarks import rented
from benchmarks.rented import Step

SLOW = "import time\ntry:\n    time.sleep(60)\nfinally:\n    print('wrote')"
STOPPABLE = f"import signal\nsignal.signal(15, signal.default_int_handler)\n{SLOW}"


def test_a_step_that_fails_or_hangs_takes_nothing_from_the_others(
    tmp_path, monkeypatch, capsys
) -> None:
    steps = [
        Step("absent", ["no-such-program"]),
        Step("broken", [sys.executable, "-c", "raise SystemExit('it broke')"]),
        Step("endless", [sys.executable, "-c", STOPPABLE], share=0.1),
        Step("told", [sys.executable, "-c", "print('{minutes}', '{folder}')"]),
    ]
    monkeypatch.setattr(rented, "STEPS", steps)
    folder = tmp_path / "new" / "folder"
    assert command.main(["rented", str(folder), "--minutes", "1"]) == 1
    said = capsys.readouterr().out
    assert "absent: failed" in said
    assert "broken: failed" in said
    assert "endless: stopped: its time was up" in said
    assert "told: done" in said
    logs = {path.stem: path.read_text() for path in folder.iterdir()}
    assert "No such file" in logs["absent"]
    assert "it broke" in logs["broken"]
    assert logs["endless"].startswith("wrote")
    assert logs["told"].endswith(f" {folder}\n")
