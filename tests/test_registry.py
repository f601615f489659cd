"""Registry and folders agree: nothing is unlisted, and no half is without its twin."""

import numpy as np
import pytest

from jaxvstorch import frameworks, source
from jaxvstorch.registry import PAIRS, topics

FOLDERS = sorted(
    p.parent.name for p in source.path("tracing", "jax").parent.parent.glob("*/__init__.py")
)


def test_every_topic_folder_is_listed() -> None:
    assert sorted(topics()) == FOLDERS


@pytest.mark.parametrize("topic", FOLDERS)
@pytest.mark.parametrize("framework", frameworks.FRAMEWORKS)
def test_every_function_of_a_half_is_listed(topic: str, framework: str) -> None:
    listed = {pair.name for pair in PAIRS if pair.topic == topic}
    assert set(source.names(topic, framework)) == listed


def test_no_pair_is_listed_twice() -> None:
    assert len({str(pair) for pair in PAIRS}) == len(PAIRS)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_inputs_are_the_same_for_the_same_seed_and_others_for_another(pair) -> None:
    first, again, other = (pair.make_inputs(16, np.float32, seed) for seed in (1, 1, 2))
    arrays = [i for i, value in enumerate(first) if isinstance(value, np.ndarray)]
    assert all(np.array_equal(first[i], again[i]) for i in arrays)
    assert not arrays or any(not np.array_equal(first[i], other[i]) for i in arrays)
