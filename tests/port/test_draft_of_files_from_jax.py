"""Drafts in PyTorch of programs in JAX that have several files, or are notebooks."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("flax.nnx", reason="flax is not installed")

THREE = "at parity: losses, gradients, weights after each of 3 calls, in float32"

MODEL = """
'''The network.'''
from flax import nnx

WIDTH = 8  # of the hidden layer
UNUSED = 3


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.first = nnx.Linear(3, WIDTH, rngs=rngs)
        self.last = nnx.Linear(WIDTH, 1, rngs=rngs)

    def __call__(self, x):
        return self.last(nnx.relu(self.first(x)))


class Other(nnx.Module):
    pass
"""
LOSSES = """
import jax.numpy as jnp


# The mean of squares.
def loss(model, x, y):
    return jnp.mean((model(x) - y) ** 2)


def unused(x):
    return x
"""
DATA = """
import numpy as np

SIZES = {"train": 32}
SIZES["test"] = 8


def load(split):
    draws = np.random.default_rng(0)
    x = draws.normal(size=(SIZES[split], 3)).astype(np.float32)
    return x, x.sum(1, keepdims=True)
"""
TRAIN = """
import argparse
import optax
from flax import nnx
import data as sets
import losses
from model import Net as Network


@nnx.jit
def step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(losses.loss)(model, x, y)
    optimizer.update(model, grads)
    return loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=float, default=1e-2)
    args = parser.parse_args([])
    model = Network(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(args.rate), wrt=nnx.Param)
    x, y = sets.load("train")
    for _ in range(4):
        loss = step(model, optimizer, x, y)
    print(loss, losses.loss(model, x, y))


if __name__ == "__main__":
    main()
"""


def test_what_a_program_reads_of_its_files_is_in_the_draft(drafted_from_jax) -> None:
    source, parity = drafted_from_jax(TRAIN, model=MODEL, losses=LOSSES, data=DATA)
    assert "train.py, data.py, losses.py, model.py in PyTorch" in " ".join(source.split())
    assert parity["step"] == THREE
    assert parity["losses_loss"] == "at parity: values, in float32"
    assert "loss = losses_loss(model, x, y)" in source
    assert "# The mean of squares.\ndef losses_loss(model, x, y):" in source
    assert "model = Net()" in source
    assert "WIDTH = 8  # of the hidden layer" in source
    assert 'x, y = load("train")' in source
    assert 'SIZES["test"] = 8' in source
    assert "parser.add_argument" in source
    for left_out in ("UNUSED", "Other", "def unused", "import losses", "TODO: "):
        assert left_out not in source


def test_names_that_two_files_have_are_told_apart(drafted_from_jax) -> None:
    """Also those that an imported file has for itself, and functions that a package passes on."""
    source, parity = drafted_from_jax(
        """
        import jax.numpy as jnp
        import pieces
        from pieces import total as all_of
        from pieces.scaling import SCALE as BY, *

        SHIFT = 1.0


        def scaled(x):
            return pieces.scaling.scaled(x) + SHIFT


        total = all_of(scaled(jnp.arange(3.0)))
        print(total, BY, half(jnp.ones(2)))
        """.replace("SCALE as BY, *", "SCALE as BY\n        from pieces.scaling import *"),
        **{
            "pieces.__init__": "from .summing import total\nfrom . import scaling\n",
            "pieces.summing": """
                from jax import numpy as np
                from .scaling import scaled as _scaled


                def total(x):
                    return np.sum(_scaled(x))
                """,
            "pieces.scaling": """
                import jax.numpy as np

                SHIFT, SCALE = 3.0, 2.0


                def scaled(x):
                    return np.multiply(x, SCALE) - SHIFT


                def half(x):
                    return np.divide(x, SCALE)
                """,
        },
    )
    values = "at parity: values, in float32"
    assert {parity[name] for name in ("scaled", "scaling_scaled", "summing_total")} == {values}
    assert parity["half"] == values
    assert "return scaling_scaled(x) + SHIFT" in source
    assert "scaling_SHIFT, SCALE = 3.0, 2.0" in source
    assert "total = summing_total(scaled(" in source
    assert "import pieces" not in source


def test_a_state_of_linen_in_another_file_than_its_module(drafted_from_jax) -> None:
    """Its module has a module of a third file, and data of NumPy's is its input."""
    source, parity = drafted_from_jax(
        """
        import jax
        import jax.numpy as jnp
        import numpy as np
        import optax
        from flax.training import train_state
        from nets.model import Net

        x = np.random.default_rng(0).normal(size=(16, 3)).astype(np.float32)
        y = x.sum(1, keepdims=True)


        @jax.jit
        def train_step(state, x, y):
            def loss_fn(params):
                return jnp.mean((state.apply_fn({"params": params}, x) - y) ** 2)

            loss, grads = jax.value_and_grad(loss_fn)(state.params)
            return state.apply_gradients(grads=grads), loss


        def evaluate(state, size):
            return state.apply_fn({"params": state.params}, x[:size]).sum()


        model = Net(2)
        params = model.init(jax.random.key(0), jnp.ones((1, 3)))["params"]
        state = train_state.TrainState.create(
            apply_fn=model.apply, params=params, tx=optax.adam(1e-2)
        )
        for _ in range(4):
            state, loss = train_step(state, x, y)
        print(loss, evaluate(state, 4))
        """,
        **{
            "nets.model": """
                from flax import linen as nn
                from .blocks import Block


                class Net(nn.Module):
                    blocks: int

                    @nn.compact
                    def __call__(self, x):
                        for _ in range(self.blocks):
                            x = Block(3)(x)
                        return nn.Dense(1)(x)
                """,
            "nets.blocks": """
                import flax.linen as linen

                ACTIVATION = linen.gelu


                class Block(linen.Module):
                    width: int

                    @linen.compact
                    def __call__(self, x):
                        return ACTIVATION(linen.LayerNorm()(linen.Dense(self.width)(x)))
                """,
        },
    )
    assert parity["train_step"] == THREE
    assert "state.model(torch.as_tensor(x[:size]))" in source
    assert "self.Dense_0 = nn.Linear(3, self.width)" in source


