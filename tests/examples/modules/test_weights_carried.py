"""Weights go into each library and come back; what does not fit is named, all of it."""

import numpy as np
import pytest

from jaxvstorch.examples.modules import weights


def same(found, wanted) -> None:
    assert list(found) == list(wanted)
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name)
        assert found[name].dtype == array.dtype


def test_they_come_back_from_torch(torch_network, module, carried) -> None:
    same(module.weights_of(torch_network), carried)


def test_they_come_back_from_flax(flax_network, in_flax, carried) -> None:
    found = in_flax.weights_of(flax_network)
    same({name: found[name] for name in weights.SHAPES}, carried)
    assert len(found) == len(carried)


def test_they_come_back_from_equinox(equinox_network, in_equinox, carried) -> None:
    same(in_equinox.weights_of(*equinox_network), carried)


def test_what_came_back_is_a_copy(torch_network, module, flax_network, in_flax, carried) -> None:
    for found in (module.weights_of(torch_network), in_flax.weights_of(flax_network)):
        found["conv.bias"][...] = 7
    same(module.weights_of(torch_network), carried)
    np.testing.assert_array_equal(flax_network.conv.bias[...], carried["conv.bias"])


@pytest.fixture
def wrong(carried):
    """One name is missing, one is unexpected, and one is transposed."""
    del carried["conv.bias"]
    carried["head.scale"] = np.ones(3)
    carried["head.weight"] = carried["head.weight"].T
    return carried


def names_all(error) -> None:
    for line in (
        "missing: conv.bias",
        "unexpected: head.scale",
        "wrong shape: head.weight is (8, 3), and must be (3, 8)",
    ):
        assert line in str(error.value)


def test_torch_refuses_what_does_not_fit(torch_network, module, wrong) -> None:
    before = module.weights_of(torch_network)
    with pytest.raises(weights.WeightsError) as error:
        module.load(torch_network, wrong)
    names_all(error)
    same(module.weights_of(torch_network), before)


def test_flax_refuses_what_does_not_fit(flax_network, in_flax, wrong) -> None:
    with pytest.raises(weights.WeightsError) as error:
        in_flax.load(flax_network, wrong)
    names_all(error)


def test_equinox_refuses_what_does_not_fit(equinox_network, in_equinox, wrong) -> None:
    with pytest.raises(weights.WeightsError) as error:
        in_equinox.load(*equinox_network, wrong)
    names_all(error)


def test_what_the_libraries_themselves_refuse(
    torch_network, flax_network, equinox_network, torch, jax, nnx, eqx
) -> None:
    bad = dict(torch_network.state_dict(), more=torch.ones(1))
    del bad["conv.bias"]
    bad["head.weight"] = bad["head.weight"].T
    with pytest.raises(RuntimeError, match=r"Missing key[\s\S]*Unexpected key[\s\S]*size mismatch"):
        torch_network.load_state_dict(bad)
    bad["conv.weight"] = torch.ones_like(bad["conv.weight"])
    with pytest.raises(RuntimeError, match="Missing key"):
        torch_network.load_state_dict(bad)
    assert (torch_network.conv.weight == 1).all()  # what fits is copied before it raises
    part = {"conv": {"bias": nnx.state(flax_network)["conv"]["bias"]}}
    nnx.update(flax_network, nnx.State(part))  # what is missing stays as it was
    other = jax.numpy.ones((7, 5))
    copied = nnx.clone(flax_network)
    odd = {"kernel": nnx.Param(other), "extra": nnx.Param(jax.numpy.ones(3))}
    nnx.update(copied.head, nnx.State(odd))
    assert copied.head.kernel.shape == (7, 5)
    assert copied.head.extra.shape == (3,)
    model = eqx.tree_at(lambda m: m.head.weight, equinox_network[0], other)
    assert model.head.weight.shape == (7, 5)
    with pytest.raises(ValueError, match="ncompatible"):
        flax_network.head.kernel[...] = other
    flax_network.head.kernel = nnx.Param(other)
    assert flax_network.head.kernel.shape == (7, 5)


def test_flattened_images_have_another_order(carried, images, jax, in_jax) -> None:
    last = images.transpose(0, 2, 3, 1)
    assert last.reshape(5, -1).shape == images.reshape(5, -1).shape
    assert not np.allclose(last.reshape(5, -1), images.reshape(5, -1))
