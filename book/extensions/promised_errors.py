"""Errors that a page promises: a cell tagged ``raises-exception`` and with the error's name.

The page shows the error's message without the traceback. If the cell raised no error, or another
one, the build warns, and so fails.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from extensions.folds import tagged
from jaxvstorch._messages import tidy

logger = logging.getLogger(__name__)

LENGTH = 440  # characters of a message that are shown, cut at the end of a line
_TAG = re.compile(r"tag_([A-Z]\w*)")


def shorten(app: Sphinx, document: nodes.document) -> None:
    """Reduce each traceback of a page that ran to its message."""
    if app.env.nb_metadata[app.env.docname].get("exec_data") is None:  # type: ignore[attr-defined]
        return
    for cell in tagged(document, "raises-exception"):
        promised = [match[1] for name in cell["classes"] if (match := _TAG.fullmatch(name))]
        blocks = [n for n in cell.findall(nodes.literal_block) if "traceback" in n["classes"]]
        if len(promised) != 1:
            logger.warning(f"one error is promised by its name, not {promised}", location=cell)
        elif not blocks:
            logger.warning(f"{promised[0]} was promised, and nothing was raised", location=cell)
        else:
            _shorten(blocks[0], promised[0])


def _shorten(block: nodes.literal_block, promised: str) -> None:
    _, separator, message = block.astext().rpartition(f"\n{promised}: ")
    if not separator:
        last = block.astext().rpartition("\n")[2]
        logger.warning(f"{promised} was promised, and not: {last}", location=block)
        return
    text = message_alone(promised, message)
    block.children = [nodes.Text(text)]
    block.rawsource, block["language"] = text, "text"


def message_alone(error: str, message: str) -> str:
    """What a page shows of an error: its name and the first lines of its message."""
    return f"{error}: {shown(tidy(message))}".removesuffix(": ")


def shown(message: str) -> str:
    """The first lines of a message, and how many more there are."""
    lines = message.strip().splitlines() or [""]
    kept = 1
    while kept < len(lines) and len("\n".join(lines[: kept + 1])) <= LENGTH:
        kept += 1
    more = len(lines) - kept
    rest = [f"… ({more} more line{'s' * (more > 1)})"] if more else []
    return "\n".join([*lines[:kept], *rest])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the step before a page's cells are moved."""
    app.connect("doctree-read", shorten, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
