"""The HTML of an explanation: its content, also for screen readers, and inside other pages."""

import re
from html.parser import HTMLParser
from importlib.metadata import metadata
from pathlib import Path

import pytest
from samples import FILE, OWN, library_source, long_source, of, sample

from jaxvstorch._explain.explanation import Explanation
from jaxvstorch._explain.explanation_data import Finding
from jaxvstorch._explain.ledger_rows import Call, Compilations, Ledger
from jaxvstorch._explain.marks import Line, Mark
from jaxvstorch._explain.rendering import html
from jaxvstorch._explain.rendering.layout import BOOK

STYLE = Path(html.__file__).with_name("html.css").read_text(encoding="utf-8")
_VOID = {"meta", "br", "wbr"}


class Tree(HTMLParser):
    """Elements in order, each as tag, attributes and the text inside it; checks the nesting."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str], list[str]]] = []
        self._open: list[int] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag, attrs) -> None:
        """Note an element."""
        self.elements.append((tag, dict(attrs), []))
        if tag not in _VOID:
            self._open.append(len(self.elements) - 1)

    def handle_endtag(self, tag) -> None:
        """Check that the innermost element ends."""
        assert self.elements[self._open.pop()][0] == tag

    def handle_data(self, data) -> None:
        """Note the text of every element around it."""
        for index in self._open:
            self.elements[index][2].append(data)

    def texts(self, tag: str, **attributes: str) -> list[str]:
        """The texts of the elements with this tag and these attributes, in order."""
        wanted = {name.rstrip("_").replace("_", "-"): v for name, v in attributes.items()}
        return [
            "".join(text)
            for name, has, text in self.elements
            if name == tag and wanted.items() <= has.items()
        ]


def rows(explanation: Explanation) -> dict[str, str]:
    """The text of each row by the number of its line."""
    texts = Tree(html.fragment(explanation)).texts("tr")
    return {match[1]: match[2] for t in texts if (match := re.match(r"(\d+)(.*)", t, re.S))}


@pytest.mark.parametrize(
    ("number", "sign", "words", "css"),
    [
        (9, "A2", "2 operations in program A", "m-graph"),
        (10, "·", "traced, and left nothing in a program", "m-traced"),
        (11, "—", "not reached for these arguments", "m-not-reached"),
        (12, "py", "Python runs it on every call", "m-python"),
        (14, "A100 \N{MULTIPLICATION SIGN}100", "traced 100 times", "m-graph"),
        (15, "B1, 3 in scan body", "1 operation in program B, 3 in its scan body", "m-graph-even"),
        (16, "!!", "it ended here with an error", "m-failed"),
    ],
)
def test_each_mark_is_a_sign_words_and_a_pattern(
    number: int, sign: str, words: str, css: str
) -> None:
    line = next(line for line in OWN if line.number == number)
    tree = Tree(html.fragment(of(line)))
    assert tree.texts("span", class_="sign", aria_hidden="true") == [sign]
    assert words in tree.texts("td", class_="m")[0].removeprefix(sign)
    assert tree.texts("tr", class_=css)[0].startswith(str(number))
    pattern = re.search(rf"\.{css} {{\s*--x-ribbon: ([^;]+);", STYLE)
    assert pattern is not None
    assert "gradient" in pattern[1]


@pytest.mark.parametrize(
    ("operations", "where"),
    [
        ({"A": 2}, None),
        ({"A": 1, "A: scan body": 3}, "phone"),
        ({"A": 1, "A: while body": 3, "A: while condition": 1}, "everywhere"),
    ],
)
def test_a_mark_that_would_wrap_over_several_lines_is_above_its_line(
    operations: dict[str, int], where: str | None
) -> None:
    tree = Tree(html.fragment(of(Line(1, "loop(x)", Mark.GRAPH, operations))))
    (sign,) = tree.texts("span", class_="sign", aria_hidden="true")
    above = tree.texts("span", class_="above", aria_hidden="true")
    assert above == ([sign] if where else [])
    assert len(tree.texts("span", data_long=where or "")) == 2 * len(above)


def test_no_two_marks_have_one_pattern() -> None:
    # Without the colours, of which a print or an eye may have none.
    patterns = re.findall(r"--x-ribbon: ([^;]*gradient[^;]*);", STYLE)
    colourless = {re.sub(r"var\(--x-\w+\)", "c", pattern) for pattern in patterns}
    assert len(colourless) == len(patterns) == 6


def test_rows_have_number_mark_and_source_under_headings() -> None:
    tree = Tree(html.fragment(sample()))
    assert tree.texts("th", scope="col")[:3] == ["line", "became", "source"]
    assert tree.texts("th", scope="row", class_="n")[:3] == ["8", "9", "10"]
    assert [line for line in OWN if line.text not in rows(sample())[str(line.number)]] == []


def test_nothing_in_a_source_a_note_or_a_text_becomes_markup() -> None:
    text = html.page(sample())
    assert "<script" not in text
    assert "<ends>" not in text
    assert "<second>" not in text
    assert "<lambda>" not in text
    assert "print('<script>alert(1)</script>', y)" in rows(sample())["12"]
    hostile = '"><img src=x>&amp;'
    shown = html.page(Explanation(hostile, "jax", (hostile,), (), (), missing=(hostile,)))
    assert "<img" not in shown
    assert Tree(shown).texts("h1") == [f"{hostile} in JAX"]


def test_backquotes_are_code() -> None:
    finding = Finding("impure", FILE, 1, "See `f(<x>)`, or not.")
    line = Line(1, "f(x)", Mark.TRACED, {}, 1)
    tree = Tree(html.fragment(of(line, findings=(finding,))))
    assert "f(<x>)" in tree.texts("code")
    assert tree.texts("ul", class_="notes") == ["impure: See f(<x>), or not."]


def test_several_explanations_may_stand_in_one_page() -> None:
    tree = Tree(html.fragment(sample()) + html.fragment(sample("torch")))
    ids = [has["id"] for _, has, _ in tree.elements if "id" in has]
    assert len(ids) == len(set(ids))


def test_every_rule_of_the_fragment_is_about_the_fragment() -> None:
    css = re.sub(r"/\*.*?\*/", "", STYLE, flags=re.S)
    css = re.sub(r"@media[^{]*{", "", css)
    selectors = [s for group in re.findall(r"([^{}]+){", css) for s in _split(group)]
    assert len(selectors) > 50
    assert [s for s in selectors if ".jaxvstorch-explain" not in s] == []


def _split(group: str) -> list[str]:
    return re.split(r",(?![^(]*\))", group.strip())


def test_a_finding_links_to_the_book() -> None:
    fragment = html.fragment(sample())
    assert 'href="https://jaxvstorch.github.io/jaxvstorch/topics/tracing.html"' in fragment
    assert "graph break: print <ends> the graph. Print outside." in rows(sample())["12"]
    home = [url for url in metadata("jaxvstorch").get_all("Project-URL") if "Homepage" in url]
    assert home == [f"Homepage, {BOOK.rstrip('/')}"]


def test_what_is_folded_is_there_and_says_what_it_is() -> None:
    tree = Tree(html.fragment(Explanation("f", "jax", (), (long_source(60),), ())))
    assert tree.texts("summary") == ["56 lines, all in program A"]
    (folded,) = tree.texts("details", class_="fold")
    assert "step_103()" in folded
    assert "step_102()" not in folded
    assert tree.texts("span", class_="sr").count("source") == 2


def test_what_is_folded_of_a_library_says_what_it_is() -> None:
    tree = Tree(html.fragment(Explanation("f", "jax", (), (library_source(40),), ())))
    assert tree.texts("summary") == ["36 lines that left nothing in a program"]


def test_texts_of_stages_are_whole_and_folded() -> None:
    tree = Tree(html.fragment(sample()))
    assert tree.texts("details", class_="text") == [
        "A: jaxpr1 line, 16 bytesthe jaxpr of <A>",
        "B: jaxpr1 line, 4 bytesof B",
        "A: StableHLO3 lines, 2.02 kBfirst\n<second>\n" + "x" * 2000,
    ]
    assert "bytes read and written" in tree.texts("dt")
    assert tree.texts("dd").count("not reported") == 2
    assert "A fusion.1add, dotlines 9, 14" in tree.texts("tr")
    assert "B while.2not reportedlines not reported" in tree.texts("tr")


def test_what_scrolls_can_be_reached_by_keyboard_and_has_a_name() -> None:
    tree = Tree(html.page(sample(), LEDGER))
    scrolling = [has for _, has, _ in tree.elements if has.get("class") == "scroll"]
    assert len(scrolling) == 5
    assert {(has["role"], has["tabindex"]) for has in scrolling} == {("region", "0")}
    assert len({has["aria-label"] for has in scrolling}) == len(scrolling)


LEDGER = Ledger("scores", "jax", (Call("f32[<3>]", Compilations(1, 1, 0, ("first call",)), 0.5),))


def test_a_page_needs_nothing_else() -> None:
    text = html.page(sample())
    tree = Tree(text)
    assert {"script", "link", "img", "iframe"}.isdisjoint({tag for tag, _, _ in tree.elements})
    assert "@import" not in text
    assert "url(" not in text
    assert tree.texts("title") == ["scores in JAX, explained"]
    assert "width=device-width" in text


def test_a_page_shows_a_ledger_below() -> None:
    assert "Call by call" not in html.page(sample())
    assert "f32[<3>]1110500\xa0msfirst call" in Tree(html.page(sample(), LEDGER)).texts("tr")


def test_a_notebook_shows_the_fragment() -> None:
    assert sample()._repr_html_() == html.fragment(sample())
    assert "<h1" not in sample()._repr_html_()


def test_a_framework_has_its_colour() -> None:
    assert 'data-framework="torch"' in html.fragment(sample("torch"))
    assert 'data-framework="jax"' in html.fragment(sample("jax"))


def test_lines_indented_further_are_broken_further_in() -> None:
    line = Line(1, "        return 1", Mark.TRACED, {}, 1)
    fragment = html.fragment(of(Line(0, "    def f(self):"), line))
    assert '<code style="--i:4">    <span class="k">return</span> 1</code>' in fragment
    assert '<code><span class="k">def</span> f(self):</code>' in fragment
