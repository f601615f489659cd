"""Weights carried from PyTorch's names and layout to flax's, and back."""

import numpy as np
import pytest

from jaxvstorch.examples.porting import inputs, weights


@pytest.fixture
def state_dict() -> dict[str, np.ndarray]:
    params, statistics, _ = inputs.network(64, np.dtype(np.float32), np.random.default_rng(0))
    return params | statistics


def shapes(arrays) -> dict[str, tuple[int, ...]]:
    return {name: array.shape for name, array in arrays.items()}


def test_names_and_shapes_become_those_of_flax(state_dict) -> None:
    assert shapes(weights.to_flax(state_dict, weights.FLATTENED)) == {
        "conv.kernel": (3, 3, 1, 8),
        "batch_norm.scale": (8,),
        "batch_norm.bias": (8,),
        "batch_norm.mean": (8,),
        "batch_norm.var": (8,),
        "hidden.kernel": (128, 32),
        "hidden.bias": (32,),
        "layer_norm.scale": (32,),
        "layer_norm.bias": (32,),
        "output.kernel": (32, 10),
        "output.bias": (10,),
    }


@pytest.mark.parametrize("flattened", [{}, weights.FLATTENED], ids=["plain", "flattened"])
def test_there_and_back_nothing_changes(state_dict, flattened) -> None:
    back = weights.to_torch(weights.to_flax(state_dict, flattened), flattened)
    assert set(back) == set(state_dict)
    for name, array in state_dict.items():
        np.testing.assert_array_equal(back[name], array)


def test_the_layer_after_a_flatten_sums_the_same_in_another_order(state_dict) -> None:
    x = np.random.default_rng(1).standard_normal((5, 8, 4, 4)).astype(np.float32)
    answer = x.reshape(5, -1) @ state_dict["hidden.weight"].T
    channels_last = x.transpose(0, 2, 3, 1).reshape(5, -1)
    kernel = weights.to_flax(state_dict, weights.FLATTENED)["hidden.kernel"]
    np.testing.assert_allclose(channels_last @ kernel, answer, atol=1e-5)
    transposed = weights.to_flax(state_dict, {})["hidden.kernel"]
    assert transposed.shape == kernel.shape  # so that no shape tells of it
    assert abs(channels_last @ transposed - answer).max() > 0.1


def test_what_batch_norm_counts_is_left_out(state_dict) -> None:
    given = state_dict | {"batch_norm.num_batches_tracked": np.asarray(3)}
    assert shapes(weights.to_flax(given, {})) == shapes(weights.to_flax(state_dict, {}))


def test_all_that_does_not_fit_is_named() -> None:
    given = {"a.kernel": np.ones((2, 3)), "b.bias": np.ones(4), "d.bias": np.ones(1)}
    wanted = {"a.kernel": (3, 2), "b.bias": (4,), "c.bias": (5,), "e.bias": (6,)}
    with pytest.raises(weights.WeightsError) as caught:
        weights.require_fit(given, wanted)
    assert str(caught.value).splitlines() == [
        "the weights do not fit:",
        "missing: c.bias (5,)",
        "missing: e.bias (6,)",
        "unexpected: d.bias (1,)",
        "wrong shape: a.kernel (2, 3), expected (3, 2)",
    ]


def test_what_fits_is_let_through() -> None:
    weights.require_fit({"a.bias": np.ones(2)}, {"a.bias": (2,)})
