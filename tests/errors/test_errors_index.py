"""The code of every entry does what the entry says, on the versions that are installed."""

import importlib
import re
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from jaxvstorch._errors import lookup, trial
from jaxvstorch._errors.entry import Entry, Pattern, entries

ROOT = Path(__file__).parents[2]
ALL = entries().values()
RUN = [entry for entry in ALL if entry.wrong]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def _is_of(part: Entry | Pattern, installed: str) -> bool:
    """Whether this version says so, or in these words."""
    after = not part.since or _numbers(part.since) <= _numbers(installed)
    return after and not (part.before and _numbers(part.before) <= _numbers(installed))


def _is_of_build(entry: Entry) -> bool:
    return not (entry.cpu_build and importlib.import_module("torch").backends.cuda.is_built())


def need(entry: Entry) -> None:
    """Skip an entry whose framework is not installed, or the other one, which its code imports."""
    pytest.importorskip(entry.framework)
    if "import torch" in entry.wrong:
        pytest.importorskip("torch")


@pytest.mark.parametrize("entry", RUN, ids=lambda entry: entry.path)
def test_the_wrong_code_fails_as_it_says(entry: Entry) -> None:
    need(entry)
    done = trial.run(entry.framework, entry.wrong)
    if not (_is_of(entry, version(entry.framework)) and _is_of_build(entry)):
        assert not trial.matches(entry, done)
        return
    if entry.kind == "silence":
        assert not done.said
        np.testing.assert_allclose(_plain(done.value), entry.instead, rtol=1e-5)
        assert not np.array_equal(entry.instead, entry.gives)
        return
    own = trial.matches(entry, done)
    assert own, done.said
    kind, message = own[0]
    said = message if kind == "logged" else f"{kind}: {message}"
    if done.line:
        code = entry.wrong.splitlines()[done.line - 1]
        said = f'  File "program.py", line {done.line}, in f\n    {code}\n{said}'
    found = lookup.find(said)
    assert found[0].entry == entry, [match.entry.path for match in found]
    line = found[0].line.code if found[0].line else ""
    assert found[0].cure == entry.cure(line, message, found[0].in_library).text  # as in explain
    assert {f"GB{number}" for number in re.findall(r"/gb(\d{4})\.html", message)} <= {*entry.ids}
    current = [p for p in entry.patterns if _is_of(p, version(entry.framework))]
    assert any(p.expression.search(message) for _, message in done.said for p in current)
    assert not any(p.source for p in current)


@pytest.mark.parametrize("entry", RUN, ids=lambda entry: entry.path)
def test_the_right_code_works_without_a_word(entry: Entry) -> None:
    need(entry)
    done = trial.run(entry.framework, entry.right)
    assert not done.said
    if entry.gives is not None:
        np.testing.assert_allclose(_plain(done.value), entry.gives, rtol=1e-5)


def _plain(value: object) -> np.ndarray:
    return np.asarray(value.detach() if hasattr(value, "detach") else value)


@pytest.mark.parametrize(
    "text", ["deadbeef", "a.b", "'a' ", ". ", "x\n", "a.py:1: ", "a.py in f\n"]
)
def test_the_time_of_a_search_grows_with_the_text_and_not_with_its_square(text) -> None:
    assert lookup.find(text * 30_000) == []  # its square would take hours


def test_an_entry_that_is_not_run_says_where_its_words_were_read() -> None:
    others = [entry for entry in ALL if not entry.wrong]
    assert all(pattern.source for entry in others for pattern in entry.patterns)
    assert all(entry.patterns and not entry.right for entry in others)


def test_pages_and_twins_of_entries_exist() -> None:
    topics = {path.stem for path in (ROOT / "book" / "topics").glob("*.md")}
    assert {entry.page for entry in ALL if entry.page} <= topics
    assert {entry.twin for entry in ALL if entry.twin} <= set(entries())
    for entry in ALL:
        assert not entry.twin or entries()[entry.twin].framework != entry.framework
