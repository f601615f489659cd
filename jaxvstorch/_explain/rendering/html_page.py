"""What every web page of an explanation has: its style, its frame, and its maker."""

from html import escape
from importlib.resources import files

import jaxvstorch
from jaxvstorch._explain.rendering import layout
from jaxvstorch._frameworks import proven

FRAGMENT_STYLE = files(__package__).joinpath("html.css").read_text("utf-8")
_PAGE_STYLE = files(__package__).joinpath("html_page.css").read_text("utf-8")
MADE = (
    f'<p class="made">Made by <a href="{layout.BOOK}">jaxvstorch</a> {jaxvstorch.__version__}</p>'
)


def version_notes(*frameworks: str) -> str:
    """Notes on frameworks that are newer than the versions tested."""
    return "".join(f'<p class="newer">{escape(note)}</p>' for note in proven.notes(*frameworks))


def whole_page(title: str, body: str, style: str = "") -> str:
    """A whole page around a body.

    Args:
        title: the page's title, as HTML.
        body: the page's content, as HTML.
        style: more CSS rules that it needs.
    """
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n"
        f"<style>{FRAGMENT_STYLE}\n{style}{_PAGE_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"{body}\n</main>\n</body>\n</html>\n"
    )
