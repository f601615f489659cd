"""What README and the pages of the instruments show, run as a reader would."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import ROOT

PAGES = [ROOT / "README.md", ROOT / "book/index.md", *sorted(ROOT.glob("book/explain*.md")),
         ROOT / "book/habits.md", *sorted(ROOT.glob("book/port*.md")), ROOT / "book/names.md",
         *sorted(ROOT.glob("book/reference/*.md"))]  # fmt: skip
README = PAGES[0].read_text(encoding="utf-8")
# The first page that shows a function for the command also has its file.
FILES = re.compile(r"`(\w+\.py)`(?::| is)\n\n```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```(\S+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n((?::[^\n]*\n)*)(.*?)^```", re.DOTALL | re.MULTILINE)
# A table of times pads its columns by them.
TIMES = re.compile(r"[\d.]+\s(?:s|ms|µs)\b|[ ]+")
# What a page's head says that its notebook installs beside this package.
BESIDE = re.compile(r"^packages: (.*)$", re.MULTILINE)


class Line(NamedTuple):
    """A command on a page, and what the page says that it prints."""

    page: Path
    command: str
    printed: str

    def __str__(self) -> str:
        return f"{self.page.name}: {self.command}"


def lines_of(page: Path) -> list[Line]:
    found = []
    for kind, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        parts = re.split(r"^\$ ", block.replace("\\\n", ""), flags=re.MULTILINE)[1:]
        for command, _, printed in (part.partition("\n") for part in parts):
            if kind == "console" and command.startswith("jaxvstorch "):
                found.append(Line(page, command, printed))
    return found


# How the last digit is rounded depends on the processor.
ROUNDED = re.compile(r"\bequal\b|\boff by \S+")
LINES = [line for page in PAGES for line in lines_of(page)]


def test_the_pages_show_commands() -> None:
    assert {line.page.name for line in LINES} >= {"README.md", "explain.md", "names.md", "port.md"}


@pytest.mark.parametrize("line", LINES, ids=str)
def test_a_command_prints_what_the_page_says(shell, tmp_path, line) -> None:
    for name, text in FILES.findall(README):
        (tmp_path / name).write_text(text)
    done = shell(f"{line.command} 2>&1")  # what a program under `port` prints goes to the second
    assert done.returncode == (1 if "--fail-on" in line.command else 0), done.stdout
    printed, shown = (ROUNDED.sub("near", text) for text in (done.stdout, line.printed))
    assert printed.startswith(shown.removesuffix("…\n"))


@pytest.mark.parametrize("command", re.findall(r"`(jaxvstorch [^`]+)`", README))
def test_a_command_that_readme_names(shell, tmp_path, command) -> None:
    for name, text in FILES.findall(README):
        (tmp_path / name).write_text(text)
    done = shell(command)
    # What doctor finds of the machine is its own.
    assert done.returncode == 0 or command.endswith("doctor"), done.stderr


def test_the_python_of_readme_prints_the_output_below_it(shell, tmp_path) -> None:
    files = [text for _, text in FILES.findall(README)]
    code = [text for kind, text in BLOCK.findall(README) if kind == "python" and text not in files]
    (tmp_path / "readme.py").write_text("\n".join(code))
    # torch 2.13 calls its own deprecated torch.jit when Inductor is first used.
    ignored = "-W 'ignore:`torch.jit.script:DeprecationWarning'"
    done = shell(f"python -W error {ignored} readme.py")
    assert done.returncode == 0, done.stderr
    shown = [TIMES.sub(" ", text) for kind, text in BLOCK.findall(README) if kind == "text"]
    assert len(shown) == 2
    assert TIMES.sub(" ", done.stdout).startswith("".join(shown))


def test_the_commands_for_ci_fail_where_readme_says_so(shell, tmp_path) -> None:
    commands = re.findall(r"^- run: (jaxvstorch .*)$", README, re.MULTILINE)
    model = tmp_path / "model.py"
    model.write_text("import torch\n\ndef step(x):\n    return torch.sin(x)\n")
    assert [shell(command).returncode for command in commands] == [0, 1]
    model.write_text("import torch\n\ndef step(x):\n    print(x)\n    return torch.sin(x)\n")
    assert shell(commands[0]).returncode == 1


@pytest.mark.parametrize("page", ["explain.md", "habits.md", "port.md", "port-draft.md"])
def test_the_cells_of_a_page_need_nothing_else(shell, tmp_path, page) -> None:
    """The book's build says whether they are right; it has more packages, and draws."""
    cells = CELL.findall((ROOT / "book" / page).read_text(encoding="utf-8"))
    run = [code for tags, code in cells if "skip-execution" not in tags and code[0] != "%"]
    run = [code for code in run if "import matplotlib" not in code and "equinox" not in code]
    assert len(run) > 5
    # A notebook has IPython.
    whole = "\n".join(run).replace("from IPython.display import Markdown", "Markdown = str")
    (tmp_path / "cells.py").write_text(whole)
    # As in a notebook, what a cell writes where it stands can be imported.
    done = shell(f"python -c 'import runpy; runpy.run_path(\"{tmp_path}/cells.py\")'")
    assert done.returncode == 0, done.stderr


def test_the_imports_of_a_page_need_nothing_but_what_it_says(shell, tmp_path) -> None:
    page = (ROOT / "book/explain-more.md").read_text(encoding="utf-8")
    (beside,) = BESIDE.findall(page)
    imports = re.findall(r"^(?:import|from) .*$", page, re.MULTILINE)
    assert f"import {beside}" in imports
    (tmp_path / "imports.py").write_text("\n".join(x for x in imports if beside not in x))
    done = shell("python imports.py")
    assert done.returncode == 0, done.stderr