def _port(folder, *arguments: str) -> str:
    run = [sys.executable, "-m", "jaxvstorch", "port", *arguments, "--write", "draft.py"]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_module_of_a_package_that_imports_jax_in_other_files(tmp_path) -> None:
    package = tmp_path / "fitting"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "losses.py").write_text(
        "import jax.numpy as jnp\n\n\ndef loss(w, x):\n    return jnp.mean((w * x - 1) ** 2)\n"
    )
    (package / "train.py").write_text(
        "from .losses import loss\nfrom . import losses, start\n\nw = start.first()\n"
        "print(loss(w, losses.jnp.ones(4)))\n"
    )
    (package / "start.py").write_text(
        "import jax.numpy as jnp\n\n\ndef first():\n    return jnp.ones(())\n"
    )
    printed = _port(tmp_path, "-m", "fitting.train")
    assert "fitting/losses.py" in printed
    assert "loss: at parity: values, in float32" in printed
    assert "nothing is left to do" in printed
    source = (tmp_path / "draft.py").read_text()
    assert "w = first()" in source
    assert "print(loss(w, torch.ones(4)))" in source


def test_a_notebook_is_drafted(tmp_path) -> None:
    cells = [
        "%matplotlib inline\nfrom jax import numpy as jnp, grad\nimport helping",
        "# The slope.\ndef loss(w, x):\n    return jnp.mean(helping.scaled(w) * x)\n",
        "x = jnp.arange(4.0)\nslope = grad(loss)(jnp.ones(()), x)\ndisplay(slope, loss(slope, x))",
    ]
    document = {
        "cells": [{"cell_type": "code", "source": text, "metadata": {}} for text in cells],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    (tmp_path / "book.ipynb").write_text(json.dumps(document))
    (tmp_path / "helping.py").write_text("def scaled(w):\n    return 2 * w\n")
    printed = _port(tmp_path, "book.ipynb")
    assert "book.ipynb, cell 2" in printed
    assert "jnp.mean → torch.mean(" in printed
    assert "loss: at parity: values, in float32" in printed
    source = (tmp_path / "draft.py").read_text()
    assert "# The slope.\ndef loss(w, x):\n    return torch.mean(scaled(w) * x)" in source
    assert "slope = torch.func.grad(loss)(torch.ones(()), x)" in source
    assert "print(slope, loss(slope, x))" in source
