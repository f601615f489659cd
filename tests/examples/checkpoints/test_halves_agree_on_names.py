"""What both halves say of checkpoints that do not belong together, or are half as precise."""

import numpy as np
import pytest


def test_a_name_that_one_of_them_lacks_is_an_error(framework, half) -> None:
    numpy = {"jax": "jax.numpy", "torch": "torch"}[framework]
    one = pytest.importorskip(numpy).ones(1)
    more, less = {"a": one, "b": one}, {"a": one}
    for first, second in ((more, less), (less, more)):
        with pytest.raises((ValueError, KeyError), match="b"):
            half.largest_difference(first, second)
        with pytest.raises((ValueError, KeyError), match="b"):
            half.mean_of_checkpoints([first, second])


def test_the_mean_does_not_overflow_where_the_sum_would(framework, half) -> None:
    numpy = pytest.importorskip({"jax": "jax.numpy", "torch": "torch"}[framework])
    x = numpy.ones(1, dtype=numpy.float16) * 60_000
    mean = half.mean_of_checkpoints([{"a": x}, {"a": x}, {"a": x}])["a"]
    np.testing.assert_array_equal(np.asarray(mean), np.asarray(x))
