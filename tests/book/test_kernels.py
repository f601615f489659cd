"""How the kernels that run the pages talk."""

from types import SimpleNamespace

import pytest
from extensions import kernels
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook


@pytest.fixture
def of_the_book(monkeypatch):
    """The settings that the extension makes, for one test."""
    for changed in (KernelManager, NotebookClient):
        monkeypatch.setattr(changed, "__init__", changed.__init__)
    execute_cell = NotebookClient.async_execute_cell
    monkeypatch.setattr(NotebookClient, "async_execute_cell", execute_cell)
    kernels.setup(SimpleNamespace())


def test_they_talk_over_files_and_what_a_cell_prints_slowly_is_one_text(of_the_book) -> None:
    source = "import time; print('one', end=' ', flush=True); time.sleep(0.5); print('line')"
    client = NotebookClient(new_notebook(cells=[new_code_cell(source)]), kernel_name="python3")
    assert client.create_kernel_manager().transport == "ipc"
    (cell,) = client.execute().cells
    assert [output.text for output in cell.outputs] == ["one line\n"]
