"""The page about ``explain`` names every sign."""

from pathlib import Path

import pytest

from jaxvstorch._explain.marks import Line, Mark
from jaxvstorch._explain.rendering.signs import SIGNS, TIMES, WORDS, sign

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "book" / "explain.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("mark", SIGNS)
def test_the_table_has_every_sign_in_the_words_of_the_legend(mark):
    assert f"| `{SIGNS[mark]}` | {WORDS[mark]}" in PAGE


@pytest.mark.parametrize(
    ("line", "signs"),
    [
        (Line(1, "", Mark.GRAPH, {"A": 2}), ["A2"]),
        (Line(1, "", Mark.GRAPH, {"A: scan body": 3}), ["A: 3 in scan body"]),
        (Line(1, "", Mark.PYTHON, {"A": 2}), ["py A2"]),
        (Line(1, "", Mark.TRACED, visits=3), [SIGNS[Mark.TRACED], f"{TIMES}3"]),
    ],
)
def test_the_signs_that_it_explains_are_rendered_so(line, signs):
    assert sign(line) == " ".join(signs)
    assert all(f"`{text}`" in PAGE for text in signs)
