"""A run that stopped goes on as if it had not, bit for bit, in another process."""

import importlib
import subprocess
import sys

import pytest

STOP = 8
MORE = 14  # ends in the middle of an epoch, as does STOP
# What a new process does: it knows the folder and nothing else.
SCRIPT = """
import sys
from pathlib import Path
from jaxvstorch.examples.checkpoints import {name}_run as runs
found = runs.advance(runs.resume(Path(sys.argv[1])), {more})
losses = found[1] if isinstance(found, tuple) else found
print(*map(float.hex, losses))
"""


def in_jax(folder):
    """The losses of a run that saved two checkpoints on its way, of which the last was cut."""
    runs = importlib.import_module("jaxvstorch.examples.checkpoints.jax_run")
    state, _ = runs.advance(runs.start(1), STOP)
    runs.save(folder, state)
    later, _ = runs.advance(state, 3)
    cut(runs.save(folder, later))
    return runs.advance(state, MORE)[1]


def in_torch(folder):
    """The same in PyTorch, where the run changes."""
    runs = importlib.import_module("jaxvstorch.examples.checkpoints.torch_run")
    run = runs.Run(1)
    runs.advance(run, STOP)
    runs.save(folder, run)
    losses = runs.advance(run, 3)
    cut(runs.save(folder, run))
    return losses + runs.advance(run, MORE - 3)


def cut(path):
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize("name", ["jax", "torch"])
def test_a_fresh_process_goes_on_from_the_newest_whole_checkpoint(name, tmp_path) -> None:
    pytest.importorskip(name)
    whole = {"jax": in_jax, "torch": in_torch}[name](tmp_path)
    assert len(set(whole)) == MORE
    script = SCRIPT.format(name=name, more=MORE)
    command = [sys.executable, "-W", "error", "-c", script, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list(map(float.fromhex, done.stdout.split())) == whole


def test_jax_refuses_a_checkpoint_of_another_run(jax, tmp_path) -> None:
    runs = importlib.import_module("jaxvstorch.examples.checkpoints.jax_run")
    state = runs.start(1)
    del state["mean"]
    path = runs.save(tmp_path, state)
    with pytest.raises(ValueError, match=r"missing: mean float32\[4\]"):
        runs.load(path)
