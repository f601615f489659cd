"""Pages as plain Markdown beside their HTML, ``llms.txt``, which lists them, and all in one file.

A program that reads, such as a coding assistant, gets a page's text, code and outputs, without the
cells that prove a sentence: the notebook has them. The front page and the API have no such file:
``llms.txt`` replaces the first, and the package's docstrings the second.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from nbformat import NotebookNode
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging

from extensions.errors import FOLDER
from extensions.notebooks import is_notebook, page_converter, page_notebook

logger = logging.getLogger(__name__)

HIDDEN = {"checked", "remove-cell"}
NO_MARKDOWN = ("index", "reference/api")
_ANSI = re.compile(r"\x1b\[[\d;]*m")


def write_page(app: Sphinx, page: str, _: str, context: dict[str, Any], *__: Any) -> None:
    """Write one page's Markdown when its HTML is written, and link to it there."""
    if page not in app.env.found_docs or page in NO_MARKDOWN:
        return
    try:
        text = _markdown(app, page)
    except LookupError as error:
        logger.warning(str(error), location=page)
        return
    path = Path(app.outdir, f"{page}.md")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_linked(app, text), encoding="utf-8")
    link = f'<link rel="alternate" type="text/markdown" href="{posixpath.basename(page)}.md" />'
    context["metatags"] = f"{context.get('metatags', '')}\n{link}"


def write_list(app: Sphinx, error: Exception | None) -> None:
    """Write ``llms.txt``, and ``llms-full.txt`` with every page in it, when all are written.

    https://llmstxt.org says what they hold.
    """
    if error is not None or app.builder.format != "html":
        return
    head = [f"# {app.config.project}", "", f"> {_SUMMARY}", ""]
    lines, texts = [*head, _HOW_TO_USE, ""], ["\n".join(head)]
    parts = [
        (toctree.get("caption") or "The book", [page for _, page in toctree["entries"]])
        for toctree in app.env.get_doctree("index").findall(addnodes.toctree)
    ]
    of_errors = sorted(page for page in app.env.found_docs if page.startswith(f"{FOLDER}/"))
    for caption, pages in [*parts, ("Error messages", of_errors)]:
        lines += [f"## {caption}", ""]
        for page in pages:
            if page in app.env.found_docs and page not in NO_MARKDOWN:
                lines.append(_entry(app, page, page not in of_errors))
                written = Path(app.outdir, f"{page}.md")
                texts.append(written.read_text(encoding="utf-8") if written.exists() else "")
        lines.append("")
    lines += ["## Names of PyTorch and JAX", "", f"- {_names(app.config.html_baseurl)}", ""]
    Path(app.outdir, "llms-full.txt").write_text("\n".join(texts), encoding="utf-8")
    Path(app.outdir, "llms.txt").write_text("\n".join(lines), encoding="utf-8")


def _names(site: str) -> str:
    return (
        f"[The map of names]({site}names.md) has a line for each name, with a link to its page; "
        f"[names.json]({site}names.json) has all that is known of each, by its "
        f"[schema]({site}names.schema.json). The page of one name is at "
        f"{site}names/torch.gather.html."
    )


def cells_as_markdown(notebook: NotebookNode) -> str:
    """A notebook's text, code and output, without what is hidden on the page."""
    parts = []
    for cell in notebook.cells:
        tags = set(cell.metadata.get("tags", ()))
        if cell.cell_type == "markdown":
            parts.append(cell.source)
        elif not (tags & HIDDEN or cell.get("id") == "install"):
            if "remove-input" not in tags:
                parts.append(_fenced("python", cell.source))
            parts += filter(None, map(_output, cell.outputs))
    return "\n\n".join(parts) + "\n"


def _output(output: NotebookNode) -> str:
    if output.output_type == "stream":
        return _fenced("text", output.text)
    if output.output_type == "error":
        return _fenced("text", f"{output.ename}: {output.evalue}")
    data = output.data
    if "text/markdown" in data:
        return str(data["text/markdown"])
    if "image/svg+xml" in data or str(data.get("text/plain", "")).startswith("<"):
        return ""  # a drawing: the text around it says what it shows
    return _fenced("text", data["text/plain"])


def _fenced(language: str, text: str) -> str:
    text = _ANSI.sub("", text).strip("\n")
    fence = "````" if "```" in text else "```"
    return f"{fence}{language}\n{text}\n{fence}"


def _markdown(app: Sphinx, page: str) -> str:
    if is_notebook(app, page):
        return cells_as_markdown(page_notebook(app, page))
    source = Path(app.env.doc2path(page)).read_text(encoding="utf-8")
    body = source.split("---\n", 2)[2] if source.startswith("---\n") else source
    return page_converter(app, page)(body) + "\n"


def _linked(app: Sphinx, text: str) -> str:
    """The text, whose links into the book lead to Markdown."""

    def markdown(match: re.Match[str]) -> str:
        page = match["page"]
        known = page in app.env.found_docs and page not in NO_MARKDOWN
        return f"{match['site']}{page}.md" if known else match[0]

    site = re.escape(app.config.html_baseurl)
    return re.sub(rf"(?P<site>{site})(?P<page>[\w/-]+)\.html(#[\w-]+)?", markdown, text)


def _entry(app: Sphinx, page: str, is_described: bool) -> str:
    title = app.env.titles[page].astext()
    link = f"- [{title}]({app.config.html_baseurl}{page}.md)"
    if not is_described:
        return link
    description = app.env.metadata[page].get("description")
    description = description or _first_paragraph(app.env.get_doctree(page))
    return f"{link}: {description}"


def _first_paragraph(document: nodes.document) -> str:
    paragraph = next(document.findall(nodes.paragraph), None)
    return " ".join(paragraph.astext().split()) if paragraph is not None else ""


_SUMMARY = (
    "JAX and PyTorch side by side: the same functions in both, run, tested against NumPy and "
    "timed. What a function becomes under jax.jit and under torch.compile, and how to write it in "
    "either."
)
_HOW_TO_USE = (
    "Each page below is Markdown: its text, its code, and what that printed when the book was "
    "built. The HTML page has .html in place of .md, and llms-full.txt has all pages in one file. "
    "Every function that a page shows is in the package, which `pip install .` installs from a "
    "clone: under one name in `jaxvstorch.examples.TOPIC.jax` and in "
    "`jaxvstorch.examples.TOPIC.torch`."
)


def setup(app: Sphinx) -> dict[str, bool]:
    """Hook into Sphinx: a page when its HTML is written, the list when all are."""
    app.connect("html-page-context", write_page)
    app.connect("build-finished", write_list)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
