"""README's code runs, and the commands that it and the other pages name exist."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from test_workflows import sessions
from typer.testing import CliRunner

from jaxvstorch.command.cli import app

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_its_python_runs(tmp_path) -> None:
    pytest.importorskip("jax", reason="README's code needs both frameworks; JAX is not installed")
    pytest.importorskip("torch", reason="README's code needs both frameworks; no PyTorch here")
    blocks = re.findall(r"^```python\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)
    assert blocks
    command = [sys.executable, "-W", "error", "-c", "\n".join(blocks)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "DIFFERENT" not in done.stdout
    assert "same" in done.stdout


def test_what_its_first_command_prints_is_so(tmp_path, monkeypatch) -> None:
    pytest.importorskip("jax", reason="both frameworks are needed; JAX is not installed")
    pytest.importorskip("torch", reason="both frameworks are needed; PyTorch is not installed")
    (clip, *_) = re.findall(r"^```python\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)
    pattern = r"^```console\n\$ jaxvstorch (.*?)\n(.*?)^```"
    ((command, shown),) = re.findall(pattern, TEXT, flags=re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clip.py").write_text(clip)
    printed = CliRunner().invoke(app, shlex.split(command)).stdout
    assert printed.startswith(f"{shown}\njax.jit\n")


def test_every_nox_session_that_a_page_names_exists() -> None:
    book = [path for path in ROOT.glob("book/**/*.md") if "_build" not in path.parts]
    named = {
        (path.name, session)
        for path in [*ROOT.glob("*.md"), *book]
        for names in re.findall(r"nox -s ([\w ]+)", path.read_text(encoding="utf-8"))
        for session in names.split()
    }
    assert {("README.md", "tests"), ("CONTRIBUTING.md", "lint"), ("images.md", "docker")} <= named
    assert [each for each in named if each[1] not in sessions()] == []


@pytest.mark.parametrize("command", re.findall(r"`jaxvstorch ([^`]+)`", TEXT))
def test_its_commands_work(command, tmp_path, monkeypatch) -> None:
    words = shlex.split(command)
    (tmp_path / "train.py").write_text("import torch\n\nprint(torch.ones(2).sum())\n")
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, [*words, "--help"]).exit_code == 0
    if ".torch:" in command or "port" in words:
        pytest.importorskip("torch", reason="PyTorch is not installed")
    if command != "doctor":  # its exit status is about the machine
        assert CliRunner().invoke(app, words).exit_code == 0


def test_its_links_to_files_lead_somewhere() -> None:
    targets = [t for t in re.findall(r"\]\(([^)]+)\)", TEXT) if "://" not in t]
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
