"""Indices that come more than once."""

import numpy as np
import pytest

THREE_TIMES = [1, 1, 1]


def test_add_counts_every_repeat_and_read_add_write_counts_one(jax, torch, in_jax, in_torch):
    for half, array in ((in_jax, jax.numpy.array), (in_torch, torch.tensor)):
        zeros, index, ones = array([0.0] * 4), array(THREE_TIMES), array([1.0] * 3)
        assert half.add_at(zeros, index, ones).tolist() == [0, 3, 0, 0]
        assert half.count_once(zeros, index).tolist() == [0, 1, 0, 0]


def test_numpy_loses_repeats_as_torch_does() -> None:
    zeros = np.zeros(4)
    zeros[THREE_TIMES] += 1
    assert zeros.tolist() == [0, 1, 0, 0]


def test_the_gradient_of_a_repeated_set_goes_to_one_in_jax_and_to_all_in_torch(jax, torch) -> None:
    def in_jax(values):
        return jax.numpy.zeros(4).at[jax.numpy.array(THREE_TIMES)].set(values)[1]

    def in_torch(values):
        y = torch.zeros(4)
        y[torch.tensor(THREE_TIMES)] = values
        return y[1]

    values = [1.0, 2.0, 3.0]
    assert jax.grad(in_jax)(jax.numpy.array(values)).tolist() == [0, 0, 1]
    assert torch.func.grad(in_torch)(torch.tensor(values)).tolist() == [1, 1, 1]


@pytest.mark.parametrize(("method", "slope"), [("multiply", 1), ("divide", -1), ("power", 0)])
def test_jax_differentiates_factors_only_for_unique_indices(jax, method: str, slope) -> None:
    def scaled(values, **promise):
        index = jax.numpy.array([0, 1, 2])
        return getattr(jax.numpy.ones(4).at[index], method)(values, **promise).sum()

    with pytest.raises(NotImplementedError, match="unique_indices=True"):
        jax.grad(scaled)(jax.numpy.ones(3))
    found = jax.grad(lambda values: scaled(values, unique_indices=True))(jax.numpy.ones(3))
    assert found.tolist() == [slope] * 3
