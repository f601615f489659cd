"""What holds of every explanation that a test in this folder asks for."""

import pytest
import sentences

from jaxvstorch.explainer import findings


@pytest.fixture(autouse=True)
def plain_breaks(monkeypatch) -> None:
    """Every break that a test produces has one sentence as its reason, and a cure."""
    ordered = findings.ordered

    def checked(*args):
        found = ordered(*args)
        sentences.check_breaks(found)
        return found

    monkeypatch.setattr(findings, "ordered", checked)
