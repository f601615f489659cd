"""Both compilers beside one function: as text, wide and narrow, and as HTML."""

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console
from samples import FILE
from test_html import Tree

from jaxvstorch._explain.both import BothExplanations
from jaxvstorch._explain.explanation import Explanation
from jaxvstorch._explain.explanation_data import Finding, Program
from jaxvstorch._explain.marks import Line, Mark, Source
from jaxvstorch._explain.rendering import html_both, text_both

TEXTS = ("def clip(x):", "    norm = (x * x).sum() ** 0.5", "    if norm > '<b>':", "    return x")
MARKS = {
    "jax": [("", {}), (Mark.TRACED, {}), (Mark.FAILED, {}), (Mark.NOT_REACHED, {})],
    "torch": [("", {}), (Mark.GRAPH, {"A": 3}), (Mark.PYTHON, {"B": 1}), (Mark.TRACED, {})],
}
FINDINGS = {
    "jax": (Finding("failed", FILE, 9, "TracerBoolConversionError: Not a bool.", "Use where."),),
    "torch": (
        Finding("break", FILE, 9, "Which branch <runs> is not known.", "Use `where`.", "branching"),
        Finding("impure", FILE, 9, "A global.", "", "purity"),
        Finding("impure", "/somewhere/other.py", 70, "It prints.", "", "purity"),
    ),
}
PRINTED = {"jax": "norm: <tracer>\n", "torch": "norm: 5\nagain\n"}


def explanation(framework: str, texts=TEXTS, marks=None) -> Explanation:
    marks = marks or MARKS[framework]
    lines = [
        Line(7 + i, text, Mark(mark), operations, 1 if mark else 0)
        for i, (text, (mark, operations)) in enumerate(zip(texts, marks, strict=True))
    ]
    programs = tuple(Program(name, {name: 1}, "") for name in "AB") if framework == "torch" else ()
    source = Source("clip", FILE, 1, tuple(lines))
    return Explanation("clip", framework, ("f32[2]",), (source,), programs, FINDINGS[framework])


BOTH = BothExplanations(explanation("jax"), explanation("torch"), PRINTED)


def text(width: int, both: BothExplanations = BOTH) -> list[str]:
    rows = text_both.rows(both.explanations, both.printed, width)
    return ["".join(piece for piece, _ in row).rstrip() for row in rows]


def test_a_wide_terminal_has_a_column_for_each_compiler() -> None:
    assert str(BOTH).splitlines()[3:11] == [
        "                                      jax.jit                        torch.compile",
        "  7  def clip(x):",
        "  8      norm = (x * x).sum() ** 0.5  ·   traced only                A3     3 operations",
        "  9      if norm > '<b>':             !!  TracerBoolConversionError  py B1  "
        "graph break, impure",
        " 10      return x                     —   not reached                ·      traced only",
        "     it printed                       norm: <tracer>                 norm: 5",
        "                                                                     again",
        "     compiled                         no program                     2 programs",
    ]


def test_a_narrow_terminal_has_them_below_each_line() -> None:
    lines = text(60)
    assert lines[4:7] == [
        "  8      norm = (x * x).sum() ** 0.5",
        "       jax.jit        ·      traced only",
        "       torch.compile  A3     3 operations",
    ]
    assert "       torch.compile  norm: 5" in lines


@pytest.mark.parametrize("width", range(46, 140, 3))
def test_no_row_is_wider_than_the_terminal(width: int) -> None:
    assert max(map(len, text(width))) <= width


def test_the_findings_follow_with_their_lines() -> None:
    lines = str(BOTH).splitlines()[12:]
    assert lines[0] == "jax.jit"
    assert lines[1:3] == [
        "  9  ↳ error: TracerBoolConversionError: Not a bool.",
        "       Fix: Use where.",
    ]
    assert lines[4:6] == [
        "torch.compile",
        "  9  ↳ graph break: Which branch <runs> is not known.",
    ]
    assert lines[10:12] == [" other.py, line 70", "     ↳ impure: It prints."]


