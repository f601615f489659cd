"""The table of what the caches find after one thing has changed."""

import numpy as np
import pytest

from jaxvstorch.examples.aot import caches
from jaxvstorch.examples.aot.cached import EDITS, PROGRAM, UNCHANGED, function
from jaxvstorch.examples.aot.caches import CHANGES, CacheTable, cache_table

X, GAIN = UNCHANGED


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_every_edit_changes_the_text_and_some_change_the_answer(framework) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    import re

    texts = [re.sub(*edit, PROGRAM[framework]) for edit in EDITS.values()]
    assert len(set(texts)) == len(EDITS)
    assert function(framework, "the name of the function").__name__ == "g"
    x = X
    if framework == "torch":
        x = pytest.importorskip("torch").from_numpy(X)
    answers = {edit: np.asarray(function(framework, edit)(x, GAIN)).tolist() for edit in EDITS}
    others = [edit for edit, answer in answers.items() if answer != answers["nothing"]]
    assert others == ["a constant in the function", "the numbers in an array that it captures"]


def test_a_table_as_text_and_html() -> None:
    table = CacheTable({"jax": dict.fromkeys(CHANGES, "hit"), "torch": {"nothing": "miss"}})
    assert str(table).splitlines()[:2] == [
        "changed                                   JAX  PyTorch",
        "nothing                                   hit  miss",
    ]
    assert table._repr_html_().count('<td class="wrong">miss</td>') == 1


def test_a_process_that_does_not_answer_is_named(monkeypatch) -> None:
    monkeypatch.setattr(caches, "HANGING", 0.01)
    with pytest.raises(RuntimeError, match=r"jax did not answer in 0\.01 s: nothing"):
        cache_table(("jax",))
