"""Numbers of a results file, by the names that pages use."""

import pytest
from result_files import load, timing

from benchmarks.report import lookup


@pytest.fixture
def results(tmp_path):
    return load(
        tmp_path,
        timing("f", 1.0, 1.2, first_call=3.0),
        timing("h", 2.2, 2.4),
        timing("f", 2.0, 2.0, framework="torch"),
        timing("g", 4.4, 4.4),
    )


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("time branching.f 16 jax", "1.00 s to 1.20 s"),
        ("time branching.f 16 jax first call", "3.00 s"),
        ("share branching.f/branching.g 16 jax", "23 to 27 %"),
        ("share branching.g/branching.f 16 jax", "367 to 440 %"),
        ("share branching.f/branching.f 16 jax", "100 %"),
        ("factor branching.h/branching.f 16 jax", "2.1"),
        ("factor branching.f/branching.g 16 jax", "0.23 to 0.27"),
        ("all", "0"),
        ("machine", "A processor, 2 cores"),
    ],
)
def test_a_number_has_a_name(results, key, said):
    assert lookup.number(results, key).replace("\N{NO-BREAK SPACE}", " ") == said


@pytest.mark.parametrize(
    ("key", "complaint"),
    [
        ("time branching.f 16 numpy", "'branching.f 16 numpy compiled' was not timed; the nearest"),
        ("time branching.f 16 torch first call", "the first call of branching.f 16 torch was not"),
        ("time branching.f/branching.g 16 jax", "`time` takes one function"),
        ("share branching.f 16 jax", "`share` and `factor` take two"),
        ("time branching.f many jax", "the size is a whole number, not 'many'"),
        ("nothing", "there is no number 'nothing'; there are all, first all"),
    ],
)
def test_a_number_that_is_not_there_is_named(results, key, complaint):
    with pytest.raises(LookupError, match=complaint):
        lookup.number(results, key)
