"""How the kernels that run the pages begin."""

import os
from types import SimpleNamespace

import pytest
from extensions import kernels
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook


@pytest.fixture
def of_the_book(monkeypatch):
    """The settings that the extension makes, for one test."""
    monkeypatch.setattr(KernelManager, "__init__", KernelManager.__init__)
    shutdown = NotebookClient.shutdown_kernel
    monkeypatch.setattr(shutdown, "default_value", shutdown.default_value)
    monkeypatch.setitem(os.environ, "PYTHONSTARTUP", "the reader's own")
    kernels.setup(SimpleNamespace())


def test_a_kernel_does_not_look_for_garbage_and_knows_no_new_name(of_the_book) -> None:
    source = "import gc as own; print(own.isenabled()); print({'gc', 'os', 'sys'} & set(dir()))"
    notebook = new_notebook(cells=[new_code_cell(source)])
    NotebookClient(notebook, kernel_name="python3").execute()
    assert notebook.cells[0].outputs[0].text == "False\nset()\n"


def test_pytorch_does_not_look_for_garbage_after_each_compilation_either(of_the_book) -> None:
    source = "import torch; print(torch._dynamo.config.run_gc_after_compile)"
    notebook = new_notebook(cells=[new_code_cell(source)])
    NotebookClient(notebook, kernel_name="python3").execute()
    assert notebook.cells[0].outputs[0].text == "False\n"


def test_what_a_cell_prints_slowly_comes_in_one_piece(of_the_book) -> None:
    source = "import time; print('one', end=' '); time.sleep(0.5); print('line')"
    notebook = new_notebook(cells=[new_code_cell(source)])
    NotebookClient(notebook, kernel_name="python3").execute()
    assert [output.text for output in notebook.cells[0].outputs] == ["one line\n"]
