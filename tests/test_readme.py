"""What README names and shows exists, and is up to date; tests/installed runs its code."""

import re
from pathlib import Path

import pytest
from test_workflows import sessions

from jaxvstorch._frameworks.proven import PROVEN
from tools import readme_pictures

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BOOK = "https://jaxvstorch.github.io/jaxvstorch/"
FILE = "https://github.com/jaxvstorch/jaxvstorch/blob/main/"
RAW = "https://raw.githubusercontent.com/jaxvstorch/jaxvstorch/main/"


@pytest.mark.parametrize("name", ["readme-explain.svg", "readme-cost.svg"])
def test_its_pictures_are_what_would_be_drawn(name) -> None:
    """After a change: ``python -m tools.readme_pictures``."""
    pytest.importorskip("jax", reason="a picture shows both frameworks; JAX is not installed")
    pytest.importorskip("torch", reason="a picture shows both frameworks; no PyTorch here")
    drawn = (ROOT / "book" / "_static" / name).read_text(encoding="utf-8")
    assert drawn == readme_pictures.pictures()[name]


def test_the_picture_of_costs_is_described_by_its_numbers() -> None:
    (words,) = re.findall(r"!\[([^]]*)\]\(\S*readme-cost.svg\)", TEXT)
    drawn = readme_pictures.cost(readme_pictures.published()).replace("\N{NO-BREAK SPACE}", " ")
    numbers = re.findall(r"[\d.]+ (?:µs|ms|s)\b", words)
    assert len(numbers) == 4
    assert [number for number in numbers if f">{number}<" not in drawn] == []


def test_it_names_the_versions_that_were_proven() -> None:
    proven = [version for versions in PROVEN.values() for version in versions]
    assert [version for version in proven if version not in TEXT] == []


def test_every_nox_session_that_a_page_names_exists() -> None:
    book = [path for path in ROOT.glob("book/**/*.md") if "_build" not in path.parts]
    named = {
        (path.name, session)
        for path in [*ROOT.glob("*.md"), *book]
        for names in re.findall(r"nox -s ([\w ]+)", path.read_text(encoding="utf-8"))
        for session in names.split()
    }
    assert {("README.md", "tests"), ("CONTRIBUTING.md", "lint"), ("images.md", "docker")} <= named
    assert [each for each in named if each[1] not in sessions()] == []


def test_its_links_lead_somewhere_on_other_sites_too() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", TEXT)
    assert [target for target in targets if not target.startswith("https://")] == []
    for target in targets:
        if target.startswith(BOOK):
            page = target.removeprefix(BOOK).removesuffix(".html") or "index"
            assert (ROOT / "book" / f"{page}.md").exists(), target
        elif target.startswith((FILE, RAW)):
            file = target.removeprefix(FILE).removeprefix(RAW)
            assert (ROOT / file).exists(), target
