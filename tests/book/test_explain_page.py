"""The page about ``explain`` names every sign, and what it imports is installed for it."""

import tomllib
from pathlib import Path

import pytest
import yaml

from jaxvstorch.explainer.marks import Line, Mark
from jaxvstorch.explainer.rendering.signs import SIGNS, TIMES, WORDS, sign

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


def test_what_it_imports_comes_with_the_book():
    packages = yaml.safe_load(PAGE.split("---\n")[1])["packages"].split()
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = settings["dependency-groups"]
    assert {"include-group": "models"} in groups["docs"]
    docs = [entry for entry in groups["docs"] + groups["models"] if isinstance(entry, str)]
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert packages
    for name in packages:
        assert f"import {name}\n" in PAGE
        assert any(entry.startswith(f"{name}>=") for entry in docs)
        assert any(entry.startswith(f"{name}==") for entry in pinned)
