"""What is in the wheel, and what of it is public."""

import ast
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import jaxvstorch

ROOT = Path(__file__).parents[1]


KINDS = ("*.py", "*.css", "*.json", "*.toml", "*.txt")


def test_the_wheel_holds_every_module_and_nothing_else(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run([*command, "--directory", tmp_path], cwd=ROOT, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    package = ROOT / "jaxvstorch"
    files = [path for kind in KINDS for path in package.rglob(kind)]
    source = {str(path.relative_to(ROOT)) for path in files}
    assert packed == source | {"jaxvstorch/py.typed"}


def test_every_public_name_is_documented_on_one_page() -> None:
    page = (ROOT / "book/reference/api.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\.\. auto\w+:: jaxvstorch\.(\w+)$", page, re.MULTILINE)
    assert sorted(documented) == sorted({*jaxvstorch.__all__} - {"__version__", "PAIRS"})
    assert all(hasattr(jaxvstorch, name) for name in jaxvstorch.__all__)


def test_what_a_reader_sees_of_a_page_imports_nothing_private() -> None:
    cell = re.compile(r"^```\{code-cell\}.*\n((?::.*\n)*)((?s:.*?))^```$", re.MULTILINE)
    for page in (ROOT / "book").rglob("*.md"):
        for options, code in cell.findall(page.read_text(encoding="utf-8")):
            assert "checked" in options or "jaxvstorch._" not in code, page.name


# Each imports only from those after it. Examples name the classes that they are collected as.
ROOMS = ("_command", "_port", "_port.map", "_hardware", "_explain", "_pairs", "_parity", "_measure",
         "_doctor", "_errors", "_table", "_frameworks")  # fmt: skip


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_imports_upwards(room) -> None:
    upwards = ROOMS[: ROOMS.index(room)]
    for file in (ROOT / "jaxvstorch").rglob("*.py"):
        if _room(".".join(file.relative_to(ROOT).with_suffix("").parts)) != room:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{name.name}" for name in node.names]
                assert not {_room(name) for name in names}.intersection(upwards), file


def _room(module: str) -> str:
    """The room of a module of the package, by its dotted name; the innermost one."""
    within = [room for room in ROOMS if f"{module}.".startswith(f"jaxvstorch.{room}.")]
    return max(within, key=len, default="")
