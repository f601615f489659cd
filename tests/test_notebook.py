"""``%load_ext jaxvstorch.notebook``."""

import subprocess
import sys

import pytest

from jaxvstorch import ledger, notebook

torch = pytest.importorskip("torch", reason="it resets PyTorch's compiler")


class Shell:
    """What IPython's shell offers an extension."""

    def __init__(self):
        self.callbacks = []
        self.events = self

    def register(self, event, callback):
        """Add a callback."""
        assert event == "pre_run_cell"
        self.callbacks.append(callback)

    def unregister(self, event, callback):
        """Take it away."""
        assert event == "pre_run_cell"
        self.callbacks.remove(callback)


def test_each_cell_begins_without_what_was_compiled():
    shell = Shell()
    notebook.load_ipython_extension(shell)
    (begin_cell,) = shell.callbacks
    function = torch.compile(lambda x: x + 1, backend="eager")
    calls = [(torch.ones(3),)] * 2
    assert ledger(function, calls).programs == [1, 0]
    assert ledger(function, calls).programs == [0, 0]
    begin_cell(None)
    assert ledger(function, calls).programs == [1, 0]
    notebook.unload_ipython_extension(shell)
    assert shell.callbacks == []


def test_it_imports_no_framework():
    code = (
        "import sys; from jaxvstorch import notebook; notebook.forget(); "
        "assert not {'jax', 'torch'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
