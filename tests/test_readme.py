"""README's code runs and prints what stands there, its commands exist, its links lead somewhere."""

import io
import re
import shlex
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from test_workflows import sessions
from typer.testing import CliRunner

from jaxvstorch.command.cli import app
from tools import readme_pictures

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
# By language; a text block shows what the Python block before it prints.
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)
FILES = dict(re.findall(r"`(\w+\.py)`(?::| is)\n\n```python\n(.*?)^```", TEXT, re.M | re.S))
CONSOLE = [block.removeprefix("$ jaxvstorch ") for kind, block in BLOCKS if kind == "console"]
TIMES = re.compile(r"[\d.]+\s(?:s|ms|µs)\b|[ ]+")
BOOK = "https://jaxvstorch.github.io/jaxvstorch/"
FILE = "https://github.com/jaxvstorch/jaxvstorch/blob/main/"
RAW = "https://raw.githubusercontent.com/jaxvstorch/jaxvstorch/main/"


@pytest.fixture
def both_frameworks() -> None:
    pytest.importorskip("jax", reason="README's code needs both frameworks; JAX is not installed")
    pytest.importorskip("torch", reason="README's code needs both frameworks; no PyTorch here")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """An empty folder that holds README's files."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_its_files_are_two() -> None:
    assert list(FILES) == ["clip.py", "train.py"]


@pytest.mark.usefixtures("both_frameworks", "fresh_torch_compile")
def test_its_python_prints_what_stands_below_it() -> None:
    names, printed = {}, ""
    for kind, block in BLOCKS:
        if kind == "text":
            assert TIMES.sub(" ", printed) == TIMES.sub(" ", block)
        if kind == "python" and block not in FILES.values():
            with redirect_stdout(io.StringIO()) as out:
                exec(block, names)
            printed = out.getvalue()


@pytest.mark.usefixtures("both_frameworks", "folder")
@pytest.mark.parametrize("block", CONSOLE, ids=lambda block: block.partition("\n")[0])
def test_its_commands_print_what_stands_below_them(block, capfd) -> None:
    command, _, shown = block.partition("\n")
    result = CliRunner().invoke(app, shlex.split(command))
    assert result.exit_code == 0
    # A program under `port` runs in a process of its own.
    assert "".join(capfd.readouterr()) + result.stdout == shown


@pytest.mark.usefixtures("both_frameworks")
@pytest.mark.parametrize("name", ["readme-explain.svg", "readme-cost.svg"])
def test_its_pictures_are_what_would_be_drawn(name) -> None:
    """After a change: ``python tools/readme_pictures.py``."""
    drawn = (ROOT / "book" / "_static" / name).read_text(encoding="utf-8")
    assert drawn == readme_pictures.pictures()[name]


def test_the_picture_of_costs_is_described_by_its_numbers() -> None:
    (words,) = re.findall(r"!\[([^]]*)\]\(\S*readme-cost.svg\)", TEXT)
    drawn = readme_pictures.cost(readme_pictures.published()).replace("\N{NO-BREAK SPACE}", " ")
    numbers = re.findall(r"[\d.]+ (?:µs|ms|s)\b", words)
    assert len(numbers) == 4
    assert [number for number in numbers if f">{number}<" not in drawn] == []


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


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", re.findall(r"`jaxvstorch ([^`]+)`", TEXT))
def test_the_commands_that_its_sentences_name_work(command, request) -> None:
    words = shlex.split(command)
    assert CliRunner().invoke(app, [*words, "--help"]).exit_code == 0
    if words[0] == "explain":
        request.getfixturevalue("both_frameworks")
    if words[0] != "doctor":  # its exit status is about the machine
        assert CliRunner().invoke(app, words).exit_code == 0


@pytest.mark.usefixtures("both_frameworks", "fresh_torch_compile")
def test_its_commands_for_ci_fail_where_it_says_so(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^- run: jaxvstorch (.*)$", TEXT, flags=re.MULTILINE)
    (tmp_path / "model.py").write_text("import torch\n\ndef step(x):\n    return torch.sin(x)\n")
    assert [CliRunner().invoke(app, shlex.split(c)).exit_code for c in commands] == [0, 1]
    (tmp_path / "model.py").write_text("import torch\n\ndef step(x):\n    print(x)\n    return x\n")
    sys.modules.pop("model", None)
    assert CliRunner().invoke(app, shlex.split(commands[0])).exit_code == 1


def test_its_links_lead_somewhere_on_other_sites_too() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", TEXT)
    assert [target for target in targets if not target.startswith("https://")] == []
    for target in targets:
        if target.startswith(BOOK):
            page = target.removeprefix(BOOK).removesuffix(".html") or "index"
            assert (ROOT / "book" / f"{page}.md").exists(), target
        elif target.startswith((FILE, RAW)):
            file = target.removeprefix(FILE).removeprefix(RAW)
            assert (ROOT / file).exists(), target
