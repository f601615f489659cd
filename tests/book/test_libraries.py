"""The lists of libraries: each has an address, a few words, and a release of a day that passed."""

import re
from datetime import date

import pytest
from extensions import libraries
from packaging.version import Version

KNOWN = libraries.read()
READ, ABOUT, RELEASES, SAID, TRIED = (
    KNOWN.pop(key) for key in ("read", "about", "releases", "said", "tried")
)
TASKS = KNOWN
NAMED = sorted(
    {name for task in TASKS.values() for side in ("jax", "torch") for name in task[side]}
)
PAGES = [path.read_text(encoding="utf-8") for path in libraries.FILE.parent.glob("topics/eco*")]
SHOWN = " ".join(re.findall(r"\{libraries\} (.+)", "\n".join(PAGES))).split()


def latest(day: str) -> date:
    """The first day that a date of day or month can mean."""
    return date.fromisoformat(day if len(day) > 7 else f"{day}-01")


def test_there_are_words_and_a_release_of_just_these_libraries() -> None:
    assert sorted(ABOUT) == sorted(RELEASES) == NAMED


@pytest.mark.parametrize("name", NAMED)
def test_a_library_has_two_to_four_words_and_an_address_that_is_no_package_index(name: str) -> None:
    words, url = ABOUT[name]
    assert re.fullmatch(r"[^ ,|]+( [^ ,|]+){1,3}", words)  # the lists have commas of their own
    assert url.startswith("https://")
    assert not re.search(r"pypi|conda|[ ()|]", url)


@pytest.mark.parametrize("name", NAMED)
def test_a_release_has_a_version_and_a_date_before_it_was_read(name: str) -> None:
    version, released = RELEASES[name]
    Version(version)
    assert latest(released) <= date.fromisoformat(READ) <= date.today()


def test_every_task_is_on_a_page_once_and_so_is_what_maintainers_say() -> None:
    assert sorted(SHOWN) == sorted([*TASKS.keys() - {"others"}, "said", "tried"])


@pytest.mark.parametrize("name", SAID)
def test_what_maintainers_say_has_its_place_and_its_date(name: str) -> None:
    said = SAID[name]
    assert name in NAMED
    assert said["url"].startswith("https://")
    assert said["quote"].endswith(".")
    assert date.fromisoformat(said["dated"]) <= date.fromisoformat(READ)


def test_a_trial_says_what_was_tried_when_and_with_what() -> None:
    assert {library["name"] for library in TRIED["libraries"]} <= {*RELEASES}
    assert date.fromisoformat(TRIED["date"]) <= date.today()
    shown = libraries.markdown("tried")
    assert shown.count("\n- **[") == len(TRIED["libraries"]) - 1
    assert f"with {TRIED['with']}, each library alone." in shown


def test_a_library_whose_end_was_announced_is_marked_in_the_list() -> None:
    listed = libraries.markdown("networks")
    assert (
        "[dm-haiku](https://github.com/google-deepmind/dm-haiku) † (modules by DeepMind)" in listed
    )
    assert "[flax](https://github.com/google/flax) (modules by Google), [equinox]" in listed
    assert listed.count("[keras]") == 2
    assert listed.count("layers for several backends") == 1
    assert "maintenance" not in listed
    assert libraries.markdown("said").count("\n- **[") == len(SAID) - 1


def test_a_release_that_is_a_year_old_has_its_month() -> None:
    last_year = f"{int(READ[:4]) - 1}{READ[4:7]}"
    listed = libraries.markdown(*TASKS.keys() - {"others"})
    for name in NAMED:
        words, (_, month) = ABOUT[name][0], RELEASES[name]
        dated = month <= last_year
        shown = f"({words}, {month.replace('-', chr(0x2011))})" if dated else f"({words})"
        assert name in TASKS["others"]["jax"] + TASKS["others"]["torch"] or shown in listed
    assert listed.endswith(f"of {libraries.day(last_year)} or before.")


@pytest.mark.parametrize(
    ("text", "words"), [("2026-03", "March 2026"), ("2026-03-04", "4 March 2026")]
)
def test_a_date_in_words(text: str, words: str) -> None:
    assert libraries.day(text) == words
