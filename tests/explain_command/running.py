"""The command ``explain``, run on a file for each framework."""

import json
from typing import Any

from typer.testing import CliRunner, Result

from jaxvstorch._command.cli import app

JAX = """
import os
from functools import partial
import jax
import jax.numpy as jnp

def relu(x):
    return jnp.maximum(x, 0)

def layer(params, x, activation=jnp.tanh):
    print("layer was traced")
    os.system("echo printed by a program")
    h = x @ params["w"] + params["b"]
    return activation(h)

def choose(x, mode="mean"):
    if mode == "sum":
        return x.sum()
    return x.mean()

def repeat(x, n):
    for _ in range(3):
        x = x * n
    return x

@partial(jax.jit, static_argnames="n")
def power(x, n, m=1):
    return x**n * m

def late(x):
    jax.debug.print("printed when it ran")
    return x

def clean(x):
    return jnp.sin(x)

def keywords(x, *, scale):
    return x * scale

def fails(x):
    raise ValueError("my own\\nerror")

def leaves(x):
    raise SystemExit(0)

def generator(x):
    yield x

def interrupted(x):
    raise KeyboardInterrupt

def hangs(x):
    import sys, time
    sys.stderr.write("ready\\n")
    sys.stderr.flush()
    while True:
        time.sleep(0.01)
"""
TORCH = """
import torch

def relu(x):
    return torch.relu(x)

def clean(x):
    return torch.sin(x)

def breaks(x):
    print("breaks was called")
    if x.sum() > 1e9:
        return x
    return x + 1

@torch.compile(backend="eager")
def add_(x, y, n=1):
    x.add_(y)
    return x * n

def layer(x, activation):
    return activation(x) + 1

linear = torch.nn.Linear(4, 2)
compiled = torch.compile(clean, backend="eager")
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["explain", *arguments])


def explained(*arguments: str) -> Any:
    """The JSON of a successful run."""
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def marks(explanation: Any) -> dict[str, str]:
    lines = explanation["sources"][0]["lines"]
    return {line["text"].strip(): line["mark"] for line in lines if line["mark"]}


def refused(*arguments: str) -> str:
    """The one line that a run with bad input prints."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("jaxvstorch: ")
    return line.removeprefix("jaxvstorch: ")