def test_a_docstring_is_folded_and_a_line_with_a_mark_is_not() -> None:
    texts = ["def f():", *(f"    word {i}" for i in range(20)), "    return x"]
    blank, traced = ("", {}), (Mark.TRACED, {})
    jax = explanation("jax", texts, [blank] * 21 + [traced])
    torch = explanation("torch", texts, [blank] * 20 + [traced, blank])
    both = BothExplanations(jax, torch, {"jax": "", "torch": ""})
    shown = str(both)
    assert "… 16 lines where no statement begins …" in shown
    assert "word 19" in shown
    assert "word 5" not in shown
    assert "it printed" not in shown
    tree = Tree(both._repr_html_())
    assert tree.texts("summary")[0] == "16 lines where no statement begins"
    assert "word 5" in tree.texts("details")[0]


def test_a_terminal_shows_colours_and_obeys_no_code() -> None:
    console = Console(file=io.StringIO(), width=100, force_terminal=True, legacy_windows=False)
    console.print(BothExplanations(BOTH.jax, BOTH.torch, {"jax": "a\x1b[31mb", "torch": ""}))
    assert "a\N{REPLACEMENT CHARACTER}[31mb" in console.file.getvalue()
    assert "\x1b[1;31m" in console.file.getvalue()


@pytest.mark.parametrize("width", [60, 100])
def test_characters_of_two_columns_count_as_two(width: int) -> None:
    texts = (
        "def f(变量):",
        f"    变量 = 变量 * 2  # {'宽字符' * 6}",
        "    e\u0301 = 1",
        "    return x",
    )
    both = BothExplanations(
        explanation("jax", texts), explanation("torch", texts), {"jax": "", "torch": ""}
    )
    shown = text(width, both)
    assert max(map(cell_len, shown)) <= width
    (marked,) = (line for line in shown if "A3" in line)
    if width == 100:
        before = shown[3].partition("torch.compile")[0]
        assert cell_len(marked.partition("A3")[0]) == cell_len(before)


def test_of_much_that_was_printed_the_beginning_is_shown() -> None:
    much = "a" * 1000 + "\n" + "zebra\n" * 500
    both = BothExplanations(BOTH.jax, BOTH.torch, {"jax": much, "torch": "zebra\n" * 12})
    for shown in (str(both), both._repr_html_()):
        assert "… 489 more lines" in shown
        assert shown.count("zebra") == 11 + 12
        assert shown.count("a" * 20) < 20
    assert both.to_dict()["printed"]["jax"] == much


def test_html_is_one_table_with_its_roles() -> None:
    tree = Tree(BOTH._repr_html_())
    assert [h.strip() for h in tree.texts("th", role="columnheader")] == [
        "source", "jax.jit", "torch.compile",
    ]  # fmt: skip
    heads = tree.texts("th", role="rowheader")
    assert heads == [*TEXTS, "it printed", "found elsewhere", "compiled"]
    cells = tree.texts("td", role="cell")
    assert cells[2:4] == ["·traced only", "A33 operations"]
    assert len(cells) == 2 * len(heads)
    # On a phone the style makes it a grid, which would be no table to a screen reader.
    assert {has["role"] for tag, has, _ in tree.elements if tag == "tr"} == {"row"}


def test_findings_open_where_they_were_found() -> None:
    opening = Tree(BOTH._repr_html_()).texts("details")
    assert opening[0] == "TracerBoolConversionError Not a bool. Use where."
    assert opening[1].startswith("graph break Python runs itWhich branch <runs> is not known.")
    assert "In the book: branching" in opening[1]
    assert opening[2].startswith("impure A global.")
    assert opening[3].startswith("impure other.py, line 70")


def test_nothing_becomes_markup_and_nothing_has_an_id() -> None:
    shown = BOTH._repr_html_()
    assert "<b>'" not in shown
    assert "<tracer>" not in shown
    assert "<runs>" not in shown
    assert not any("id" in has for _, has, _ in Tree(shown).elements)


def test_a_page_of_its_own() -> None:
    page = html_both.page(BOTH.explanations, BOTH.printed)
    tree = Tree(page)
    assert page.startswith("<!DOCTYPE html>")
    assert tree.texts("title") == ["clip in both, explained"]
    assert tree.texts("h1") == ["clip in both"]
    assert "url(" not in page


def test_every_rule_is_about_the_fragment() -> None:
    css = re.sub(r"/\*.*?\*/|@media[^{]*{", "", html_both._STYLE, flags=re.DOTALL)
    groups = re.findall(r"([^{}]+){", css)
    selectors = [s for group in groups for s in re.split(r",(?![^(]*\))", group.strip())]
    assert len(selectors) > 20
    assert [s for s in selectors if ".jaxvstorch-explain" not in s] == []
