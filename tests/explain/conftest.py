"""A check of every explanation in this folder; arguments; random states."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sentences
from commented_functions import X, given

from jaxvstorch._explain import findings


@pytest.fixture(autouse=True)
def plain_breaks(monkeypatch) -> None:
    """Every break that a test produces has one sentence as its reason, and a cure."""
    ordered = findings.ordered

    def checked(*args):
        findings = ordered(*args)
        sentences.check_breaks(findings)
        return findings

    monkeypatch.setattr(findings, "ordered", checked)


@pytest.fixture
def x(framework) -> Any:
    """Four floats, as an array of the framework."""
    (array,) = given(framework, X)
    return array


@pytest.fixture
def random_numbers_as_before() -> Iterator[None]:
    """Random numbers drawn from Python and NumPy do not change other tests."""
    of_python, of_numpy = random.getstate(), np.random.get_state()
    yield
    random.setstate(of_python)
    np.random.set_state(of_numpy)
