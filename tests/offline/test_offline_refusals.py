"""What the command for a machine without a network refuses."""

import shutil
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest
from offline_needs import TOOLS, both_frameworks


@pytest.fixture
def refused(tmp_path, wheel):
    """Runs the command on the CPU; returns its one line on standard error."""

    def refused(*options: str, python: tuple[str, ...] = (), **folders: Path) -> str:
        places = {"wheels": wheel.parent, "output": tmp_path / "out"} | folders
        command = [sys.executable, *python, TOOLS / "offline.py", "--device", "cpu",
                   *(f"--{name}={path}" for name, path in places.items()), *options]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1
        return done.stderr

    return refused


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--minutes", "7.9"], "--minutes 7.9: tests and benchmarks take at least 8"),
        (["--minutes", "4", "--only", "benchmarks"], "--only benchmarks take at least 5"),
        (["--minutes", "2", "--only", "tests"], "--minutes 2: --only tests take at least 3"),
        (["--shard", "3/2"], "--shard 3/2: not a part such as 1/2"),
        (["--shard", "half"], "--shard half: not a part such as 1/2"),
    ],
)
def test_numbers_that_make_no_sense(refused, options, says) -> None:
    assert says in refused(*options)


def test_no_wheels(refused, tmp_path) -> None:
    assert "no wheels there: `nox -s wheelhouse` collects them" in refused(wheels=tmp_path / "no")


def test_a_python_without_the_frameworks(refused) -> None:
    assert "has no jax: run this with the Python that has" in refused(python=("-S",))


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_an_output_that_cannot_be_written(refused, tmp_path, name) -> None:
    both_frameworks()
    (tmp_path / "file").touch()
    assert f"{tmp_path / name}: cannot be written: " in refused(output=tmp_path / name)


def test_an_output_that_has_something_in_it(refused, tmp_path) -> None:
    both_frameworks()
    assert f"{tmp_path}: is not empty" in refused(output=tmp_path)


def test_no_gpu(refused) -> None:
    both_frameworks()
    if list(Path("/dev").glob("nvidia[0-9]*")):
        pytest.skip("there is a GPU here")
    assert "no GPU here: there is no /dev/nvidia" in refused("--device", "cuda")


def test_a_full_disk(tool, monkeypatch, tmp_path, wheel) -> None:
    both_frameworks()
    offline = tool("offline")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(9, 8, 1 << 20))
    options = Namespace(minutes=10, only=None, shard=None, wheels=wheel.parent, device="cpu")
    with pytest.raises(offline.InputError, match="1 MiB free, and 2048 are needed: set TMPDIR"):
        offline.check(options)
