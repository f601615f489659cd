"""The fixtures that pytest finds where jaxvstorch is installed, in a pytest of their own."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from jaxvstorch import call
from jaxvstorch._frameworks import adapter
from jaxvstorch.testing import Compiles, same_function

ROOT = Path(__file__).parents[1]
X = np.ones(3, np.float32)


def breaks(x):
    x = x * 2
    print(x)
    return x + 1


def fails(x):
    return x + undefined


def clean(x, n=1):
    return x * n


@pytest.fixture
def compiles() -> Compiles:
    return Compiles()


def run(folder: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on a file of another project; every warning is an error."""
    (folder / "test_sample.py").write_text(text)
    plugin = ("-p", "jaxvstorch._pytest")
    command = [sys.executable, "-W", "error", "-m", "pytest", *plugin, "--strict-config", *options]
    environ = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True)


def test_the_project_names_the_plugin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"jaxvstorch": "jaxvstorch._pytest"}


UNRELATED = """
import sys

def test_nothing_is_imported():
    heavy = {"jax", "torch", "numpy", "rich", "typer"}
    assert not heavy & sys.modules.keys()
"""


def test_it_costs_an_unrelated_project_nothing(tmp_path) -> None:
    done = run(tmp_path, UNRELATED)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert "warning" not in done.stdout


FAILING = """
import torch

def clip(x):
    if x.sum() > 0:
        x = x * 2
    return x

def test_clip(compiles):
    compiles.to_one_program(clip, torch.ones(3))
"""


def test_a_failure_shows_the_lines_and_nothing_of_ours(tmp_path) -> None:
    pytest.importorskip("torch", reason="a graph breaks in PyTorch alone")
    done = run(tmp_path, FAILING)
    assert done.returncode == 1, done.stdout + done.stderr
    assert ">       compiles.to_one_program(clip, torch.ones(3))" in done.stdout
    assert "E       AssertionError: clip breaks: line 5: " in done.stdout
    assert re.search(r"^E +5  py A\d +if x.sum\(\) > 0:$", done.stdout, re.MULTILINE)
    assert "testing.py" not in done.stdout
    assert "torch.__trace" not in done.stdout


def test_what_compiles_to_one_program(compiles, framework) -> None:
    x = adapter(framework).from_numpy(X)
    explanation = compiles.to_one_program(clean, x, n=2)
    assert explanation.framework == framework
    assert compiles.without_breaks(clean, x) == compiles.to_one_program(clean, x)
    with pytest.raises(
        AssertionError, match=r"fails does not compile: line \d+: NameError(?s:.*)!!"
    ):
        compiles.without_breaks(fails, x)


def test_what_compiles_to_none_or_more(compiles, fresh_torch_compile) -> None:
    torch = pytest.importorskip("torch", reason="JAX makes one program of a function or none")
    with pytest.raises(AssertionError, match=r"breaks breaks: line \d+: (?s:.*)graph break: "):
        compiles.to_one_program(breaks, torch.ones(3))
    with pytest.raises(AssertionError, match="compiles to no program"):
        compiles.to_one_program(lambda x: 3, torch.ones(3))


def test_what_traces_again(compiles, framework) -> None:
    x = adapter(framework).from_numpy(X)
    assert compiles.once(clean, [(x,), (x + 1,), call(x)]).traces == [1, 0, 0]
    with pytest.raises(
        AssertionError, match=r"call 2 \(f32\[2\]\) traced again: .*f32\[3\] → f32\[2"
    ):
        compiles.once(clean, [(x,), (x[:2],)])
    with pytest.raises(AssertionError, match=r"call 1 \(f32\[3\]\) failed: NameError"):
        compiles.once(fails, [(x,), (x,)])
    with pytest.raises(ValueError, match="pass two or more, not 1"):
        compiles.once(clean, [(x,)])


def test_what_is_the_same_function() -> None:
    torch = pytest.importorskip("torch", reason="it compares both; no PyTorch here")
    jax = pytest.importorskip("jax", reason="it compares both; no JAX here")
    assert same_function(jax.numpy.sin, torch.sin, (X,), gradient=(0,)).same
    with pytest.raises(AssertionError, match="not the same function\n\njax float64 output 0: DIFF"):
        same_function(jax.numpy.sin, torch.cos, (X,))


def test_one_framework_is_asked_for(compiles) -> None:
    with pytest.raises(ValueError, match="pass one framework, 'jax' or 'torch'"):
        compiles.to_one_program(clean, X, framework="both")


def test_a_plain_function_that_compiles_in_each_call_is_not_compiled_once() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")

    def scaled(x, by):
        return jax.jit(lambda v: v * by)(x)

    x = jax.numpy.ones(3)
    with pytest.raises(AssertionError, match=r"traced again: without jax\.jit it compiles"):
        Compiles().once(scaled, [(x, 2.0), (x, 2.0)])
