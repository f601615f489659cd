"""A report as HTML, both sides beside each other: for a notebook, and as a page of its own."""

import math
from html import escape
from importlib.resources import files

from jaxvstorch._diff.difference import Diff, Difference, Place
from jaxvstorch._diff.rendering.text import (
    about_place,
    findings,
    located,
    other_lines,
    summary,
    verdict,
)
from jaxvstorch._explain.rendering.html_page import FRAGMENT_STYLE, MADE, whole_page
from jaxvstorch._frameworks import TITLES

_STYLE = files(__package__).joinpath("diff.css").read_text("utf-8")


def fragment(report: Diff) -> str:
    """HTML for a place in a page, with the style that it needs."""
    return f"<style>{FRAGMENT_STYLE}{_STYLE}</style>{_body(report)}"


def page(report: Diff, names: tuple[str, str]) -> str:
    """A whole page that needs no other file and no JavaScript.

    Args:
        report: what it shows.
        names: of both sides, for the title.
    """
    first, second = map(escape, names)
    title = f'<h1 class="title"><code>{first}</code> and <code>{second}</code></h1>'
    return whole_page(f"{first} and {second}, compared", _body(report, title, MADE), _STYLE)


def _body(report: Diff, above: str = "", below: str = "") -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in summary(report))
    differences = "".join(map(_difference, report.differences))
    kind = "same" if report.same else "different"
    return (
        '<div class="jaxvstorch-explain diff" role="group" aria-label="Two implementations">'
        f'{above}<p class="verdict {kind}">{escape(verdict(report))}</p>'
        f'<ul class="summary">{items}</ul>{_curve(report)}<ol>{differences}</ol>{below}</div>'
    )


def _curve(report: Diff) -> str:
    """How roundings grow with depth, where they do: a drawing of the sentence in the summary."""
    if len(report.growth) < 2:
        return ""
    heights = [math.log10(point.roundings) for point in report.growth]
    top = max(heights)
    points = " ".join(
        f"{10 + 280 * point.depth:.0f},{50 - 40 * height / top:.0f}"
        for point, height in zip(report.growth, heights, strict=True)
    )
    return (
        '<svg class="growth" viewBox="0 0 300 60" role="img" aria-label="Roundings by depth">'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="2"/></svg>'
        '<p class="growth">Roundings by depth, from the inputs on the left; logarithmic</p>'
    )


def _difference(difference: Difference) -> str:
    sides = "".join(map(_side, difference.places))
    rows = "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in findings(difference))
    return f'<li><div class="sides">{sides}</div><dl>{rows}</dl></li>\n'


def _side(place: Place) -> str:
    framework = next(name for name, title in TITLES.items() if place.side.startswith(title))
    where = f"<code>{escape(located(place.line))}</code>" if place.line else "no line of yours"
    parts = [f'<p class="where"><b>{escape(place.side)}</b> {where}</p>']
    if place.line:
        parts.append(f'<pre class="line">{escape(place.line.text)}</pre>')
    for what, line in other_lines(place):
        parts.append(f"<p>{what} <code>{escape(located(line))}</code></p>")
        parts.append(f'<pre class="line">{escape(line.text)}</pre>')
    if about := about_place(place):
        parts.append(f"<p>{escape(about)}</p>")
    operations = escape(" → ".join(place.operations))
    parts.append(f"<p><code>{operations}</code></p><p><code>{escape(place.numbers)}</code></p>")
    return f'<div data-framework="{framework}">{"".join(parts)}</div>'
