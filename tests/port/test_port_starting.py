"""``port`` imports its libraries before the program runs, and none of the reader's files."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jaxvstorch import BrokenInstallError, port
from jaxvstorch._command.cli import app

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("jax", reason="JAX is not installed")

PROGRAM = """
import sys
import torch
import mine
print(mine.WORD, torch.exp(torch.ones(3)).sum().item() > 8, sys.path[0])
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.py").write_text("import torch\nprint(torch.exp(torch.ones(3)).sum())\n")
    return tmp_path


def run(*arguments: str):
    return CliRunner().invoke(app, ["port", *arguments])


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise ModuleNotFoundError(\"No module named 'optax'\")", "No module named 'optax'"),
        ("import no_such_library", "No module named 'no_such_library'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_library_that_is_broken_is_one_error_with_its_cure(
    folder, monkeypatch, capfd, body, says
) -> None:
    (folder / "broken").mkdir()
    (folder / "broken/optax.py").write_text(body)
    monkeypatch.setenv("PYTHONPATH", str(folder / "broken"), prepend=":")
    result = run("program.py")
    assert result.exit_code == 2
    assert result.stderr.startswith("jaxvstorch: port cannot import what it needs (")
    assert says in result.stderr
    assert "`pip install jaxvstorch` installs what is missing" in result.stderr
    assert "Traceback" not in result.output + capfd.readouterr().err


def test_a_library_that_ends_python(folder, monkeypatch) -> None:
    (folder / "broken").mkdir()
    (folder / "broken/optax.py").write_text("import os; os._exit(3)")
    monkeypatch.setenv("PYTHONPATH", str(folder / "broken"), prepend=":")
    result = run("program.py")
    assert result.exit_code == 2
    assert (
        "program.py was not run: importing JAX and PyTorch together ended Python" in result.stderr
    )
    assert "`jaxvstorch doctor`" in result.stderr


def test_in_python_a_broken_library_raises(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "jaxvstorch._port.replay", None)
    with pytest.raises(BrokenInstallError, match="replaying cannot import what it needs"):
        port(torch.sin, torch.ones(2))


def test_files_in_the_current_folder_are_not_imported(folder) -> None:
    for name in ("json", "random", "jax", "torch", "numpy"):
        (folder / f"{name}.py").write_text(f"raise SystemExit('{name}.py was run')")
    (folder / "below").mkdir()
    (folder / "program.py").rename(folder / "below/program.py")
    result = run("below/program.py")
    assert result.exit_code == 0, result.stderr
    assert "verified" in result.stdout


def test_files_beside_the_program_are_imported_as_python_would(folder, capfd) -> None:
    (folder / "below").mkdir()
    (folder / "below/program.py").write_text(PROGRAM)
    (folder / "below/mine.py").write_text("WORD = 'mine'\n")
    result = run("below/program.py")
    assert result.exit_code == 0, result.stderr
    assert f"mine True {folder / 'below'}\n" in capfd.readouterr().err


@pytest.mark.parametrize("imports", ["from ..model import f", "from package.model import f"])
def test_a_module_of_a_package_that_is_started_by_its_path(folder, imports) -> None:
    (folder / "package/inner").mkdir(parents=True)
    for name in ("package", "package/inner"):
        (folder / name / "__init__.py").touch()
    (folder / "package/model.py").write_text(
        "import torch\ndef f(x):\n    return torch.tanh(x)\ndef g(x):\n    return torch.sin(x)\n"
    )
    (folder / "package/inner/train.py").write_text(f"import torch\n{imports}\nf(torch.ones(2))\n")
    by_path = run("package/inner/train.py")
    assert by_path.exit_code == 2
    assert "by its name: jaxvstorch port -m package.inner.train" in by_path.stderr
    by_name = run("-m", "package.inner.train")
    assert by_name.exit_code == 0, by_name.stderr
    assert "package/model.py: lines 5" in by_name.stdout
