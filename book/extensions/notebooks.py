"""Every page that runs is also written as a notebook that runs anywhere, with its outputs.

It has no cells that only prove a sentence: what a reader runs needs none of them.
The notebooks lie under ``notebooks/`` in the built book. The docs workflow publishes that folder
as a branch, which is where the links to Colab lead.
"""

import posixpath
from functools import partial
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext.intersphinx import InventoryAdapter
from sphinx.util import logging

from benchmarks.report import lookup
from extensions import cost, definitions, errors, libraries, names, port_programs
from extensions.diagram import title
from extensions.outputs import add_outputs, keep_outputs
from extensions.pair_directive import halves
from extensions.plain_markdown import Converter, Directive, Link

logger = logging.getLogger(__name__)

# From the repository, as long as no package index has it.
INSTALL = "%pip install -q git+{} {}"
# torch.compile forgets before each cell what it compiled, as in the book.
LOAD = "%load_ext jaxvstorch.notebook"
# In a page's front matter: what else it imports, for its notebook to install.
PACKAGES = "packages"
# In the front matter of a page that runs and is no notebook: it is made of cards and hidden cells.
NO_NOTEBOOK = "no-notebook"
_COLAB = "https://colab.research.google.com/github/{name}/blob/notebooks/{page}.ipynb"


def make_notebook(text: str, converter: Converter, install: str) -> nbformat.NotebookNode:
    """A page's source as a notebook, without outputs, and with all its cells.

    Args:
        text: the page, in MyST-NB's Markdown.
        converter: makes its prose plain.
        install: the line that installs what it needs.
    """
    _, _, body = text.split("---\n", 2)  # the front matter is MyST-NB's
    page = jupytext.reads(body, fmt="md:myst")
    cells = [nbformat.v4.new_code_cell(f"{install}\n{LOAD}", id="install")]
    for number, cell in enumerate(page.cells):
        cell["id"] = f"cell-{number}"
        if cell.cell_type == "markdown":
            cell["source"] = converter(cell.source)
        if cell.source:
            cells.append(cell)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    nbformat.validate(notebook)
    return notebook


def page_notebook(app: Sphinx, page: str) -> nbformat.NotebookNode:
    """The notebook of a page that has one, with its cells' outputs in the build.

    Raises:
        LookupError: a directive has no plain form, or the cells are not those that ran.
    """
    source = Path(app.env.doc2path(page)).read_text(encoding="utf-8")
    repository = app.config.html_theme_options["repository_url"]
    install = INSTALL.format(repository, app.env.metadata[page].get(PACKAGES, "")).strip()
    notebook = make_notebook(source, page_converter(app, page), install)
    add_outputs(app, page, notebook)
    return notebook


def write_notebook(app: Sphinx, page: str, *_: Any) -> None:
    """Write one page's notebook, when its HTML is written."""
    if not is_notebook(app, page):
        return
    try:
        notebook = page_notebook(app, page)
    except LookupError as error:
        logger.warning(str(error), location=page)
        return
    notebook.cells = [cell for cell in notebook.cells if not proves(cell)]
    path = Path(app.outdir, "notebooks", f"{page}.ipynb")
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def add_links(app: Sphinx, document: nodes.document) -> None:
    """Put links to the notebook under the title of a page that has one."""
    page = app.env.docname
    title = next(document.findall(nodes.title), None)
    if title is None or not is_notebook(app, page):
        return
    name = app.config.html_theme_options["repository_url"].removeprefix("https://github.com/")
    up = "../" * page.count("/")
    colab = _COLAB.format(name=name, page=page)
    links = ((f"{up}notebooks/{page}.ipynb", "notebook"), (colab, "open in Colab"))
    linked = " · ".join(f'<a class="reference external" href="{url}">{t}</a>' for url, t in links)
    # As HTML it is no part of the description that search engines and previews of a link show.
    markdown = f'<a class="reference external" href="{posixpath.basename(page)}.md">Markdown</a>'
    shown = f'<p class="notebook-links">Run it yourself: {linked}. As text: {markdown}.</p>'
    line = nodes.raw("", shown, format="html")
    title.parent.insert(title.parent.index(title) + 1, line)


