"""The directive ``{diagram} name``: a drawing of ``figures/`` inside the page itself.

Inside the page an SVG takes the page's colours, light or dark, which a linked image cannot. Its
text alternative is the drawing's own ``<title>`` and ``<desc>``; its caption is the directive's
body. Where there is a ``NAME-narrow.svg`` too, a narrow page shows that one.
"""

from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FIGURES = Path(__file__).parent.parent / "figures"


def title(name: str) -> str:
    """A drawing's own title."""
    root = ElementTree.parse(FIGURES / f"{name}.svg").getroot()
    return root.findtext("{http://www.w3.org/2000/svg}title", "")


def _drawing(path: Path, shape: str) -> nodes.Node:
    text = f'<div class="{shape}">{path.read_text(encoding="utf-8")}</div>'
    return nodes.raw("", text, format="html")


class DiagramDirective(SphinxDirective):
    """Shows ``figures/NAME.svg``."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """A figure that holds the drawing and its caption."""
        path = FIGURES / f"{self.arguments[0]}.svg"
        if not path.exists():
            known = ", ".join(sorted(drawing.stem for drawing in FIGURES.glob("*.svg")))
            raise self.error(f"there is no drawing {self.arguments[0]}; there are {known}")
        self.env.note_dependency(str(path))
        figure = nodes.figure(classes=["diagram"])
        narrow = path.with_name(f"{path.stem}-narrow.svg")
        if narrow.exists():
            self.env.note_dependency(str(narrow))
            figure["classes"].append("two-shapes")
            figure += [_drawing(path, "wide"), _drawing(narrow, "narrow")]
        else:
            figure += _drawing(path, "only")
        caption = nodes.caption()
        for paragraph in self.parse_content_to_nodes():
            caption += paragraph.children
        figure += caption
        return [figure]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("diagram", DiagramDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
