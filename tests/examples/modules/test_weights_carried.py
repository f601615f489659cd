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
