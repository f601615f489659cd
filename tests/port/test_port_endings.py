"""However a program ends, the report is kept, and errors are printed as without port."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jaxvstorch._port import process_group
from jaxvstorch._port.process import replayed

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


WARNS = """\
import warnings
import torch
from torch.nn import functional as F
warnings.simplefilter("default")
def loss(x):
    return F.mse_loss(x, torch.ones(3, 2))
for _ in range(2):
    loss(torch.ones(2))
F.mse_loss(torch.ones(2), torch.ones(3, 2))
torch.ones(2, dtype=torch.complex64).to(torch.float32)
F.softmax(torch.ones(2))
warnings.simplefilter("error")
try:
    F.mse_loss(torch.ones(2), torch.ones(3, 2))
except UserWarning as warning:
    print(warning)
F.softmax(torch.ones(2, 2))
"""


def alone_and_ported(folder: Path, file: str) -> list[subprocess.CompletedProcess[str]]:
    """Run a program alone, and under port."""
    commands = ([sys.executable, file], [sys.executable, "-m", "jaxvstorch", "port", file])
    return [
        subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        for command in commands
    ]


def test_warnings_name_the_program_s_lines(tmp_path) -> None:
    (tmp_path / "warns.py").write_text(WARNS)
    alone, ported = alone_and_ported(tmp_path, "warns.py")
    assert alone.stderr.count("Warning: ") == 5
    assert sorted(ported.stderr.splitlines()) == sorted((alone.stdout + alone.stderr).splitlines())
    assert "called by port" not in ported.stdout


@pytest.mark.parametrize(
    ("program", "ended"),
    [
        pytest.param(
            "import torch\nx = torch.ones(2) + 1\nx.cuda()\n",
            "The program failed at line 3 of",
            id="a GPU that is not there",
            marks=[
                pytest.mark.matrix,
                pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU"),
            ],
        ),
        pytest.param(
            "import torch\nx = torch.ones(2) + 1\ntorch.nn.functional.dropout(x, p=2.0)\n",
            "The program failed at line 3 of",
            id="a call fails that is replayed, inside PyTorch's Python",
        ),
        pytest.param(
            "import os, torch\nx = torch.ones(2) + 1\nos._exit(3)\n",
            "The program ended its process at once, with status 3.",
            id="its process ends",
        ),
        pytest.param(
            "import sys, torch\nx = torch.ones(2) + 1\nsys.exit('no data')\n",
            "The program called sys.exit('no data').",
            id="sys.exit",
            marks=pytest.mark.matrix,
        ),
        pytest.param(
            "import torch\nx = torch.ones(2) + 1\nwhile True:\n    pass\n",
            "The program was stopped after 20 seconds; --seconds changes that.",
            id="it never ends",
            marks=pytest.mark.matrix,
        ),
    ],
)
def test_what_was_replayed_is_kept(tmp_path, program, ended, capfd) -> None:
    file = tmp_path / "program.py"
    file.write_text(program)
    report = replayed(str(file), [], limit=8, seconds=20, write=tmp_path / "draft.py")
    assert report.ended.startswith(ended)
    # A process that ends at once has no time for its draft, and the report says so.
    assert bool(report.failed_draft) is ("at once" in ended)
    assert report.counts() == {"verified": 2}
    assert "jaxvstorch" not in capfd.readouterr().err  # a traceback without port's frames


INTERRUPTED = """\
import torch
x = torch.ones(2) + 1
try:
    while True:
        pass
except KeyboardInterrupt:
    print("saving", flush=True)
finally:
    print("finally", flush=True)
"""


@pytest.mark.matrix
def test_the_draft_s_time_does_not_count(tmp_path, capfd, monkeypatch) -> None:
    """The program ends as by Ctrl-C, and the draft then takes longer than the grace for that."""
    monkeypatch.setattr(process_group, "GRACE", 3.0)
    file = tmp_path / "program.py"
    file.write_text(f"def f(x):\n    return x + 1\n{INTERRUPTED}f(x)\n")
    report = replayed(str(file), [], limit=8, seconds=20, write=tmp_path / "draft.py")
    assert capfd.readouterr().err == "saving\nfinally\n"
    assert report.ended.startswith("The program was stopped after 20 seconds")
    assert report.parity["f"].startswith("at parity")


def test_a_program_that_is_stopped_before_its_first_call(tmp_path) -> None:
    (tmp_path / "sleeps.py").write_text("import time, torch\ntime.sleep(3000)\n")
    report = replayed(str(tmp_path / "sleeps.py"), [], limit=8, seconds=0.1)
    assert "0.1 seconds, before a PyTorch call was repeated in JAX" in report.ended


FAILS = """\
import os, sys
import torch
os.chdir("/")
print(open(__file__).readline(), sys.argv, __name__, sys.modules["__main__"].__file__)
try:
    torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1, 2]))
