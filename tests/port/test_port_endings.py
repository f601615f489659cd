"""However a program ends, the report is kept, and errors are printed as without port."""

import subprocess
import sys
from pathlib import Path

import pytest

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
            "The program ended itself by sys.exit('no data').",
            id="sys.exit",
            marks=pytest.mark.matrix,
        ),
        pytest.param(
            "import torch\nx = torch.ones(2) + 1\nwhile True:\n    pass\n",
            "The program was stopped after 20 seconds; --seconds sets that.",
            id="it never ends",
            marks=pytest.mark.matrix,
        ),
    ],
)
def test_what_was_replayed_is_kept(tmp_path, program, ended, capfd) -> None:
    file = tmp_path / "program.py"
    file.write_text(program)
    report = replayed(str(file), [], limit=8, seconds=20)
    assert report.ended.startswith(ended)
    assert report.counts() == {"verified": 2}
    assert "jaxvstorch" not in capfd.readouterr().err  # a traceback without port's frames


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
