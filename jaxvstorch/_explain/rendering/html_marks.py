"""One line's mark as HTML: its sign, its words, and the classes that give it pattern and colour."""

from html import escape

from jaxvstorch._explain.marks import Line, Mark
from jaxvstorch._explain.rendering import signs

# A mark of up to two lines stands in its column, which is this many characters wide, or on a phone
# as many as html.css says; a longer one stands above its line of code, across the page.
WIDEST, _WIDEST_ON_PHONE = 16, 7


def mark_html(line: Line) -> str:
    """The sign to see, and the words for screen readers and for a mouse that hovers over it."""
    if not line.mark:
        return ""
    words = escape(signs.words(line))
    return (
        f'<span class="sign"{_long(line)} aria-hidden="true" title="{words}">'
        f'{escape(signs.sign(line))}</span><span class="sr">{words}</span>'
    )


def above(line: Line) -> str:
    """A mark too long for its column, once more: the style shows one of the two."""
    long, sign = _long(line), escape(signs.sign(line))
    return f'<span class="above"{long} aria-hidden="true">{sign}</span>' if long else ""


def _long(line: Line) -> str:
    """Where a mark is too long for its column, for the style: on a phone, or everywhere."""
    length = len(signs.sign(line))
    if length > 2 * WIDEST:
        return ' data-long="everywhere"'
    return ' data-long="phone"' if length > 2 * _WIDEST_ON_PHONE else ""


def classes(line: Line) -> str:
    """The classes that choose a line's pattern and colour."""
    if line.mark is not Mark.GRAPH:
        return f"m-{line.mark.replace(' ', '-')}" if line.mark else ""
    # Programs alternate between a single band and a double one.
    program = next(iter(line.operations), "A").partition(":")[0]
    return "m-graph" if ord(program[-1]) % 2 else "m-graph-even"
