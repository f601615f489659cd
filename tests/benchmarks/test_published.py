"""What the pages say of the published results, held against each file."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.cases import rotated
from benchmarks.report import summary
from benchmarks.report.files import read
from benchmarks.report.provenance import has_gpu
from benchmarks.report.schema import Results
from jaxvstorch._pairs.registry import PAIRS

FOLDER = Path(__file__).parents[2] / "benchmarks" / "published"
PUBLISHED = {path.name: read(path) for path in sorted(FOLDER.glob("*.json"))}
ON_CPU = [pytest.param(found, id=name) for name, found in PUBLISHED.items() if not has_gpu(found)]


def compiled(results: Results, framework: str, name: str, size: int) -> float:
    """Seconds per call."""
    key = ("branching", name, size, framework, "compiled")
    (timing,) = [
        t for t in results.timings if (t.topic, t.name, t.size, t.framework, t.mode) == key
    ]
    return timing.median


@pytest.mark.parametrize(
    ("name", "taken", "side"), [("expensive_cond", 0, 256), ("expensive_cond_batch", 0.75, 128)]
)
def test_which_branch_was_taken_in_what_was_timed(name, taken, side) -> None:
    (pair,) = [pair for pair in PAIRS if pair.name == name]
    for predicate, matrices in rotated(lambda seed: pair.make_inputs(65_536, seed=seed), 2**25):
        assert np.mean(predicate) == taken
        assert matrices.shape[-2:] == (side, side)


@pytest.mark.parametrize("framework", ["jax", "torch"])
@pytest.mark.parametrize("results", ON_CPU)
def test_cond_saves_an_expensive_branch_alone_and_nothing_else(results, framework) -> None:
    def over_where(name: str, size: int) -> float:
        where = name.replace("cond", "where")
        return compiled(results, framework, name, size) / compiled(results, framework, where, size)

    assert over_where("expensive_cond", 65_536) < 0.2
    assert 0.5 < over_where("expensive_cond_batch", 65_536) < 1.5
    assert over_where("select_cond", 16) > 0.9


@pytest.mark.parametrize("framework", ["jax", "torch"])
@pytest.mark.parametrize("results", ON_CPU)
def test_no_compiled_call_takes_less_than_the_smallest_one(results, framework) -> None:
    """A time that was divided by too many calls would."""
    times = {
        f"{t.topic}.{t.name}-{t.size}": t.median
        for t in results.timings
        if (t.framework, t.mode) == (framework, "compiled")
    }
    smallest = times["yardsticks.dispatch-1"]
    assert {name: seconds for name, seconds in times.items() if seconds < 0.7 * smallest} == {}


@pytest.mark.parametrize("results", ON_CPU)
def test_most_of_a_full_session_compiled_and_timed(results) -> None:
    assert results.quick or results.share >= 0.85


@pytest.mark.parametrize("results", ON_CPU)
def test_for_large_arrays_it_matters_whether_jax_waits_for_its_thread(results) -> None:
    large = [big for pairs in summary.by_topic(results).values() for _, big in pairs]
    ratios = [[row.ratio(mode) for row in large] for mode in ("compiled", "compiled, synchronous")]
    less = [sum(ratio is not None and ratio.high < 1 for ratio in each) for each in ratios]
    assert less[1] > 1.2 * less[0]


def test_somebody_has_looked_for_a_better_half_where_a_ratio_is_large() -> None:
    large = {
        (topic, name)
        for results in PUBLISHED.values()
        for topic in results.topics()
        for name in summary.large_ratios(results, topic)
    }
    explained = {(topic, name) for topic, names in summary.why_large()[1].items() for name in names}
    assert explained == large
