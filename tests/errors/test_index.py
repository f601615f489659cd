"""The code of every entry does what the entry says, on the versions that are installed."""

import re
from importlib.metadata import version

import numpy as np
import pytest

from jaxvstorch._errors import trial
from jaxvstorch._errors.entry import Entry, Pattern, entries

ALL = entries().values()


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def _is_of(pattern: Pattern, installed: str) -> bool:
    """Whether the pattern's words are those of this version."""
    after = not pattern.since or _numbers(pattern.since) <= _numbers(installed)
    return after and not (pattern.before and _numbers(pattern.before) <= _numbers(installed))


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.path)
def test_the_wrong_code_fails_as_it_says(entry: Entry) -> None:
    pytest.importorskip(entry.framework)
    done = trial.run(entry.framework, entry.wrong)
    if entry.kind == "silence":
        assert not done.said
        np.testing.assert_allclose(_plain(done.value), entry.instead, rtol=1e-5)
        assert not np.array_equal(entry.instead, entry.gives)
        return
    assert trial.matches(entry, done), done.said
    current = [p for p in entry.patterns if _is_of(p, version(entry.framework))]
    assert any(p.expression.search(message) for _, message in done.said for p in current)
    assert not any(p.source for p in current)


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.path)
def test_the_right_code_works_without_a_word(entry: Entry) -> None:
    pytest.importorskip(entry.framework)
    done = trial.run(entry.framework, entry.right)
    assert not done.said
    if entry.gives is not None:
        np.testing.assert_allclose(_plain(done.value), entry.gives, rtol=1e-5)


def _plain(value: object) -> np.ndarray:
    return np.asarray(value.detach() if hasattr(value, "detach") else value)
