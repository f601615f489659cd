"""The search: Pagefind's index of the built pages, and each name of the map as a result of its own.

A page's front matter may list ``keywords``: what people type who want it. Cells that prove a
sentence are left out. Where a browser may not load the index, as from a file on disk, ``search.js``
falls back to Sphinx's own search.
"""

import asyncio
from html import escape
from pathlib import Path

from pagefind.index import IndexConfig, PagefindIndex
from sphinx.application import Sphinx

from extensions.names import found_names

_ARTICLE = '<article class="bd-article">'
_LEFT_OUT = (".fold.checked", ".notebook-links", ".headerlink", "script", "style", "svg")


def write_index(app: Sphinx, error: Exception | None) -> None:
    """Write the index when all pages are written."""
    if error is None and app.builder.format == "html":
        asyncio.run(_write(app))


async def _write(app: Sphinx) -> None:
    folder = Path(app.outdir)
    config = IndexConfig(
        root_selector="article.bd-article",
        exclude_selectors=_LEFT_OUT,
        include_characters="._@",
        output_path=str(folder / "pagefind"),
    )
    async with PagefindIndex(config) as index:
        for page in sorted(app.env.found_docs):
            html = (folder / f"{page}.html").read_text(encoding="utf-8")
            await index.add_html_file(content=_with_keywords(app, page, html), url=f"{page}.html")
        for name, text in found_names():
            await index.add_custom_record(
                url=f"names.html#{name}", content=text, language="en", meta={"title": name}
            )


def _with_keywords(app: Sphinx, page: str, html: str) -> str:
    keywords = escape(app.env.metadata[page].get("keywords", ""))
    shown = f'{_ARTICLE}<p data-pagefind-weight="10">{keywords}</p>' if keywords else _ARTICLE
    return html.replace(_ARTICLE, shown, 1)


def setup(app: Sphinx) -> dict[str, bool]:
    """Hook into Sphinx when all is written."""
    app.connect("build-finished", write_index)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
