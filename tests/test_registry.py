"""Registry and folders agree: nothing is unlisted, and no half is without its twin."""

from pathlib import Path

import numpy as np
import pytest

import jaxvstorch
from jaxvstorch import _frameworks
from jaxvstorch._frameworks.containers import arrays_in
from jaxvstorch._pairs import source
from jaxvstorch._pairs.registry import PAIRS, pairs_of, position, topics

BOOK = Path(__file__).parents[1] / "book"


@pytest.mark.parametrize("topic", topics())
def test_a_topic_s_pairs_take_its_own_inputs(topic: str) -> None:
    assert {pair.topic for pair in pairs_of(topic)} == {topic}


@pytest.mark.parametrize("topic", topics())
@pytest.mark.parametrize("framework", _frameworks.FRAMEWORKS)
def test_every_function_of_a_half_is_listed(topic: str, framework: str) -> None:
    found, listed = set(source.names(topic, framework)), {pair.name for pair in pairs_of(topic)}
    assert found - listed == set(), f"these stand in {framework}.py and not in pairs.py"
    assert listed - found == set(), f"these stand in pairs.py and not in {framework}.py"


@pytest.mark.parametrize("topic", topics())
def test_no_other_topic_has_this_one_s_place_in_the_book(topic: str) -> None:
    assert [other for other in topics() if position(other) == position(topic)] == [topic]


def test_no_pair_is_listed_twice() -> None:
    assert len({str(pair) for pair in PAIRS}) == len(PAIRS)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_a_pair_is_on_a_page_of_its_topic(pair) -> None:
    pages = [BOOK / f"topics/{pair.topic}.md", *BOOK.glob(f"topics/{pair.topic}-*.md")]
    shown = f"{{pair}} {pair}"
    texts = [page.read_text(encoding="utf-8") for page in pages]
    assert any(f"```{shown}\n" in text for text in texts), f"show it: {shown}"


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_inputs_are_the_same_for_the_same_seed_and_others_for_another(pair) -> None:
    first, again, other = (pair.make_inputs(16, np.float32, seed) for seed in (1, 1, 2))
    ours, same, others = map(arrays_in, (first, again, other))
    assert all(map(np.array_equal, ours, same))
    assert not ours or not all(map(np.array_equal, ours, others))


@pytest.mark.parametrize(
    "dtype",
    ["int32", "complex64", "bool", "object", "S3", "nonsense", None, ">f4", "longdouble", 3],
)
def test_a_dtype_that_no_topic_has_is_refused(dtype) -> None:
    with pytest.raises(TypeError, match="dtype must be bfloat16 or float16"):
        PAIRS[0].make_inputs(3, dtype)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", float, np.float32, "f32"])
def test_inputs_have_the_dtype_that_is_asked_for(dtype) -> None:
    import ml_dtypes  # noqa: F401  it tells NumPy of bfloat16

    expected = np.dtype("float32" if dtype == "f32" else dtype)
    assert PAIRS[0].make_inputs(3, dtype)[0].dtype == expected


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({"size": 0}, ValueError, "size must be at least 1, but is 0"),
        ({"size": -1}, ValueError, "size must be at least 1, but is -1"),
        ({"size": 2.5}, TypeError, "size must be a whole number, not 2.5"),
        ({"size": True}, TypeError, "size must be a whole number, not True"),
        ({"size": None}, TypeError, "size must be a whole number, not None"),
        ({"size": 3, "seed": -1}, ValueError, "seed must be at least 0, but is -1"),
        ({"size": 3, "seed": 1.5}, TypeError, "seed must be a whole number, not 1.5"),
        ({"size": 3, "seed": None}, TypeError, "seed must be a whole number, not None"),
    ],
    ids=str,
)
def test_a_size_or_a_seed_that_is_none_is_refused(asked, error, message) -> None:
    with pytest.raises(error, match=f"^{message}$"):
        PAIRS[0].make_inputs(**asked)


def test_an_example_is_the_pair_of_its_name() -> None:
    assert [jaxvstorch.example(str(pair)) for pair in PAIRS] == list(PAIRS)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("branching.select_wher", "there is no pair or topic .* Did you mean branching.select_wh"),
        ("select_where", "Did you mean branching.select_where?"),
        ("branching", "branching is a topic: name one of its pairs, such as branching.select_if"),
        (3, "there is no pair or topic 3. `jaxvstorch list` shows what there is."),
    ],
)
def test_a_name_without_example_is_one_clear_error(name, message) -> None:
    with pytest.raises(LookupError, match=message):
        jaxvstorch.example(name)


@pytest.mark.parametrize("function", [pairs_of, position])
def test_a_topic_that_there_is_not_is_one_clear_error(function) -> None:
    with pytest.raises(LookupError, match=r"no pair or topic 'brunching'\. Did you mean branching"):
        function("brunching")
