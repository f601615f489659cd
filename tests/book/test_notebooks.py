"""The notebooks of the built book run, as a reader would run them."""

import re
import tempfile
from pathlib import Path

import nbformat
import pytest

pytestmark = pytest.mark.built_book

BOOK = Path(__file__).parents[2] / "book"
PAGES = [
    path.relative_to(BOOK).with_suffix("").as_posix()
    for path in sorted([*BOOK.glob("*.md"), *BOOK.glob("[!_]*/*.md")])
    if "kernelspec:" in path.read_text(encoding="utf-8")
]


@pytest.fixture
def notebook(built_book, page):
    return nbformat.read(built_book / "notebooks" / f"{page}.ipynb", as_version=4)


@pytest.mark.parametrize("page", PAGES)
def test_the_prose_is_plain_markdown(notebook):
    nbformat.validate(notebook)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert re.findall(r"\{[a-z:+]+\}`|^[`:]{3,}\{.*|^\([\w-]+\)=", text, re.MULTILINE) == []


@pytest.mark.parametrize("page", PAGES)
def test_it_runs_from_top_to_bottom(notebook, tmp_path):
    from nbclient import NotebookClient
    from traitlets.config import Config

    # What is installed here is the package under test, not the one its first cell would fetch.
    install, *notebook.cells = notebook.cells
    assert install.source.startswith("%pip install -q jaxvstorch")
    resources = {"metadata": {"path": str(tmp_path)}}
    # Over files, since two kernels that start at once may choose the same ports; and not in
    # pytest's folder, whose name is too long for a socket's.
    with tempfile.TemporaryDirectory() as folder:
        files = {"transport": "ipc", "ip": f"{folder}/kernel"}
        config = Config({"KernelManager": files})
        NotebookClient(notebook, timeout=180, resources=resources, config=config).execute()
