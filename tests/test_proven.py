"""A framework that is newer than this release was tested with is named where a report begins."""

import re
from pathlib import Path

import numpy as np
import pytest

import jaxvstorch
from jaxvstorch import check_parity, explain, ledger
from jaxvstorch._frameworks import FRAMEWORKS, TITLES, adapter, proven
from jaxvstorch._frameworks.proven import PROVEN, release
from jaxvstorch._port.report import PortReport


@pytest.fixture(autouse=True)
def versions_as_proven() -> None:
    """Reports say what they say outside of tests."""


@pytest.fixture
def newer(framework, monkeypatch) -> str:
    """What is said of the framework installed, as if only a version before it were proven."""
    older = proven.metadata.version(framework).split(".")[0]
    monkeypatch.setitem(PROVEN, framework, (f"{older}.0.0",))
    (note,) = proven.notes(framework)
    assert note.startswith(
        f"{TITLES[framework]} {proven.metadata.version(framework)} is newer than"
    )
    assert note.endswith(f"jaxvstorch {jaxvstorch.__version__} was tested with")
    return note


X = np.arange(3, dtype=np.float32)


def double(x):
    return x + x


def test_an_explanation_and_a_ledger_say_so(framework, newer) -> None:
    x = adapter(framework).from_numpy(X)
    explanation = explain(double, x)
    assert newer in " ".join(str(explanation).split())
    assert f'<p class="newer">{newer}</p>' in explanation._repr_html_()
    assert explanation.to_dict()["newer"] == [newer]
    book = ledger(double, [(x,)])
    assert newer in " ".join(str(book).split())
    assert newer in book._repr_html_()


def test_a_report_of_port_says_so(newer) -> None:
    report = PortReport()
    assert newer in str(report)
    assert newer in report._repr_html_()
    assert newer in report.to_dict()["notes"]


def test_both_compilers_and_parity_say_so(newer) -> None:
    for name in FRAMEWORKS:
        pytest.importorskip(name, reason=f"{name} is not installed")
    both = explain(double, X, framework="both")
    assert newer in " ".join(str(both).split())
    assert newer in both._repr_html_()
    assert str(check_parity(double, double, (X,))).startswith(newer)


def test_there_is_no_note_on_a_proven_version(framework, monkeypatch) -> None:
    monkeypatch.setitem(PROVEN, framework, (proven.metadata.version(framework),))
    assert proven.notes(framework) == []
    assert "newer" not in explain(double, adapter(framework).from_numpy(X)).to_dict()


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_pinned_versions_are_among_the_proven_ones(framework) -> None:
    pins = (Path(__file__).parents[1] / "constraints.txt").read_text(encoding="utf-8")
    pinned = re.search(rf"^{framework}==(.+)$", pins, re.MULTILINE)
    assert pinned is not None
    assert pinned[1] in PROVEN[framework], "prove it, then name it in frameworks/proven.py"
    assert sorted(PROVEN[framework], key=release) == list(PROVEN[framework])
