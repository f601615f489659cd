"""The outputs of a page's cells when the book was built, for its notebook.

MyST-NB keeps them by the page's cells and the state of the package. A page that is not read again
keeps its old outputs although the package has changed; so reading a page stores a copy beside it.
"""

from pathlib import Path

import nbformat
from docutils import nodes
from jupyter_cache import get_cache
from myst_nb.core.read import create_nb_reader
from nbformat import NotebookNode
from sphinx.application import Sphinx

from extensions.promised_errors import message_alone


def add_outputs(app: Sphinx, page: str, notebook: NotebookNode) -> None:
    """Add to a page's notebook its cells' outputs in the build; nothing if the page did not run.

    Args:
        app: has read the page.
        page: the name.
        notebook: has the page's cells, and possibly others before them.

    Raises:
        LookupError: the cells are not those that ran.
    """
    path = _beside(app, page)
    if not path.exists():
        return
    ran = _cells(nbformat.read(path, as_version=4))
    cells = _cells(notebook)[-len(ran) :] if ran else []
    if [cell.source.strip() for cell in cells] != [cell.source.strip() for cell in ran]:
        raise LookupError(f"the cells of the notebook {page} are not those that ran")
    for cell, done in zip(cells, ran, strict=True):
        shown = done.outputs
        if "remove-stderr" in cell.metadata.get("tags", ()):  # the page leaves it out too
            shown = [output for output in shown if output.get("name") != "stderr"]
        cell["outputs"] = [_plain(output) for output in shown]
        cell["execution_count"] = done.execution_count


def keep_outputs(app: Sphinx, _document: nodes.document) -> None:
    """Store the outputs of a page beside it, when it has been read and has run."""
    page, settings = app.env.docname, app.env.mystnb_config  # type: ignore[attr-defined]
    source, path = Path(app.env.doc2path(page)), _beside(app, page)
    text = source.read_text(encoding="utf-8")
    path.unlink(missing_ok=True)
    config = app.env.myst_config  # type: ignore[attr-defined]
    reader = create_nb_reader(str(source), config, settings, text)
    if reader is None:
        return
    try:
        cache = get_cache(settings.execution_cache_path)
        _, done = cache.merge_match_into_notebook(reader.read(text))
    except KeyError:  # it did not run
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(done, path)


def _beside(app: Sphinx, page: str) -> Path:
    return Path(app.doctreedir, f"{page}.ipynb")


def _cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _plain(output: NotebookNode) -> NotebookNode:
    """The output; an error loses its traceback, as on the page."""
    if output.output_type == "error":
        text = message_alone(output.ename, output.evalue)
        output["evalue"], output["traceback"] = text.partition(": ")[2], [text]
    return output
