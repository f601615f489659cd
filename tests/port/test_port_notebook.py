"""``jaxvstorch port book.ipynb``: the cells run in order, without the lines that are IPython's."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jaxvstorch._command.cli import app
from jaxvstorch._port.notebook import read_cells

CELLS = [
    "%matplotlib inline\n!pip install one \\\n    two\nimport torch",
    "%%time\ndef f(x):\n    return torch.relu(x)\nfiles = !ls\nf?\nopen('beside.txt').close()",
    "%%bash\necho it's",
    'text = """\n%kept\n"""\nif text.startswith("\\n%"):\n    !ls\n    display(f(torch.ones(2)))',
]


def notebook(path: Path, cells: list[str], **metadata) -> Path:
    sources = [{"cell_type": "markdown", "source": "A title"}]
    sources += [{"cell_type": "code", "source": cell.splitlines(True)} for cell in cells]
    path.write_text(json.dumps({"cells": sources, "metadata": metadata, "nbformat": 4}))
    return path


def run(*arguments: str):
    return CliRunner().invoke(app, ["port", *arguments])


def test_lines_of_ipython_are_left_out(tmp_path) -> None:
    cells = read_cells(notebook(tmp_path / "book.ipynb", CELLS))
    assert cells[0].source == "pass\npass\n\nimport torch\n"
    assert cells[2].source == "pass\n\n"
    assert '"""\n%kept\n"""' in cells[3].source
    assert [line for cell in cells for line in cell.left_out] == [
        "%matplotlib inline (cell 1, line 1)", "!pip install one (cell 1, line 2)",
        "%%time (cell 2, line 1)", "files = !ls (cell 2, line 4)", "f? (cell 2, line 5)",
        "%%bash (cell 3, line 1)", "!ls (cell 4, line 5)",
    ]  # fmt: skip


def test_cells_run_in_order_in_the_notebook_s_folder(tmp_path, monkeypatch, capfd) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/beside.txt").touch()
    notebook(tmp_path / "folder/book.ipynb", [*CELLS, "f(torch.ones(1)) @ torch.ones(2)"])
    monkeypatch.chdir(tmp_path)
    result = run("folder/book.ipynb")
    assert result.exit_code == 1
    printed = capfd.readouterr().err
    assert printed.startswith("tensor([1., 1.])\n")
    assert 'book.ipynb, cell 5", line 1, in <module>' in printed
    assert "folder/book.ipynb, cell 2\n    3  return torch.relu(x)\n" in result.stdout
    assert "Left out, as IPython's: %matplotlib inline (cell 1, line 1)," in result.stdout
    assert "The program failed at line 1 of book.ipynb, cell 5" in result.stdout


def test_a_notebook_is_read_without_running(tmp_path) -> None:
    shown = run("--static", str(notebook(tmp_path / "book.ipynb", CELLS))).output
    assert ". torch.relu → jax.nn.relu(x)  read, not run" in shown
    assert "book.ipynb, cell 4" in shown


@pytest.mark.parametrize(
    ("cells", "metadata", "options", "says"),
    [
        (["x = ("], {}, [], "never closed (book.ipynb, cell 1, line 1)"),
        (["x"], {"kernelspec": {"language": "julia"}}, [], "its language is julia"),
        (["x"], {}, ["--write", "out.py"], "`jupyter nbconvert --to script book.ipynb` makes one"),
    ],
)
def test_what_is_no_notebook_in_python(
    tmp_path, monkeypatch, cells, metadata, options, says
) -> None:
    monkeypatch.chdir(tmp_path)
    notebook(tmp_path / "book.ipynb", cells, **metadata)
    result = run(*options, "book.ipynb")
    assert result.exit_code == 2
    assert says in result.stderr


def test_a_file_that_is_no_notebook(tmp_path) -> None:
    (tmp_path / "book.ipynb").write_text("{}")
    assert "it is no notebook of nbformat 4" in run(str(tmp_path / "book.ipynb")).stderr