def page_converter(app: Sphinx, page: str) -> Converter:
    """What makes the prose of one page plain; it needs every page to have been read."""
    site = app.config.html_baseurl
    folder = posixpath.dirname(page)

    def page_url(path: str) -> str:
        return f"{site}{posixpath.normpath(posixpath.join(folder, path))}.html"

    def diagram(directive: Directive) -> str:
        image = f"{site}_static/{directive.argument}.svg"
        return f"![{title(directive.argument)}]({image})\n\n{convert(directive.body)}\n"

    def results(directive: Directive) -> str:
        return f"Measured times: [on this page of the book]({site}{page}.html).\n"

    def answer(directive: Directive) -> str:
        folded = f"<details><summary>Show answer</summary>\n\n{convert(directive.body)}\n\n"
        return f"{folded}</details>\n"

    directives = {
        "answer": answer,
        "cost": results,
        "diagram": diagram,
        "errors": lambda _: errors.markdown(site),
        "names": lambda _: names.markdown(site),
        "names-kinds": lambda _: "".join(f"- {kind}\n" for kind in names.explained_kinds()),
        "names-counted": lambda _: f"{names.counted()}\n",
        "libraries": lambda directive: f"{libraries.markdown(*directive.argument.split())}\n",
        "port-programs": lambda _: f"{port_programs.markdown()}\n",
        "pair": _pair,
        "definitions": lambda directive: definitions.plain(directive.argument),
        "results": results,
        "results-by-topic": results,
        "results-of": results,
    }
    convert = Converter(directives, partial(_resolve, app, page), page_url)
    return convert


def is_notebook(app: Sphinx, page: str) -> bool:
    """Whether a page has a notebook."""
    metadata = app.env.metadata.get(page, {})
    return "kernelspec" in metadata and NO_NOTEBOOK not in metadata


def proves(cell: nbformat.NotebookNode) -> bool:
    """Whether a cell only proves a sentence; one that later cells build on is tagged so too."""
    tags = cell.metadata.get("tags", ())
    return "checked" in tags and "needed" not in tags


def _pair(directive: Directive) -> str:
    topic, _, name = directive.argument.partition(".")
    helpers = tuple(directive.options.get("with", "").replace(",", " ").split())
    blocks = [
        f"**{half.title}**\n\n```python\n{half.source}\n```"
        for half in halves(topic, name, helpers)
    ]
    return "\n\n".join(blocks) + "\n"


def _resolve(app: Sphinx, page: str, role: str, content: str) -> Link:
    """A role's text and target, if the book knows one."""
    text, _, target = content.removesuffix(">").rpartition("<")
    target, text = target.strip(), text.strip()
    kind, site = role.rpartition(":")[2], app.config.html_baseurl
    std = app.env.domains.standard_domain
    if kind == "term":
        page, anchor = std.data["terms"][target.lower()]
        return Link(text or target, f"{site}{page}.html#{anchor}")
    if kind == "ref":
        page, anchor, title = std.labels[target]
        return Link(text or title, f"{site}{page}.html#{anchor}")
    if kind == "doc":
        other_page, _ = app.env.relfn2path(target, page)
        return Link(text or app.env.titles[other_page].astext(), f"{site}{other_page}.html")
    if kind == "measured":
        return Link(lookup.number(cost.published(app.env), content), None)
    if kind == "math":
        return Link(f"${content}$", None)
    short = target.startswith("~")
    target = target.lstrip("~.")
    name = text or (target.rpartition(".")[2] if short else target)
    return Link(f"`{name}`", _api_url(app, target))


def _api_url(app: Sphinx, target: str) -> str | None:
    """The address of a name's documentation: the frameworks', Python's or this package's."""
    documented = app.env.domains.python_domain.objects.get(target)
    if documented is not None:
        return f"{app.config.html_baseurl}{documented.docname}.html#{documented.node_id}"
    for inventory in InventoryAdapter(app.env).main_inventory.values():
        if target in inventory:
            return str(inventory[target].uri)
    return None


def setup(app: Sphinx) -> dict[str, bool]:
    """Hook into Sphinx: links when a page is read, the notebook when it is written."""
    app.connect("doctree-read", add_links)
    app.connect("doctree-read", keep_outputs)
    app.connect("html-page-context", write_notebook)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
