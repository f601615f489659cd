"""What jaxvstorch adds to a notebook: fresh cells, and the magic ``%%explain``."""

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


MAGIC = {
    "import jax.numpy as jnp\n%load_ext jaxvstorch": None,
    "%%explain\ndef scaled(x, by):\n    y = x * by\n    return y + 1\nscaled(jnp.ones(3), by=2.0)":
        ("y = x * by", "text/html"),
    "_.marks()[0]": ("y = x * by  # A",),
    "%%explain jnp.ones(4), 2.0\ndef again(x, by):\n    return x / by": ("f32[4]", "text/html"),
    "%%explain --stages\nresult = scaled(jnp.ones(3), 1.0)": ("StableHLO",),
    "%%explain --framework keras\nscaled(jnp.ones(3), 1.0)": ("UsageError: %%explain: framework",),
    "%%explain --quick\nscaled(1)": ("UsageError: %%explain: --quick is not an option: expected",),
    "%%explain\nx = 3": ("UsageError: %%explain: there is no call on the last line: expected",),
    "%%explain\n# nothing": ("UsageError: %%explain: there is no call on the last line",),
    "%%explain x\nscaled(1)": ("UsageError: %%explain: x is where options belong: expected",),
    "%%explain )\ndef f(x):\n    pass": ("UsageError: %%explain: ) are not arguments: unmatched",),
    "%%explain\nx = = 3\nf(x)": ("UsageError: %%explain: line 1 is not Python: invalid syntax",),
    "%%explain\nlen([1])": ("UsageError: %%explain: cannot tell from 'len' or its arguments",),
    "%%explain\n1 / 0\nscaled(1)": ("ZeroDivisionError",),
}  # fmt: skip


def test_the_magic_in_a_kernel() -> None:
    """In one kernel, since starting one takes seconds."""
    pytest.importorskip("jax", reason="its cells use JAX")
    nbformat = pytest.importorskip("nbformat", reason="notebooks run where the book is built")
    nbclient = pytest.importorskip("nbclient", reason="notebooks run where the book is built")
    cells = [nbformat.v4.new_code_cell(source) for source in MAGIC]
    book = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(book, timeout=1200, kernel_name="python3", allow_errors=True).execute()
    for cell, expected in zip(cells, MAGIC.values(), strict=True):
        shown = str(cell.outputs)
        if expected is None:
            assert cell.outputs == []
            continue
        assert [text for text in expected if text not in shown] == [], (cell.source, shown)
        # Compiled text names every file on the call stack.
        assert "_magic.py" not in shown or "StableHLO" in expected, cell.source
        assert ("UsageError" in expected[0]) <= ("Traceback" not in shown), (cell.source, shown)


def test_the_magic_shows_text_in_a_terminal() -> None:
    pytest.importorskip("IPython", reason="IPython is not installed")
    call = "torch.nn.functional.relu(torch.ones(3))"
    lines = f"%load_ext jaxvstorch\nimport torch\n%%explain\n{call}\n\n\n"
    command = [sys.executable, "-m", "IPython", "--simple-prompt", "--quick", "--no-banner"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True)
    assert "relu in PyTorch  torch.compile" in done.stdout
    assert "<table" not in done.stdout
