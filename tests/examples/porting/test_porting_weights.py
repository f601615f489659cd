"""What no page says of carrying weights: `porting` and `porting-pretrained` hold the rest."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("flax")

from flax import nnx

from jaxvstorch.examples.porting import inputs, jax_nnx, weights


@pytest.fixture
def state_dict() -> dict[str, Any]:
    params, statistics, _ = inputs.network(64, np.dtype(np.float32), np.random.default_rng(0))
    return params | statistics


@pytest.fixture
def model() -> nnx.Module:
    return nnx.eval_shape(lambda: jax_nnx.DigitsNet(nnx.Rngs(0)))


@pytest.mark.parametrize("flattened", [{}, weights.FLATTENED], ids=["plain", "flattened"])
def test_there_and_back_nothing_changes(model, state_dict, flattened) -> None:
    weights.load(model, state_dict, flattened)
    back = weights.state_dict(model, flattened)
    assert set(back) == set(state_dict)
    for name, array in state_dict.items():
        np.testing.assert_array_equal(back[name], array)


def test_the_layer_after_a_flatten_sums_the_same_in_another_order(model, state_dict) -> None:
    x = np.random.default_rng(1).standard_normal((5, 8, 4, 4)).astype(np.float32)
    answer = x.reshape(5, -1) @ state_dict["hidden.weight"].T
    channels_last = x.transpose(0, 2, 3, 1).reshape(5, -1)
    weights.load(model, state_dict, weights.FLATTENED)
    kernel = np.asarray(model.hidden.kernel[...])
    np.testing.assert_allclose(channels_last @ kernel, answer, atol=1e-5)


def test_what_batch_norm_counts_is_left_out(model, state_dict) -> None:
    weights.load(model, state_dict | {"batch_norm.num_batches_tracked": np.asarray(3)})
    assert set(weights.state_dict(model)) == set(state_dict)


def test_the_model_does_not_share_memory_with_what_it_was_given(state_dict) -> None:
    model = nnx.Linear(16, 16, use_bias=False, rngs=nnx.Rngs(0))
    given = np.zeros((16, 16), np.float32).T  # so that no step on the way has to copy
    weights.load(model, {"weight": given})
    given += 1
    assert float(abs(model.kernel[...]).max()) == 0


def test_all_that_does_not_fit_is_named_and_nothing_is_loaded(model, state_dict) -> None:
    given = state_dict | {"hidden.weight": np.ones((2, 3)), "pool.bias": np.ones(4)}
    del given["output.bias"]
    with pytest.raises(weights.WeightsError) as caught:
        weights.load(model, given)
    assert str(caught.value).splitlines() == [
        "the weights do not fit:",
        "missing: output.bias (10,)",
        "unexpected: pool.bias (4,)",
        "wrong shape: hidden.weight (2, 3), expected (32, 128)",
    ]
    assert not isinstance(model.conv.kernel.get_value(), np.ndarray)
