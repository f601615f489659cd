"""The notebooks of the built book: plain, runnable, linked."""

import re
from html import unescape

import nbformat
import pytest
from nbclient import NotebookClient
from pages import BOOK, PAGES

pytestmark = pytest.mark.built_book

TEXTS = {page: (BOOK / f"{page}.md").read_text("utf-8") for page in PAGES}
PAGES = [
    page for page in PAGES if "kernelspec:" in TEXTS[page] and "no-notebook:" not in TEXTS[page]
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
def test_it_carries_the_outputs_of_the_build(built_book, notebook, page):
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [output for cell in cells for output in cell.outputs]
    html = (built_book / f"{page}.html").read_text(encoding="utf-8")
    # What a proof prints is in its fold.
    shown = re.sub(r'<details class="fold checked">.*?</details>', "", html, flags=re.DOTALL)
    hidden = [cell for cell in cells if "remove-output" in cell.metadata.get("tags", [])]
    visible = [cell for cell in cells if cell.outputs and cell not in hidden]
    assert len(visible) == shown.count("cell_output docutils")
    texts = [output for output in outputs if output.output_type in ("error", "stream")]
    assert [output for output in texts if "ipykernel_" in str(output)] == []


@pytest.mark.parametrize("page", ["reference/first-calls"])
def test_it_runs_from_top_to_bottom(notebook, tmp_path):
    """One is enough: building the book has run the cells of all."""
    # What is installed here is the package under test, not the one its first cell would fetch.
    install, *notebook.cells = notebook.cells
    assert install.source.startswith("%pip install -q git+https://github.com/")
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, resources=resources).execute()


@pytest.mark.parametrize("page", PAGES)
def test_its_page_links_to_it_and_is_described_by_what_follows(built_book, page):
    file = built_book / f"{page}.html"
    html = file.read_text(encoding="utf-8")
    (link,) = re.findall(r'Run it yourself: <a [^>]*href="([^"]+)"', html)
    assert (file.parent / link).resolve() == built_book / "notebooks" / f"{page}.ipynb"
    (first,) = re.findall(r'class="notebook-links">.*?</p>\s*<p>(.*?)</p>', html, re.DOTALL)
    begin = " ".join(unescape(re.sub(r"<.*?>", "", first)).split())[:40]
    meta = r'<meta (?:name|property)="(?:og:)?description" content="(.*?)"'
    descriptions = [unescape(text) for text in re.findall(meta, html)]
    assert [text[:40] for text in descriptions] == [begin, begin]
