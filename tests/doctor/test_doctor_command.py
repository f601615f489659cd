"""The command: what it prints, and what it says of a framework that is broken."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from jaxvstorch import _doctor
from jaxvstorch._command.cli import app
from jaxvstorch._doctor import Check, devices

FINE = Check("versions", "Python", "3.11.7", note="a word on it")

BROKEN = Check("versions", "PyTorch", "2.0", "this is too old", "pip install 'torch>=2.8'")


def run_doctor(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """The command, in a process of its own."""
    command = [sys.executable, "-m", "jaxvstorch", "doctor", *arguments]
    merged = {**os.environ, **environ}
    return subprocess.run(command, capture_output=True, text=True, env=merged)


# The command.


def test_the_whole_command_on_this_machine() -> None:
    done = run_doctor("--json")
    found = json.loads(done.stdout)
    problems = [check for check in found["checks"] if check["problem"]]
    assert done.returncode == (1 if problems else 0), done.stderr
    assert found["healthy"] is not bool(problems)
    sections = list(dict.fromkeys(check["section"] for check in found["checks"]))
    assert sections == ["versions", "devices", "compiler", "caches", "memory", "threads"]
    assert all(check["cure"] for check in problems)


@pytest.mark.parametrize(("checks", "status"), [([FINE], 0), ([FINE, BROKEN], 1)])
def test_exit_status_and_report(monkeypatch, checks, status) -> None:
    monkeypatch.setattr(_doctor, "examine", lambda: checks)
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == status
    assert result.stdout.splitlines()[1].split() == ["ok", "Python", "3.11.7"]
    assert result.stdout.splitlines()[2] == "         a word on it"
    assert ("Nothing is wrong." in result.stdout) == (status == 0)
    wrong = (
        "  wrong  PyTorch  2.0\n"
        "         this is too old\n"
        "         To fix it: pip install 'torch>=2.8'\n\n1 thing is wrong.\n"
    )
    assert result.stdout.endswith(wrong) == (status == 1)
    as_json = CliRunner().invoke(app, ["doctor", "--json"])
    assert as_json.exit_code == status
    assert json.loads(as_json.stdout)["healthy"] is (status == 0)


def test_the_doctor_imports_neither_framework() -> None:
    code = "import sys; from jaxvstorch import _doctor; _doctor.examine(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not {"jax", "jaxlib", "torch"} & set(done.stdout.split())


# A framework that is broken.


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise ImportError('libcudart.so.13: cannot open')", "libcudart.so.13: cannot open"),
        ("import os; os.abort()", "importing it ended Python with signal 6"),
        pytest.param("import sys; sys.exit(3)", "it exited with 3", marks=pytest.mark.matrix),
        pytest.param("version = None", "AttributeError", marks=pytest.mark.matrix),
    ],
)
def test_a_broken_framework_is_a_finding(tmp_path, body, says) -> None:
    for name in ("torch", "torch-9.0.dist-info"):
        (tmp_path / name).mkdir()
    (tmp_path / "torch" / "__init__.py").write_text(body)
    (tmp_path / "torch-9.0.dist-info" / "METADATA").write_text("Name: torch\nVersion: 9.0\n")
    done = run_doctor("--json", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1, done.stderr
    checks = [Check(**check) for check in json.loads(done.stdout)["checks"]]
    (found,) = [c for c in checks if c.section == "devices" and c.name == "PyTorch"]
    assert says in found.problem
    assert "pip install --force-reinstall torch" in found.cure
    assert any(c.section == "versions" and c.value.startswith("9.0") for c in checks)


def test_a_framework_that_hangs_is_a_finding(monkeypatch) -> None:
    monkeypatch.setitem(devices._QUESTIONS, "jax", "import time; time.sleep(60)")
    assert devices.ask("jax", timeout=0.5).failure == "it did not answer within 0.5 seconds"
