"""What goes wrong with modules, and which of it says so."""

import numpy as np
import pytest


def test_a_list_of_layers_is_lost_in_torch(torch) -> None:
    class Plain(torch.nn.Module):
        def __init__(self, kind):
            super().__init__()
            self.layers = kind([torch.nn.Linear(2, 2)])

    assert list(Plain(list).parameters()) == []
    assert list(Plain(list).state_dict()) == []
    assert len(list(Plain(torch.nn.ModuleList).parameters())) == 2


def test_a_layer_before_init_is_refused_by_torch(torch) -> None:
    class Early(torch.nn.Module):
        def __init__(self):
            self.layer = torch.nn.Linear(1, 1)

    with pytest.raises(AttributeError, match="cannot assign module before"):
        Early()


def test_a_list_of_layers_is_refused_by_nnx(nnx, jax) -> None:
    class Plain(nnx.Module):
        def __init__(self, kind):
            self.layers = kind([nnx.Linear(2, 2, rngs=nnx.Rngs(0))])

    with pytest.raises(ValueError, match="assigned to static attribute 'layers'"):
        Plain(list)
    assert len(jax.tree.leaves(nnx.state(Plain(nnx.List), nnx.Param))) == 2
    assert len(jax.tree.leaves(nnx.state(Plain(nnx.data), nnx.Param))) == 2


def test_a_list_of_layers_is_a_pytree_in_equinox(eqx, jax) -> None:
    class Plain(eqx.Module):
        layers: list

    layers = [eqx.nn.Linear(2, 2, key=jax.random.key(0))]
    assert len(jax.tree.leaves(eqx.filter(Plain(layers), eqx.is_array))) == 2


def test_jax_grad_of_an_nnx_module_meets_its_key(flax_network, jax, images) -> None:
    with pytest.raises(TypeError, match="real- or complex-valued inputs"):
        jax.grad(lambda model: model(images.transpose(0, 2, 3, 1)).sum())(flax_network)


def test_jax_jit_refuses_what_is_no_array_and_filter_jit_takes_it(
    equinox_network, in_equinox, eqx, jax, images
) -> None:
    model, state = equinox_network
    x, key = jax.numpy.asarray(images), jax.random.key(0)
    with pytest.raises(TypeError, match="type <class 'str'>"):
        jax.jit(in_equinox.apply)(model, state, x, key)
    y, _ = eqx.filter_jit(in_equinox.apply)(model, state, x, key)
    assert y.shape == (5, 3)


def test_jax_jit_takes_an_equinox_layer_of_arrays_and_traces_the_flag_of_another(eqx, jax) -> None:
    jitted = jax.jit(lambda layer, row: layer(row))
    row = jax.numpy.ones(2)
    assert jitted(eqx.nn.Linear(2, 2, key=jax.random.key(0)), row).shape == (2,)
    with pytest.raises(jax.errors.TracerBoolConversionError):
        jitted(eqx.nn.inference_mode(eqx.nn.Dropout()), row)


def test_equinox_modules_do_not_change(equinox_network) -> None:
    with pytest.raises(AttributeError, match="cannot assign to field 'head'"):
        equinox_network[0].head = None


def test_a_batch_norm_of_equinox_needs_the_axis_by_name(equinox_network, jax, images) -> None:
    model, state = equinox_network
    with pytest.raises(NameError, match="batch"):
        model(jax.numpy.asarray(images[0]), state, jax.random.key(0))


def test_one_value_per_channel(torch, nnx, jax) -> None:
    with pytest.raises(ValueError, match="more than 1 value per channel"):
        torch.nn.BatchNorm1d(3)(torch.ones(1, 3))
    y = nnx.BatchNorm(3, rngs=nnx.Rngs(0))(5 * jax.numpy.ones((1, 3)))
    np.testing.assert_array_equal(y, np.zeros((1, 3)))
