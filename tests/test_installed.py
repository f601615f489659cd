"""Which files are libraries', wherever these are installed."""

import ntpath
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import jaxvstorch
from jaxvstorch._explain.python.shown_files import short_path
from jaxvstorch._frameworks import installed
from jaxvstorch._messages import tidy

EXPLAINED = """
import jax, jax.numpy as jnp, torch
from jaxvstorch import explain
from reader import branching, calls_gelu, picks

for explanation in (explain(branching, torch.ones(3)), explain(calls_gelu, jnp.ones(3)),
                    explain(picks, jnp.ones(3)), explain(jax.nn.gelu, jnp.ones(3))):
    print(explanation)
"""
READERS = """
import jax
import jax.numpy as jnp
import torch

def branching(x):
    y = torch.sin(x)
    if y.sum() > 0:
        y = y + 1
    return y

def calls_gelu(x):
    return jax.nn.gelu(x)

def picks(x):
    return jnp.where(x > 0, jnp.sin(x), x)
"""


@pytest.fixture
def packages(tmp_path) -> Path:
    """A folder as ``pip install --target`` makes one, with all that is installed here."""
    folder = tmp_path / "packages"
    folder.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        (folder / entry.name).symlink_to(entry)
    (folder / "jaxvstorch").unlink(missing_ok=True)
    (folder / "jaxvstorch").symlink_to(Path(jaxvstorch.__file__).parent)
    return folder


def test_explain_says_the_same_in_a_folder_of_another_name(tmp_path, packages) -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    pytest.importorskip("torch", reason="PyTorch is not installed")
    (tmp_path / "reader.py").write_text(READERS)

    def said(*options: str, path: Path) -> str:
        command = [sys.executable, *options, "-c", EXPLAINED]
        environ = os.environ | {"PYTHONPATH": str(path), "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
        return subprocess.run(
            command, env=environ, cwd=tmp_path, text=True, capture_output=True, check=True
        ).stdout

    elsewhere = said("-S", path=packages)
    assert elsewhere == said(path=Path(jaxvstorch.__file__).parents[1])
    assert "found      graph break\n" in elsewhere
    assert elsewhere.count("found  ") == 1


def library(folder: Path, *names: str) -> None:
    """Put packages into a folder, and the record of it."""
    for name in names:
        (folder / name).mkdir(parents=True)
    (folder / "library-1.0.dist-info").mkdir()
    (folder / "library-1.0.dist-info/METADATA").write_text("Name: library\nVersion: 1.0\n")
    lines = [f"{name}/__init__.py,sha256=x,1\n" for name in names]
    (folder / "library-1.0.dist-info/RECORD").write_text("".join([*lines, "single.py,,\n"]))


def test_what_an_installer_recorded_is_a_librarys(tmp_path, monkeypatch) -> None:
    library(tmp_path, "library", "other")
    monkeypatch.syspath_prepend(tmp_path)
    installed_files = ("library/a/b.py", "other/__init__.py", "single.py")
    assert all(installed.is_installed(str(tmp_path / file)) for file in installed_files)
    assert short_path(str(tmp_path / "library/a/b.py")) == "library/a/b.py"
    assert tidy(f"{tmp_path}/library/a/b.py, line 3") == "library/a/b.py, line 3"
    # A script may have put the folder on sys.path by way of its own.
    assert installed.is_installed(str(tmp_path / "scripts/../library/a/b.py"))
    # In the same folder the reader's own code may lie, or beside it.
    for file in ("train.py", "library_of_mine/a.py", "singles.py", "mine/library/a.py"):
        assert not installed.is_installed(str(tmp_path / file))
    assert not installed.is_installed(f"{tmp_path}-mine/library/a.py")


def test_a_project_of_the_readers_with_egg_info_is_no_library(tmp_path, monkeypatch) -> None:
    (tmp_path / "mine.egg-info").mkdir()
    (tmp_path / "mine.egg-info/PKG-INFO").write_text("Name: mine\nVersion: 1.0\n")
    (tmp_path / "mine.egg-info/top_level.txt").write_text("mine\n")
    (tmp_path / "mine").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert not installed.is_installed(str(tmp_path / "mine/__init__.py"))


def test_a_framework_built_from_source_is_a_library(tmp_path, monkeypatch) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch/__init__.py").touch()
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    assert installed.is_installed(str(tmp_path / "torch/nn/functional.py"))
    assert not installed.is_installed(str(tmp_path / "train.py"))


def test_pythons_own_library() -> None:
    assert installed.is_pythons(os.__file__)
    assert installed.is_installed(os.__file__)
    assert not installed.is_pythons(f"{sysconfig.get_path('purelib')}/numpy/__init__.py")
    assert not installed.is_pythons("<frozen importlib._bootstrap>")


def test_examples_are_the_readers_and_the_instruments_are_not() -> None:
    package = Path(jaxvstorch.__file__).parent
    example = str(package / "examples/branching/jax.py")
    assert not installed.is_instrument(example)
    assert not installed.is_installed(example)
    assert installed.is_instrument(str(package / "_explain/explain.py"))
    assert not installed.is_instrument(f"{package}_of_mine/a.py")


@pytest.mark.parametrize(
    ("file", "found"),
    [
        (r"C:\Python\Lib\site-packages\torch\nn\a.py", ("torch", "nn", "a.py")),
        (r"c:\python\lib\Site-Packages\Torch\a.py", ("Torch", "a.py")),
        ("C:/Python/Lib/site-packages/torch/a.py", ("torch", "a.py")),
        (r"C:\Python\Lib\json\decoder.py", ("json", "decoder.py")),
        (r"D:\target\jax\a.py", ("jax", "a.py")),
        (r"D:\target\train.py", None),
        (r"C:\Users\me\torch\a.py", None),
        (r"C:\Python\Libraries\a.py", None),
    ],
)
def test_paths_of_windows(file, found) -> None:
    folders = installed.Folders(
        {r"C:\Python\Lib\site-packages": None, r"D:\target": frozenset({"jax"})},
        (r"C:\Python\Lib",),
        ntpath,
    )
    path = folders.import_path(file)
    assert (path and path[1]) == found
