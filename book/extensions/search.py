"""The search: Pagefind's index of the built pages, and each name of the map as a result of its own.

Each entry of the index of errors is a result, too. Only its message and its reason are indexed, and
they weigh less than a page's text: otherwise hundreds of short pages would hide the others.

A page's front matter may list ``keywords``: what people type who want it. Cells that prove a
sentence are left out. Where a browser may not load the index, as from a file on disk, ``search.js``
falls back to Sphinx's own search.
"""

import asyncio
import re
import shutil
import tempfile
from html import escape
from pathlib import Path

from pagefind.index import IndexConfig
from pagefind.service import PagefindService
from sphinx.application import Sphinx

from extensions.errors import FOLDER
from extensions.name_pages import address
from extensions.names import entries as names
from jaxvstorch._errors.entry import entries
from jaxvstorch._frameworks.limits import HANGING

_QUIET = 2  # seconds in which no file grows once all are written
# Pagefind knows a section by an id of its heading, and Sphinx gives it to the section.
_HEADING = re.compile(r'<section id="([^"]+)">((?:\s|<span id="[^"]*"></span>)*)<h([2-4])>')
_ARTICLE = '<article class="bd-article">'
_LEFT_OUT = (".fold.checked", ".notebook-links", ".headerlink", ".name", "script", "style", "svg")
# A page that only the index has; search.js leads to its address.
_NAME = """\
<html lang="en"><body>{article}<p data-pagefind-meta="name">{name}</p>
<p data-pagefind-weight="0.5">{text}</p>
<p data-pagefind-ignore data-pagefind-meta="address">{path}</p></article></body></html>
"""
_ERROR = """\
<html lang="en"><body>{article}<p data-pagefind-meta="name" data-pagefind-weight="1">{title}</p>
<p data-pagefind-weight="0.2">{text}</p>
<p data-pagefind-ignore data-pagefind-meta="address">{path}.html</p></article></body></html>
"""


def write_index(app: Sphinx, error: Exception | None) -> None:
    """Write the index when all pages are written."""
    if error is None and app.builder.format == "html":
        # One folder and one question: Pagefind takes a tenth of a second to answer each.
        with tempfile.TemporaryDirectory() as folder:
            _copy(app, Path(folder))
            asyncio.run(_write(folder, Path(app.outdir, "pagefind")))


def _copy(app: Sphinx, folder: Path) -> None:
    for page in app.env.found_docs:
        if page.startswith(f"{FOLDER}/"):
            continue
        html = Path(app.outdir, f"{page}.html").read_text(encoding="utf-8")
        path = folder / f"{page}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        keywords = escape(app.env.metadata[page].get("keywords", ""))
        known = (
            f'{_ARTICLE}<span data-pagefind-meta="keywords[content]" content="{keywords}"></span>'
        )
        html = _HEADING.sub(r'<section>\2<h\3 id="\1">', html)
        path.write_text(html.replace(_ARTICLE, known, 1), encoding="utf-8")
    for number, name in enumerate(names().values()):
        html = _NAME.format(
            article=_ARTICLE,
            name=escape(name.name),
            text=escape(f"{name.name}: {name.counterpart or name.instead} {'; '.join(name.kinds)}"),
            path=address(name.name),
        )
        Path(folder, f"name-{number}.html").write_text(html, encoding="utf-8")
    for number, entry in enumerate(entries().values()):
        html = _ERROR.format(
            article=_ARTICLE,
            title=escape(entry.title),
            text=escape(f"{entry.error} {entry.why}"),
            path=f"{FOLDER}/{entry.path}",
        )
        Path(folder, f"error-{number}.html").write_text(html, encoding="utf-8")


async def _write(folder: str, output: Path) -> None:
    shutil.rmtree(output, ignore_errors=True)
    config = IndexConfig(
        root_selector="article.bd-article",
        exclude_selectors=_LEFT_OUT,
        include_characters="._@",
    )
    async with PagefindService() as service:
        index = await service.create_index(config)
        await index.add_directory(folder)
        await index.write_files(str(output))
        async with asyncio.timeout(HANGING):
            await _settle(output)


async def _settle(output: Path) -> None:
    """Wait until the index is on the disk.

    Pagefind answers before its last files are, and closing it ends it: on a busy machine some were
    empty then, and a search found nothing.
    """
    before: dict[Path, int] = {}
    while True:
        sizes = {path: path.stat().st_size for path in output.rglob("*") if path.is_file()}
        if sizes == before and all(sizes.values()):
            return
        before = sizes
        await asyncio.sleep(_QUIET)


def setup(app: Sphinx) -> dict[str, bool]:
    """Hook into Sphinx when all is written."""
    app.connect("build-finished", write_index)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
