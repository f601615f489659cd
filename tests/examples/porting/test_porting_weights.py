"""What no page says of carrying weights: `porting` and `porting-pretrained` hold the rest."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("flax")

import jax
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


class Block(nnx.Module):
    """What a loader by kernels and biases alone would miss."""

    def __init__(self) -> None:
        rngs = nnx.Rngs(0)
        self.class_token = nnx.Param(np.zeros((1, 4), np.float32))
        self.query, self.key = (nnx.Linear(4, 4, rngs=rngs) for _ in range(2))
        self.value = nnx.Linear(4, 4, rngs=rngs)
        self.up = nnx.ConvTranspose(4, 4, (3,), transpose_kernel=True, rngs=rngs)


def test_each_parameter_is_loaded_or_named() -> None:
    block = Block()
    given = weights.state_dict(block)
    assert {"class_token", "query.weight", "key.weight", "value.bias"} <= set(given)
    weights.load(block, given | {"class_token": np.ones((1, 4))})
    assert block.class_token[...].tolist() == [[1] * 4]
    del given["class_token"]
    with pytest.raises(weights.WeightsError, match=r"missing: class_token \(1, 4\)"):
        weights.load(block, given)


def test_a_kernel_that_jax_turns_itself_is_not_turned() -> None:
    block, given = Block(), weights.state_dict(Block())
    weights.load(block, given)
    np.testing.assert_array_equal(block.up.kernel[...], given["up.weight"].transpose(2, 1, 0))


@pytest.mark.parametrize(
    ("flattened", "rename", "problem"),
    [
        (
            {"hiddens": (8, 4, 4)},
            str,
            "flattened, but no linear layer with that many inputs: hiddens",
        ),
        ({"hidden": (8, 4)}, str, "flattened, but no linear layer with that many inputs: hidden"),
        ({}, lambda name: name.replace("output", "hidden"), "two arrays of the model: hidden.bias"),
    ],
)
def test_names_that_mean_nothing_or_two_things_are_refused(
    model, state_dict, flattened, rename, problem
) -> None:
    with pytest.raises(weights.WeightsError, match=problem):
        weights.load(model, state_dict, flattened, rename)
    with pytest.raises(weights.WeightsError, match="merge it into a module first"):
        weights.state_dict(nnx.state(model))


def test_what_it_returns_does_not_share_memory_with_the_model() -> None:
    layer = nnx.LayerNorm(4, rngs=nnx.Rngs(0))
    weights.state_dict(layer)["bias"][:] = 5
    assert layer.bias[...].tolist() == [0] * 4


def test_an_array_that_numpy_cannot_read_is_named() -> None:
    torch = pytest.importorskip("torch")
    model = nnx.Linear(2, 2, use_bias=False, rngs=nnx.Rngs(0))
    with pytest.raises(weights.WeightsError, match=r"^weight: .*BFloat16; `\.detach"):
        weights.load(model, {"weight": torch.ones(2, 2, dtype=torch.bfloat16)})


def test_an_einsum_is_refused_for_its_layout_is_its_own() -> None:
    model = nnx.Einsum("ab,bc->ac", (2, 2), rngs=nnx.Rngs(0))
    with pytest.raises(weights.WeightsError, match="an Einsum, which may have any layout"):
        weights.load(model, {"weight": np.ones((2, 2), np.float32)})


def test_a_sharded_model_stays_sharded() -> None:
    mesh = jax.make_mesh((1,), ("data",))
    sharding = jax.NamedSharding(mesh, jax.P("data"))
    model = nnx.Linear(2, 2, use_bias=False, rngs=nnx.Rngs(0))
    model.kernel.set_value(jax.device_put(model.kernel[...], sharding))
    weights.load(model, {"weight": np.ones((2, 2), np.float32)})
    assert model.kernel.get_value().sharding == sharding
