"""The network is one in all four ways: what a training step gives and leaves."""

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


def gradients(jax, in_jax, carried, images, probe, keep):
    """Of the probed scores, in the weights; and the new statistics."""
    parameters, statistics = split(carried)

    def score(parameters):
        y, new = in_jax.network_train(parameters, statistics, images, keep)
        return (y * probe).sum(), new

    return jax.grad(score, has_aux=True)(parameters)


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


def test_equinox_starts_with_a_variance_that_it_blows_up(eqx, jax) -> None:
    norm, state = eqx.nn.make_with_state(eqx.nn.BatchNorm)(1, axis_name="batch", mode="batch")
    x = jax.random.normal(jax.random.key(0), (256, 1))

    def apply(norm, state):
        axes = {"in_axes": (0, None), "out_axes": (0, None), "axis_name": "batch"}
        return jax.vmap(norm, **axes)(x, state)

    _, state = apply(norm, state)
    deviations = {1: apply(eqx.nn.inference_mode(norm), state)[0].std()}
    _, variance = state.get(norm.batch_state_index)
    np.testing.assert_allclose(variance, 0.99 + 0.01 * x.var(), rtol=1e-6)
    for steps in (100, 1000):  # what further steps on the same batch would leave
        kept = 0.99**steps
        statistics = (1 - kept) * x.mean(0), kept + (1 - kept) * x.var(0)
        state = state.set(norm.batch_state_index, statistics)
        state = state.set(norm.batch_counter, jax.numpy.asarray(steps))
        deviations[steps] = apply(eqx.nn.inference_mode(norm), state)[0].std()
    # A variance of 1 is divided by 1 - 0.99**steps, as if it had begun at 0.
    assert deviations[1] == pytest.approx(0.1, rel=0.1)
    assert deviations[100] == pytest.approx(0.8, rel=0.05)
    assert deviations[1000] == pytest.approx(1, rel=0.01)
