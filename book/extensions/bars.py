"""Bars with their numbers, as HTML that a style sheet lays out to fill its box.

The letters are the page's, also on a phone, and the colours are the frameworks'.
"""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple


class Bar(NamedTuple):
    """One bar.

    Attributes:
        label: before it.
        framework: whose colour it has.
        value: its length.
        text: its number with a unit.
        group: the text before its label, if it is the first of several.
        pale: whether it is the second of two.
    """

    label: str
    framework: str
    value: float
    text: str
    group: str = ""
    pale: bool = False


def panel(title: str, bars: Sequence[Bar]) -> str:
    """Bars on one scale, from zero."""
    longest = max(bar.value for bar in bars)
    rows = "".join(_row(bar, longest) for bar in bars)
    alternative = "; ".join(f"{bar.group} {bar.label}: {bar.text}".strip() for bar in bars)
    label = escape(f"{title}. {alternative}" if title else alternative)
    head = f'<p class="bars-title">{escape(title)}</p>' if title else ""
    return f'<div class="bars" role="img" aria-label="{label}">{head}{rows}</div>'


def _row(bar: Bar, longest: float) -> str:
    length = max(0.5, 100 * bar.value / longest)
    return (
        f'<span class="group {bar.framework}">{escape(bar.group)}</span>'
        f"<code>{escape(bar.label)}</code>"
        f'<span class="track"><i class="{bar.framework}{" pale" if bar.pale else ""}" '
        f'style="width:{length:.1f}%"></i></span><span class="number">{escape(bar.text)}</span>'
    )


def figure(panels: Sequence[str], caption: str) -> str:
    """Panels, beside each other if there is room, and a caption."""
    return (
        f'<figure class="bar-panels"><div class="panels">{"".join(panels)}</div>'
        f"<figcaption><p>{caption}</p></figcaption></figure>"
    )
