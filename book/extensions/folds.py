"""What opens by a click: the cell that proves a sentence, and the answer to an exercise.

A cell tagged ``checked`` proves the sentence above it. It folds behind a small mark at the end of
that sentence. ``{answer}`` holds the prose of an answer; the cells tagged ``answer`` that follow go
into the same fold.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)

_SUMMARY = {"answer": "Show answer", "checked": '<span aria-hidden="true">✓ </span>checked'}


class fold(nodes.General, nodes.Element):  # noqa: N801  docutils names its nodes so
    """HTML's ``details``; other formats show its content."""


class AnswerDirective(SphinxDirective):
    """The answer to an exercise."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Its prose; ``fold_cells`` adds the cells."""
        return [fold("", *self.parse_content_to_nodes(), kind="answer")]


def tagged(document: nodes.document, *tags: str) -> list[nodes.container]:
    """The page's cells that have one of the tags, in order."""
    classes = {f"tag_{tag}" for tag in tags}
    cells = [node for node in document.findall(nodes.container) if "cell" in node["classes"]]
    return [cell for cell in cells if classes & {*cell["classes"]}]


def fold_cells(app: Sphinx, document: nodes.document) -> None:
    """Put a page's cells into their folds."""
    for cell in tagged(document, "answer"):
        before = _before(cell)
        if not isinstance(before, fold):
            logger.warning("a cell tagged `answer` follows its {answer}", location=cell)
            continue
        cell.parent.remove(cell)
        before += cell
    for cell in tagged(document, "checked"):
        _check(cell)


def _before(node: nodes.Element) -> nodes.Node | None:
    position = node.parent.index(node)
    return node.parent[position - 1] if position else None


def _check(cell: nodes.container) -> None:
    """Fold a cell. After a paragraph the mark ends the paragraph's last line."""
    before, parent = _before(cell), cell.parent
    mark = fold("", kind="checked", classes=["no-search"])
    parent.replace(cell, mark)
    mark += cell
    if isinstance(before, nodes.paragraph):
        claim = nodes.container(classes=["claim"])
        parent.replace(before, claim)
        parent.remove(mark)
        claim += [before, mark]


def _visit(writer: Any, node: fold) -> None:
    kind = node["kind"]
    writer.body.append(f'<details class="fold {kind}"><summary>{_SUMMARY[kind]}</summary>')
    writer.body.append('<div class="folded">')


def _depart(writer: Any, node: fold) -> None:
    writer.body.append("</div></details>\n")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the node, the directive, and the step that folds a page's cells."""
    app.add_node(fold, html=(_visit, _depart))
    app.add_directive("answer", AnswerDirective)
    app.connect("doctree-read", fold_cells, priority=410)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
