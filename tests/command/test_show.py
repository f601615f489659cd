"""``jaxvstorch show``: one half, with shapes, and in a file that runs by itself."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

from jaxvstorch import _frameworks
from jaxvstorch._command.cli import app
from jaxvstorch._pairs.registry import example

PAIR = "branching.select_where"


def run(*arguments: str):
    return CliRunner().invoke(app, ["show", *map(str, arguments)])


@pytest.mark.parametrize("framework", _frameworks.FRAMEWORKS)
def test_one_half_alone(framework) -> None:
    shown = run(PAIR, "--framework", framework).stdout
    head = f"# {_frameworks.TITLES[framework]}: {PAIR}\n"
    assert shown == f"{head}{example(PAIR).source(framework)}\n"


def test_shapes_stay_where_they_are_asked_for() -> None:
    shown = run(PAIR, "--shapes").stdout
    assert shown.count("from jaxtyping import Bool, Float\n") == 2
    assert 'x: Float[Array, " n"]' in shown
    assert "jaxtyping" not in run(PAIR).stdout


@pytest.mark.parametrize("framework", _frameworks.FRAMEWORKS)
def test_a_file_runs_by_itself(framework, tmp_path) -> None:
    file = tmp_path / "half.py"
    done = run("pytrees.adam_step", "--framework", framework, "--file", file)
    assert (done.exit_code, done.output) == (0, "")
    head, _, rest = file.read_text().partition("\n\n")
    assert head.startswith(f'"""pytrees.adam_step in {_frameworks.TITLES[framework]}, from jaxvsto')
    assert rest.startswith('License: Apache-2.0\n"""\n\nfrom typing import Any, NamedTuple\n')
    if find_spec(framework):
        command = [sys.executable, "-W", "error", "-I", file]
        assert subprocess.run(command, capture_output=True, timeout=1200).stderr == b""


def test_a_file_that_is_ours_is_written_anew_and_no_other(tmp_path) -> None:
    file = tmp_path / "half.py"
    asked = (PAIR, "--framework", "jax", "--file", file)
    for options in ((), ("--shapes",), ()):
        assert run(*asked, *options).exit_code == 0
    ours = file.read_text()
    assert "jaxtyping" not in ours
    file.write_text(f"{ours}\nmine = 1\n")
    assert f"--file {file} exists with other contents: give another name" in refused(*asked)
    assert file.read_text() == f"{ours}\nmine = 1\n"
    assert list(tmp_path.iterdir()) == [file]


def refused(*arguments: str) -> str:
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    return line


def test_what_a_file_cannot_hold(tmp_path) -> None:
    file = ("--file", tmp_path / "half.py")
    one = ("--framework", "jax", "--file")
    assert refused(PAIR, *file) == (
        f"jaxvstorch: --file writes one half of {PAIR}: add --framework jax or torch"
    )
    assert "branching is a topic: name a pair, such as branching.select_if" in refused(
        "branching", "--framework", "jax", *file
    )
    assert "must be jax or torch, not 'tf'" in refused(PAIR, "--framework", "tf", *file)
    assert "is a folder: give the name of a file" in refused(PAIR, *one, tmp_path)
    assert "there is no folder" in refused(PAIR, *one, tmp_path / "none" / "half.py")
    assert "cannot be written: File name too long" in refused(PAIR, *one, tmp_path / ("a" * 300))
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_is_not_read(tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    end = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert run(PAIR, "--framework", "jax", "--file", tmp_path / "pipe").exit_code == 0
    assert b"def select_where" in os.read(end, 10_000)
    os.close(end)
