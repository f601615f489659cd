"""A small page for each name of the map, ``names.json`` with all of them, and their labels.

The pages are no documents of Sphinx: thousands would make each build read and write for minutes. A
template of their own writes them. A name that is the same object as another leads to that one's
page. Each name is a label in the book's inventory, so that other projects' documentation can refer
to it: ``:external+jaxvstorch:ref:`torch.gather```.
"""

import json
import re
from dataclasses import asdict
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.display import progress_message

import jaxvstorch
from extensions import name_body
from jaxvstorch._frameworks import TITLES
from jaxvstorch._port.map.entry import VERSION, entry_of
from jaxvstorch._port.map.rows import jax_rows, rows
from jaxvstorch._port.map.verdict import verdicts

FOLDER = "names"


@cache
def _pages() -> dict[str, str]:
    """The page of each name; on some disks, names that differ in case alone are one file."""
    taken: set[str] = set()
    pages = {}
    for name in (*rows(), *jax_rows()):
        page = re.sub(r"[^\w.@-]", "-", name)
        page += "-2" * (page.lower() in taken)
        taken.add(page.lower())
        pages[name] = f"{FOLDER}/{page}"
    return pages


def address(name: str) -> str:
    """The address of a name's page, from the book's root."""
    return f"{_pages()[name]}.html"


def write_pages(app: Sphinx) -> list[Any]:
    """Write each page, and add it to the sitemap.

    Sphinx could write them, but the theme renders its sidebars for every page, also where the
    page's template has none: a tenth of a second each.
    """
    with progress_message("writing the pages of names"):
        Path(app.outdir, FOLDER).mkdir(exist_ok=True)
        for row in (*rows().values(), *jax_rows().values()):
            entry = entry_of(row)
            other = TITLES["jax" if entry.framework == "torch" else "torch"]
            context = {
                "site": app.config.html_baseurl,
                "page": address(entry.name),
                "title": f"{entry.name} in {other}",
                "described": name_body.summary(entry),
                "same_as": address(entry.form_of) if entry.is_alias and entry.form_of else "",
                "content": name_body.html(entry, _link),
            }
            html = app.builder.templates.render("name.html", context)
            Path(app.outdir, address(entry.name)).write_text(html, encoding="utf-8")
            app.sitemap_links.put((address(entry.name), None))  # type: ignore[attr-defined]
    return []


def _link(name: str) -> str:
    """A name as a link from another name's page."""
    code = f"<code>{escape(name)}</code>"
    known = name in rows() or name in jax_rows()
    page = address(name).removeprefix(f"{FOLDER}/") if known else ""
    return f'<a href="{page}">{code}</a>' if known else code


def write_json(app: Sphinx, error: Exception | None) -> None:
    """Write all names for programs that read, and the schema of that file."""
    if error is not None or app.builder.format != "html":
        return
    entries = [asdict(entry_of(row)) for row in (*rows().values(), *jax_rows().values())]
    document = {
        "schema": {"name": "jaxvstorch-map", "version": VERSION},
        "versions": verdicts().versions,
        "names": entries,
    }
    Path(app.outdir, "names.json").write_text(json.dumps(document), encoding="utf-8")
    schema = Path(jaxvstorch.__file__).with_name("schemas") / "map.json"
    Path(app.outdir, "names.schema.json").write_text(schema.read_text(encoding="utf-8"))


def add_labels(app: Sphinx) -> None:
    """Make each name a label."""
    labels = app.env.domains.standard_domain.labels
    for name, page in _pages().items():
        labels[name] = (page, "", name)


def setup(app: Sphinx) -> dict[str, bool]:
    """Hook into Sphinx when the other pages are written."""
    app.connect("builder-inited", add_labels)
    app.connect("html-collect-pages", write_pages)
    app.connect("build-finished", write_json)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
