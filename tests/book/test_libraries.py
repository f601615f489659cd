"""The tables of libraries: each has a release, read on a day that has passed, and a place."""

import re
from datetime import date

import pytest
from extensions import libraries
from packaging.version import Version

TOLD, FOUND, TRIED = libraries.read()
SAID = TOLD["said"]
TASKS = {name: task for name, task in TOLD.items() if name != "said"}
NAMED = sorted(
    {name for task in TASKS.values() for side in ("jax", "torch") for name in task[side]}
)
PAGES = [path.read_text(encoding="utf-8") for path in libraries.FILES[0].parent.glob("topics/eco*")]
SHOWN = " ".join(re.findall(r"\{libraries\} (.+)", "\n".join(PAGES))).split()


def latest(day: str) -> date:
    """The first day that a date of day or month can mean."""
    return date.fromisoformat(day if len(day) > 7 else f"{day}-01")


def test_the_releases_of_just_these_libraries_were_read() -> None:
    assert sorted(FOUND["releases"]) == NAMED


@pytest.mark.parametrize("name", NAMED)
def test_a_release_has_a_version_and_a_date_before_it_was_read(name: str) -> None:
    release = FOUND["releases"][name]
    assert set(release) == {"version", "released"}
    Version(release["version"])
    assert latest(release["released"]) <= date.fromisoformat(FOUND["read"]) <= date.today()


def test_every_task_is_on_a_page_once_and_so_is_what_maintainers_say() -> None:
    assert sorted(SHOWN) == sorted([*TASKS.keys() - {"others"}, "said", "tried"])


@pytest.mark.parametrize("name", SAID)
def test_what_maintainers_say_has_its_place_and_its_date(name: str) -> None:
    said = SAID[name]
    assert name in NAMED
    assert said["url"].startswith("https://")
    assert said["quote"].endswith(".")
    assert date.fromisoformat(said["dated"]) <= date.fromisoformat(FOUND["read"])


@pytest.mark.parametrize("name", TRIED["found"])
def test_what_was_tried_is_the_release_that_was_read(name: str) -> None:
    tried = TRIED["found"][name]
    assert set(tried) == {"version", "tried", "error"}
    assert tried["version"] == FOUND["releases"][name]["version"]
    assert "/tmp" not in tried["error"]


def test_a_trial_says_when_it_was_and_with_what() -> None:
    assert date.fromisoformat(TRIED["tried"]) <= date.today()
    assert set(TRIED["with"]) == {"jax", "torch"}
    assert f"with jax {TRIED['with']['jax']} and torch" in libraries.markdown("tried")


def test_a_library_whose_end_was_said_is_marked_in_the_table() -> None:
    table = libraries.markdown("networks")
    assert "**dm-haiku** † " in table
    assert "**flax** 0" in table
    assert "maintenance" not in table
    assert libraries.markdown("said").count("\n- ") == len(SAID) - 1


@pytest.mark.parametrize(
    ("text", "words"), [("2026-03", "March 2026"), ("2026-03-04", "4 March 2026")]
)
def test_a_date_in_words(text: str, words: str) -> None:
    assert libraries.day(text) == words
