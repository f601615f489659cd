"""A case whose inputs are ready."""

import time

import pytest

from benchmarks.cases import PASSES, calling


@pytest.mark.parametrize(
    ("work", "calls"),
    [(lambda: None, 2 * PASSES), (lambda: time.sleep(1e-3), 2)],
    ids=["short", "long"],
)
def test_a_run_of_short_calls_has_more_of_them(work, calls) -> None:
    """What surrounds a run costs a tenth of a microsecond and more: it must not count."""
    called = []

    def function(x):
        called.append(x)
        work()

    run, said = calling(function, [(1,), (2,)]).begin()
    called.clear()
    run()
    assert (len(called), said) == (calls, calls)
