"""Explanations on a page of the book."""

from types import SimpleNamespace

from extensions import explanations
from sphinx.util.osutil import relative_uri

from jaxvstorch._explain.rendering.html_page import FRAGMENT_STYLE
from jaxvstorch._explain.rendering.layout import BOOK

LINK = f' <a href="{BOOK}topics/purity.html">In the book: purity</a>'
BUILT = ["explain", "topics/purity", "topics/tracing"]


def adapted(page: str, body: str) -> str:
    """The body of a page of a book that has a few pages."""
    builder = SimpleNamespace(get_relative_uri=lambda here, to: relative_uri(here, f"{to}.html"))
    app = SimpleNamespace(builder=builder, env=SimpleNamespace(found_docs=BUILT))
    context = {"body": body}
    explanations.adapt(app, page, "page.html", context, None)
    return context["body"]


def test_its_links_lead_into_this_build():
    assert adapted("explain", LINK) == ' <a href="topics/purity.html">In the book: purity</a>'
    assert adapted("topics/tracing", LINK) == ' <a href="purity.html">In the book: purity</a>'


def test_it_does_not_link_to_its_own_page():
    assert adapted("topics/purity", f"a cure{LINK}.") == "a cure."


def test_a_link_to_a_page_that_does_not_exist_is_a_warning(monkeypatch):
    warnings: list[str] = []
    logger = SimpleNamespace(warning=lambda text, location: warnings.append(f"{location}: {text}"))
    monkeypatch.setattr(explanations, "logger", logger)
    adapted("explain", LINK.replace("purity.html", "prurity.html"))
    assert warnings == ["explain: explain names the page topics/prurity, which does not exist"]


def test_a_page_has_its_style_once():
    style = f"<style>{FRAGMENT_STYLE}</style>"
    assert adapted("explain", f"{style}<div>a</div>{style}<div>b</div>") == (
        f"{style}<div>a</div><div>b</div>"
    )


def test_a_ledger_shows_no_time_of_this_build():
    rows = '<td data-column="traces">1</td><td data-column="time">41.5\u00a0ms</td>'
    assert (
        adapted("explain", rows) == '<td data-column="traces">1</td><td data-column="time">…</td>'
    )
