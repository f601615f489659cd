"""A run that stopped goes on as if it had not, bit for bit."""

import importlib
import subprocess
import sys

import pytest

MORE = 14  # ends in the middle of an epoch, as does STOP
STOP = 8
PARTS = {
    "jax": ["weights", "mean", "square", "count", "key"],
    "torch": ["model", "optimizer", "schedule", "shuffling", "order", "dropout"],
}
# What a new process does: it knows the folder and nothing else.
SCRIPT = """
import sys
from pathlib import Path
from jaxvstorch.examples.checkpoints import {name}_run as runs
found = runs.advance(runs.resume(Path(sys.argv[1])), {more})
losses = found[1] if isinstance(found, tuple) else found
print(*map(float.hex, losses))
"""


class InJax:
    """A run in JAX: a state that is replaced."""

    def __init__(self) -> None:
        pytest.importorskip("jax")
        self.runs = importlib.import_module("jaxvstorch.examples.checkpoints.jax_run")

    def state(self, seed, steps):
        """What a run has after some steps."""
        return self.runs.advance(self.runs.start(seed), steps)[0]

    def save(self, folder, state):
        """Write it."""
        return self.runs.save(folder, state)

    def go_on(self, state, steps):
        """The losses of the next steps."""
        return self.runs.advance(state, steps)[1]

    def losses(self, folder):
        """The losses of the run that goes on from a folder."""
        return self.go_on(self.runs.resume(folder), MORE)


class InTorch:
    """A run in PyTorch: an object that is changed."""

    def __init__(self) -> None:
        pytest.importorskip("torch")
        self.runs = importlib.import_module("jaxvstorch.examples.checkpoints.torch_run")
        self.copy = importlib.import_module("copy").deepcopy

    def state(self, seed, steps):
        """What a run has after some steps."""
        run = self.runs.Run(seed)
        self.runs.advance(run, steps)
        return self.copy(run.state_dict())

    def run(self, state):
        """A run with a copy of such a state."""
        run = self.runs.Run(99)
        run.load_state_dict(self.copy(state))
        return run

    def save(self, folder, state):
        """Write it."""
        return self.runs.save(folder, self.run(state))

    def go_on(self, state, steps):
        """The losses of the next steps."""
        return self.runs.advance(self.run(state), steps)

    def losses(self, folder):
        """The losses of the run that goes on from a folder."""
        return self.runs.advance(self.runs.resume(folder), MORE)


@pytest.fixture(params=["jax", "torch"])
def way(request):
    return {"jax": InJax, "torch": InTorch}[request.param]()


@pytest.fixture
def whole(way):
    """The losses of the run that did not stop, from where the other one did."""
    return way.go_on(way.state(1, 0), STOP + MORE)[STOP:]


def test_the_resumed_run_is_the_one_that_was_not_interrupted(way, whole, tmp_path) -> None:
    way.save(tmp_path, way.state(1, STOP))
    way.go_on(way.state(5, 0), 3)  # something else that draws random numbers
    assert way.losses(tmp_path) == whole
    assert len(set(whole)) == MORE


@pytest.mark.parametrize("name", ["jax", "torch"])
def test_in_a_fresh_process_too(name, tmp_path) -> None:
    way = {"jax": InJax, "torch": InTorch}[name]()
    whole = way.go_on(way.state(1, 0), STOP + MORE)[STOP:]
    way.save(tmp_path, way.state(1, STOP))
    script = SCRIPT.format(name=name, more=MORE)
    command = [sys.executable, "-W", "error", "-c", script, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list(map(float.fromhex, done.stdout.split())) == whole


@pytest.mark.parametrize(
    ("name", "part"), [(name, part) for name, parts in PARTS.items() for part in parts]
)
def test_each_part_that_is_forgotten_makes_another_run(name, part, tmp_path) -> None:
    way = {"jax": InJax, "torch": InTorch}[name]()
    state = way.state(1, STOP)
    kept = way.go_on(state, MORE)
    forgotten = state | {part: way.state(9, 0)[part]}
    assert way.go_on(forgotten, MORE) != kept
    assert way.go_on(state, MORE) == kept


def test_the_newest_whole_checkpoint_is_taken_where_the_last_was_cut(way, whole, tmp_path) -> None:
    way.save(tmp_path, way.state(1, STOP))
    last = way.save(tmp_path, way.state(1, STOP + 3))
    last.write_bytes(last.read_bytes()[:-1])
    assert way.losses(tmp_path) == whole
    assert way.save(tmp_path, way.state(1, STOP + 3)) == last  # the run comes by there again


def test_jax_refuses_a_checkpoint_of_another_run(tmp_path) -> None:
    way = InJax()
    state = way.state(1, 1)
    del state["mean"]
    path = way.save(tmp_path, state)
    with pytest.raises(ValueError, match=r"missing: mean float32\[4\]"):
        way.runs.load(path)


def test_two_runs_of_torch_in_one_process_draw_from_one_generator() -> None:
    way = InTorch()
    alone = way.go_on(way.state(1, 0), 6)
    first = way.runs.Run(1)
    second = way.runs.Run(2)  # its seed is the one that counts now
    losses = []
    for _ in range(6):
        losses.append(first.step())
        second.step()
    assert losses != alone
