"""The command ``diff``: what its names stand for, its exit status, and what it refuses."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from jaxvstorch._command.cli import app

for library in ("jax", "torch", "flax", "equinox"):
    pytest.importorskip(library)

TORCH = """
import sys
import torch
from torch import nn
from layers import activation

print("torch was imported")

class Net(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.linear = nn.Linear(width, 3)
    def forward(self, x):
        return activation(self.linear(x))

class Wide(nn.Module):
    def __init__(self, width):
        super().__init__()

class Broken(nn.Module):
    def __init__(self):
        raise OSError("no\\nfile")

net = Net()
square = nn.Sequential(nn.Linear(4, 4, bias=False), nn.Tanh(), nn.Linear(4, 4, bias=False))

def gelu(x):
    return nn.functional.gelu(x)

def total(x):
    return x.sum(0)

def leaves(x):
    sys.exit(3)

optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

def step(x):
    optimizer.zero_grad()
    loss = net(x).square().mean()
    loss.backward()
    optimizer.step()
    return loss
"""
JAX = """
import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from layers import activation

class Nnx(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(4, 3, rngs=rngs)
    def __call__(self, x):
        return activation(self.linear(x))

class Eqx(eqx.Module):
    fc: eqx.nn.Linear
    def __init__(self, key):
        self.fc = eqx.nn.Linear(4, 3, key=key)
    def __call__(self, x):
        return jax.vmap(self.fc)(x)

weights = {"a": jnp.ones((3, 4)), "b": jnp.arange(3.0)}
pair = (lambda p, x: activation(x @ p["a"].T + p["b"]), weights)

squares = {"a": jnp.ones((4, 4)), "b": jnp.arange(16.0).reshape(4, 4)}
letters = (lambda p, x: jnp.tanh(x @ p["b"].T) @ p["a"].T, squares)

def gelu(x):
    return jax.nn.gelu(x)

def total(x):
    return x.sum(1)

def two(x):
    return x, x

def fails(x):
    return jnp.sin(x) @ jnp.ones((7, 2))

def step(p, x):
    loss, g = jax.value_and_grad(lambda p: (pair[0](p, x) ** 2).mean())(p)
    return jax.tree.map(lambda p, g: p - 0.2 * g, p, g), loss

training = step, weights
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """Two folders with a module of one name, one of which is the working directory."""
    (tmp_path / "port").mkdir()
    (tmp_path / "port" / "b.py").write_text(JAX)
    (tmp_path / "port" / "layers.py").write_text("from jax.nn import relu as activation")
    (tmp_path / "original").mkdir()
    monkeypatch.chdir(tmp_path / "original")
    Path("a.py").write_text(TORCH)
    Path("layers.py").write_text("from torch import relu as activation")
    return tmp_path


def run(first: str, second: str, *options: str) -> Result:
    sys.modules.pop("layers", None)  # of an earlier run
    return CliRunner().invoke(app, ["diff", f"a.py:{first}", f"../port/b.py:{second}", *options])


@pytest.mark.parametrize("first", ["Net", "net", "net.forward"])
def test_a_class_is_made_and_weights_are_carried_over(first) -> None:
    done = run(first, "Nnx", "--arg", "f32[2,4]")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("the same: each operation agrees in float64\n")
    assert "2 weights carried over by name and shape: linear.bias from linear.bias" in done.stdout
    assert "torch was imported" in done.stderr


def test_float64_is_left_where_the_own_dtypes_are_asked_for() -> None:
    done = run("net", "Nnx", "--arg", "f32[2,4]", "--own-dtypes")
    assert done.stdout.startswith("the same: each operation agrees in the dtypes that they have\n")


def test_a_difference_is_status_1_and_text_page_and_json_have_it(folder) -> None:
    done = run("Net", "Eqx", "--arg", "f32[2,4]", "--json", "--html", "out.html", "--seed", "3")
    assert done.exit_code == 1, done.output
    report = json.loads(done.stdout)
    (difference,) = report["differences"]
    assert not report["same"]
    assert difference["places"][0]["stack"][-1]["source"] == "return activation(self.linear(x))"
    page = Path("out.html").read_text()
    assert "<code>a.py:Net</code> and <code>../port/b.py:Eqx</code>" in page
    assert "return jax.vmap(self.fc)(x)" in page
    again = run("Net", "Eqx", "--arg", "f32[2,4]", "--json", "--seed", "3")
    assert json.loads(again.stdout) == report


def test_names_of_weights_can_be_given() -> None:
    assert run("net", "pair", "--arg", "f32[2,4]").exit_code == 0  # their shapes tell
    assert run("square", "letters", "--arg", "f32[2,4]").exit_code == 1
    done = run("square", "letters", "--weights", "b=0.weight", "--weights", "a=2.weight",
               "--arg", "f32[2,4]")  # fmt: skip
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("first", "second", "options", "said"),
    [
        ("nett", "gelu", "", "a.py has no 'nett'. Did you mean net"),
        ("Wide", "gelu", "f32[3]", "a.py:Wide is a class that needs width: make an instance"),
        ("Broken", "gelu", "f32[3]", "a.py:Broken cannot be made: OSError: no file (a.py, line 2"),
        ("gelu", "weights", "f32[3]", "second must be a function, a module, or a tuple"),
        ("gelu", "two", "f32[3]", "the first side returns 1 arrays (an array) and the second 2"),
        ("gelu", "fails", "f32[3]", "a side raised TypeError: dot_general requires"),
        ("gelu", "gelu", "", "gelu(x) does not take these arguments: missing a required"),
        ("Net", "gelu", "f32[3,5]", "a side raised RuntimeError: mat1 and mat2 shapes"),
        ("leaves", "gelu", "f32[3]", "a side called sys.exit(3)"),
        ("gelu", "gelu", "x=f32[3]", "diff passes arguments by position: leave out x="),
        ("gelu", "gelu", "f33[3]", "f33"),
    ],
)
def test_what_cannot_be_compared_is_one_line(first, second, options, said) -> None:
    done = run(first, second, *(("--arg", options) if options else ()))
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    line = done.stderr.splitlines()[-1]
    assert line.startswith("jaxvstorch: ")
    assert said in line
    if "raised" in said:
        assert f"both sides take what --arg gives: float32{options[3:].replace(',', ', ')}" in line


def test_training_steps_are_compared() -> None:
    named = "--weights", "a=linear.weight", "--weights", "b=linear.bias", "--arg", "f32[2,4]"
    done = run("step", "training", *named, "--steps", "3")
    assert done.exit_code == 1, done.output
    assert done.stdout.startswith("different in step 1 of 3, in 1 place\n")
    assert "with lr=0.1 in place of lr=0.2 (or gradients 2 times as large)" in done.stdout
    done = run("step", "training", *named, "--steps", "3", "--own-dtypes")
    assert done.exit_code == 2
    assert "leave out --own-dtypes" in done.stderr
    done = run("step", "training", *named, "--steps", "3", "--gradient")
    assert done.exit_code == 2
    assert "--steps compares gradients too: leave out --gradient" in done.stderr
    done = run("net", "training", *named, "--steps", "3")
    assert done.exit_code == 2
    assert "first is no training step" in done.stderr


def test_names_of_weights_are_checked() -> None:
    for text, said in (("a", "--weights 'a': expected"), ("a=q", "first side has no weight 'q'")):
        done = run("net", "pair", "--weights", text, "--arg", "f32[2,4]")
        assert done.exit_code == 2
        assert said in done.stderr


def test_shapes_that_differ_are_a_difference() -> None:
    done = run("total", "total", "--arg", "f32[3,4]")
    assert done.exit_code == 1
    assert "output: shape (4,) and (3,)" in done.stdout