except ValueError as error:
    torch.ones(2) @ torch.ones(3)
"""


def test_errors_are_printed_as_without_port(tmp_path) -> None:
    (tmp_path / "fails.py").write_text(FAILS)
    alone, ported = alone_and_ported(tmp_path, "fails.py")
    assert ported.stderr == alone.stdout + alone.stderr
    assert "The program failed at line 8 of" in ported.stdout


HARD = """\
import json, logging, os, sys, time
import torch
from . import beside
logging.basicConfig(level=logging.DEBUG)
json.dumps = json.JSONEncoder.encode = time.perf_counter = None
os.closerange(3, 256)
torch.sin(torch.ones(2))
class Odd(Exception):
    def __str__(self):
        return None
def hook(*_):
    raise Odd from ExceptionGroup("several", [ValueError(1)])
sys.excepthook = hook
print(sys.path[0], sys.argv, __spec__.name, __package__, flush=True)
sys.stdout.close()
raise Odd
"""


def test_a_program_that_is_hard_on_python(tmp_path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/beside.py").touch()
    (tmp_path / "pkg/hard.py").write_text(HARD)
    commands = ([sys.executable, "-m"], [sys.executable, "-m", "jaxvstorch", "port", "-m"])
    alone, ported = (
        subprocess.run([*command, "pkg.hard"], cwd=tmp_path, capture_output=True, text=True)
        for command in commands
    )
    printed = [line for line in ported.stderr.splitlines() if "<frozen runpy>" not in line]
    expected = (alone.stdout + alone.stderr).splitlines()
    assert printed == [line for line in expected if "<frozen runpy>" not in line]
    assert "The program failed at line 16 of pkg/hard.py: Odd: <exception str" in ported.stdout
    assert "2 calls on 1 line: 2 verified" in ported.stdout
    assert ported.returncode == 1


STAYS = """\
import gc, subprocess, sys, time
import torch
torch.ones(2)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3000)"])
def callback(*_):
    gc.callbacks.remove(callback)
    print(child.pid, file=open("pid", "w"))
    time.sleep(3000)
gc.callbacks.append(callback)
try:
    gc.collect()
    time.sleep(3000)
finally:
    print("the end", flush=True)
"""


def test_nothing_stays_of_a_port_that_is_ended(tmp_path) -> None:
    """By SIGTERM, whose Ctrl-C a callback of the garbage collector swallows at first."""
    (tmp_path / "stays.py").write_text(STAYS)
    command = [sys.executable, "-m", "jaxvstorch", "port", "stays.py"]
    (tmp_path / "tmp").mkdir()
    environment = os.environ | {"TMPDIR": str(tmp_path / "tmp")}
    running = subprocess.Popen(command, cwd=tmp_path, env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    while not ((tmp_path / "pid").exists() and (tmp_path / "pid").read_text()):
        assert running.poll() is None
        time.sleep(0.1)
    running.send_signal(signal.SIGTERM)
    shown, printed = running.communicate()
    assert "the end" in printed
    assert "The program was stopped." in shown
    assert running.returncode == 1
    assert not list((tmp_path / "tmp").glob("jaxvstorch-*"))
    child = ["ps", "-o", "stat=", "-p", (tmp_path / "pid").read_text().strip()]
    state = subprocess.run(child, capture_output=True, text=True, check=False).stdout
    assert state[:1] in ("", "Z")  # nobody may wait for it here


def test_a_program_that_changes_its_folder_and_fails(tmp_path, capfd, monkeypatch) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "moves.py").write_text(
        "import os\nimport torch\nos.chdir('away')\nprint(os.path.exists(__file__))\n"
        "x = torch.ones(3)\ny = x.softmax(0)\n"
        "try:\n    x @ torch.ones(2)\n"
        "except RuntimeError as error:\n    raise ValueError('mine') from error\n"
    )
    monkeypatch.chdir(tmp_path)
    report = replayed("moves.py", [], limit=8, seconds=300.0, write=Path("draft.py"))
    becomes = {call.becomes for line in report.lines.values() for call in line.calls}
    assert "jax.nn.softmax(x, axis=0)" in becomes
    printed = capfd.readouterr().err
    assert printed.startswith("True")
    assert "_port" not in printed
    assert "ValueError: mine" in printed
    assert "direct cause" in printed
    assert "line 10" in report.ended
    assert "moves.py" in report.ended
