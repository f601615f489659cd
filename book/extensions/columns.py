"""Cells of both frameworks beside each other.

Neighbouring cells tagged ``jax`` and ``torch`` become one set of tabs, like a pair. On a wide page
the style sheet shows both tabs at once, in columns.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_design.shared import create_component

from extensions.folds import tagged
from jaxvstorch._frameworks import FRAMEWORKS, TITLES


def group_in_tabs(app: Sphinx, document: nodes.document) -> None:
    """Replace each run of such cells by tabs."""
    seen: set[int] = set()
    for cell in tagged(document, *FRAMEWORKS):
        if id(cell) not in seen:
            run = _run(cell)
            seen.update(map(id, run))
            _replace(run)


def _run(cell: nodes.container) -> list[nodes.container]:
    """The cell and the neighbours below it that are for one framework too."""
    run = []
    for node in cell.parent[cell.parent.index(cell) :]:
        if not isinstance(node, nodes.container) or _framework(node) is None:
            break
        run.append(node)
    return run


def _framework(node: nodes.container) -> str | None:
    return next((name for name in FRAMEWORKS if f"tag_{name}" in node["classes"]), None)


def _replace(run: list[nodes.container]) -> None:
    tabs = create_component("tab-set", classes=["sd-tab-set", "pair", "cells"])
    parent, start = run[0].parent, run[0].parent.index(run[0])
    for framework in FRAMEWORKS:
        if cells := [cell for cell in run if _framework(cell) == framework]:
            tabs += _tab(framework, cells)
    parent[start : start + len(run)] = [tabs]


def _tab(framework: str, cells: list[nodes.container]) -> nodes.container:
    title = TITLES[framework]
    label = nodes.rubric(title, nodes.Text(title), classes=["sd-tab-label"])
    label["sync_id"], label["sync_group"] = framework, "framework"
    content = create_component("tab-content", classes=["sd-tab-content"], children=cells)
    return create_component("tab-item", classes=["sd-tab-item"], children=[label, content])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the step after a page's cells are folded."""
    app.connect("doctree-read", group_in_tabs, priority=420)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
