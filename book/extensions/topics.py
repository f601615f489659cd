"""The directive ``{topics} part``: one part of the book in the navigation, its topics in order.

A topic's ``pairs.py`` says which part it belongs to, and its position there. Its further pages,
``TOPIC-NAME.md``, follow its first. Sphinx warns of a topic without a page, and of a page that is
in no part.
"""

from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from jaxvstorch._pairs.registry import position, topics


class TopicsDirective(SphinxDirective):
    """Lists the pages of a part's topics."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"caption": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """A table of contents that only the navigation shows."""
        self.env.note_reread()  # a new topic changes no file that this page could depend on
        part = int(self.arguments[0])
        pages = [
            page for topic in topics() if position(topic)[0] == part for page in self._pages(topic)
        ]
        caption = f":caption: {self.options['caption']}"
        lines = ["```{toctree}", ":hidden:", caption, "", *pages, "```"]
        return self.parse_text_to_nodes("\n".join(lines))

    def _pages(self, topic: str) -> list[str]:
        page = f"topics/{topic}"
        return [page, *sorted(p for p in self.env.found_docs if p.startswith(f"{page}-"))]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("topics", TopicsDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
