"""The network is one in all four ways: outputs, gradients, and what a training step leaves."""

import numpy as np
import pytest

from jaxvstorch.examples.modules import reference, weights

PIXELS = 5 * 4 * 4  # numbers that a channel's statistics are of


def split(carried):
    return tuple({n: carried[n] for n in part} for part in (weights.PARAMETERS, weights.STATISTICS))


def channels_last(images):
    return images.transpose(0, 2, 3, 1)


def same(found, wanted, tolerance=2e-5) -> None:
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def same_names(found, wanted) -> None:
    assert set(found) == set(wanted)
    for name, array in wanted.items():
        np.testing.assert_allclose(found[name], array, rtol=2e-4, atol=2e-5, err_msg=name)


@pytest.fixture
def evaluated(carried, images):
    """What NumPy says."""
    return reference.network_eval(*split(carried), images)


def gradients(jax, in_jax, carried, images, probe, keep=None):
    """Of the probed scores, in the weights; and the new statistics."""
    parameters, statistics = split(carried)

    def score(parameters):
        if keep is None:
            return (in_jax.network_eval(parameters, statistics, images) * probe).sum(), statistics
        y, new = in_jax.network_train(parameters, statistics, images, keep)
        return (y * probe).sum(), new

    return jax.grad(score, has_aux=True)(parameters)


def test_torch_module_in_eval_mode(torch_network, torch, images, evaluated) -> None:
    same(torch_network.eval()(torch.tensor(images)).detach(), evaluated)


def test_flax_in_eval_mode(flax_network, nnx, images, evaluated) -> None:
    view = nnx.view(flax_network, deterministic=True, use_running_average=True)
    same(view(channels_last(images)), evaluated)
    flax_network.eval()  # it changes the model itself, and does the same
    same(flax_network(channels_last(images)), evaluated)


def test_equinox_in_eval_mode(equinox_network, in_equinox, eqx, jax, images, evaluated) -> None:
    model, state = equinox_network
    y, after = in_equinox.apply(eqx.nn.inference_mode(model), state, jax.numpy.asarray(images))
    same(y, evaluated)
    same_names(in_equinox.weights_of(model, after), in_equinox.weights_of(model, state))


def test_gradients_in_eval_mode(
    torch_network, flax_network, equinox_network, module, in_flax, in_equinox, nnx, eqx,
    jax, torch, in_jax, carried, images, probe,
) -> None:  # fmt: skip
    wanted, _ = gradients(jax, in_jax, carried, images, probe)
    (torch_network.eval()(torch.tensor(images)) * torch.tensor(probe)).sum().backward()
    same_names(module.gradients_of(torch_network), wanted)
    view = nnx.view(flax_network, deterministic=True, use_running_average=True)
    of_flax = nnx.grad(lambda m: (m(channels_last(images)) * probe).sum())(view)
    same_names(in_flax.weights_of(of_flax), wanted)
    model, state = equinox_network
    x = jax.numpy.asarray(images)
    of_equinox = eqx.filter_grad(lambda m: (in_equinox.apply(m, state, x)[0] * probe).sum())
    same_names(in_equinox.weights_of(of_equinox(eqx.nn.inference_mode(model))), wanted)


def test_a_training_step_of_torch(
    torch_network, module, jax, torch, in_jax, carried, images, probe
) -> None:
    torch.manual_seed(0)
    y = torch_network(torch.tensor(images))
    torch.manual_seed(0)
    keep = (torch_network.dropout(torch.ones(5, weights.HIDDEN)) > 0).numpy()
    same(y.detach(), reference.network_train(*split(carried), images, keep)[0])
    (y * torch.tensor(probe)).sum().backward()
    wanted, statistics = gradients(jax, in_jax, carried, images, probe, keep)
    same_names(module.gradients_of(torch_network), wanted)
    found = module.weights_of(torch_network)
    same_names({name: found[name] for name in statistics}, statistics)


def other_variance(found, statistics, carried) -> None:
    """The means agree; what the batch adds to the variance is that of n, not of n - 1."""
    same(found["norm.running_mean"], statistics["norm.running_mean"])
    name = "norm.running_var"
    added, wanted = (v[name] - 0.9 * carried[name] for v in (found, statistics))
    same(np.asarray(added) * PIXELS / (PIXELS - 1), wanted)
    assert abs(added - wanted).max() > 1e-4


def test_a_training_step_of_flax(
    flax_network, in_flax, nnx, jax, in_jax, carried, images, probe
) -> None:
    keep = np.array(nnx.clone(flax_network.dropout)(np.ones((5, weights.HIDDEN))) > 0)

    def score(model):
        y = model(channels_last(images))
        return (y * probe).sum(), y

    found, y = nnx.grad(score, has_aux=True)(flax_network)
    same(y, reference.network_train(*split(carried), images, keep)[0])
    wanted, statistics = gradients(jax, in_jax, carried, images, probe, keep)
    same_names(in_flax.weights_of(found), wanted)
    other_variance(in_flax.weights_of(flax_network), statistics, carried)


def test_a_training_step_of_equinox(
    equinox_network, in_equinox, eqx, jax, in_jax, carried, images, probe
) -> None:
    (model, state), key = equinox_network, jax.random.key(7)
    x, ones = jax.numpy.asarray(images), jax.numpy.ones((5, weights.HIDDEN))
    keep = np.array(jax.vmap(model.dropout)(ones, key=jax.random.split(key, 5)) > 0)

    def score(model):
        y, new = in_equinox.apply(model, state, x, key)
        return (y * probe).sum(), (y, new)

    found, (y, new) = eqx.filter_grad(score, has_aux=True)(model)
    same(y, reference.network_train(*split(carried), images, keep)[0])
    wanted, statistics = gradients(jax, in_jax, carried, images, probe, keep)
    same_names(in_equinox.weights_of(found), wanted)
    other_variance(in_equinox.weights_of(model, new), statistics, carried)


def test_the_gradient_of_batch_norm_goes_through_the_batch(jax, torch, in_jax, in_torch) -> None:
    rng = np.random.default_rng(0)
    arguments = [rng.standard_normal((3, 2, 4, 4)), *rng.uniform(0.5, 2, (4, 2))]
    arguments = [a.astype(np.float32) for a in arguments]
    probe = rng.standard_normal((3, 2, 4, 4)).astype(np.float32)
    by_jax = jax.grad(lambda *a: (in_jax.batch_norm_train(*a)[0] * probe).sum(), (0, 1, 2))
    tensors = [torch.tensor(a, requires_grad=i < 3) for i, a in enumerate(arguments)]
    (in_torch.batch_norm_train(*tensors)[0] * torch.tensor(probe)).sum().backward()
    for ours, theirs in zip(by_jax(*arguments), tensors, strict=False):
        same(ours, theirs.grad)
    assert not in_torch.batch_norm_train(*tensors)[1].requires_grad  # a running statistic
