"""Training and evaluation mode, and where the running statistics are kept."""

import numpy as np
import pytest


def last(images):
    return images.transpose(0, 2, 3, 1)


def test_a_module_starts_in_training_mode(
    torch_network, flax_network, equinox_network, torch
) -> None:
    assert torch_network.training
    assert not flax_network.dropout.deterministic
    assert not flax_network.norm.use_running_average
    assert not equinox_network[0].dropout.inference
    assert not equinox_network[0].norm.inference


def test_who_forgets_eval_gets_other_scores_and_changes_the_statistics(
    torch_network, flax_network, torch, images
) -> None:
    x = torch.tensor(images)
    before = torch_network.norm.running_mean.clone()
    with torch.no_grad():
        assert not torch.equal(torch_network(x), torch_network(x))
    assert not torch.equal(torch_network.norm.running_mean, before)
    before = np.array(flax_network.norm.mean[...])
    assert not np.array_equal(flax_network(last(images)), flax_network(last(images)))
    assert not np.array_equal(flax_network.norm.mean[...], before)


def test_who_forgets_inference_mode_in_equinox_is_asked_for_a_key(
    equinox_network, in_equinox, jax, images
) -> None:
    with pytest.raises(RuntimeError, match="requires a key when running in non-deterministic"):
        in_equinox.apply(*equinox_network, jax.numpy.asarray(images))


def test_who_forgets_inference_mode_in_equinox_without_dropout_hears_nothing(
    equinox_network, in_equinox, eqx, jax, images
) -> None:
    (model, state), x = equinox_network, jax.numpy.asarray(images)
    model = eqx.tree_at(lambda m: m.dropout.p, model, 0)
    forgotten, _ = in_equinox.apply(model, state, x)
    wanted, _ = in_equinox.apply(eqx.nn.inference_mode(model), state, x)
    assert not np.allclose(forgotten, wanted, atol=1e-3)


def test_eval_mode_of_torch_is_no_matter_of_gradients(torch_network, torch, images) -> None:
    assert torch_network.eval()(torch.tensor(images)).requires_grad
    with torch.no_grad():
        assert torch_network.training is False


def test_a_view_shares_the_variables_and_leaves_the_mode(flax_network, nnx, images) -> None:
    view = nnx.view(flax_network, deterministic=True, use_running_average=True)
    assert view.norm.mean is flax_network.norm.mean
    assert view.norm.use_running_average
    assert not flax_network.norm.use_running_average
    flax_network(last(images))
    np.testing.assert_array_equal(view.norm.mean[...], flax_network.norm.mean[...])


def test_a_view_refuses_a_name_that_nothing_has_and_set_attributes_too(flax_network, nnx) -> None:
    with pytest.raises(ValueError, match="Unused keys"):
        nnx.view(flax_network, evaluate=True)
    with pytest.raises(ValueError, match="evaluate"):
        flax_network.set_attributes(evaluate=True)
    flax_network.layer_norm.eval()  # nothing there to set, and no error


def test_inference_mode_returns_a_copy(equinox_network, eqx) -> None:
    model, _ = equinox_network
    assert eqx.nn.inference_mode(model).dropout.inference
    assert not model.dropout.inference


def test_buffers_are_in_the_state_dict_and_no_parameters(torch_network) -> None:
    names = {name for name, _ in torch_network.named_buffers()}
    assert names == {"norm.running_mean", "norm.running_var", "norm.num_batches_tracked"}
    assert names < set(torch_network.state_dict())
    assert not names & {name for name, _ in torch_network.named_parameters()}


def test_torch_compile_updates_the_buffers(torch_network, torch, images) -> None:
    compiled = torch.compile(torch_network, backend="aot_eager", fullgraph=True)
    before = torch_network.norm.running_mean.clone()
    compiled(torch.tensor(images))
    assert not torch.equal(torch_network.norm.running_mean, before)
    assert torch_network.norm.num_batches_tracked == 1


def test_functional_call_changes_the_buffers_it_is_given(torch_network, torch, images) -> None:
    model = torch_network
    buffers = {name: buffer.clone() for name, buffer in model.named_buffers()}
    given = {**dict(model.named_parameters()), **buffers}
    before = model.norm.running_mean.clone()
    torch.func.functional_call(model, given, (torch.tensor(images),))
    assert torch.equal(model.norm.running_mean, before)
    assert not torch.equal(buffers["norm.running_mean"], before)


def test_jax_jit_drops_the_new_statistics_and_nnx_jit_keeps_them(
    flax_network, nnx, jax, images
) -> None:
    model, x, before = flax_network, last(images), np.array(flax_network.norm.mean[...])
    jax.jit(lambda model, x: model(x))(model, x)
    np.testing.assert_array_equal(model.norm.mean[...], before)
    nnx.jit(lambda model, x: model(x))(model, x)
    assert not np.array_equal(model.norm.mean[...], before)


def test_jax_jit_draws_the_same_mask_again_and_nnx_jit_does_not(nnx, jax) -> None:
    ones = jax.numpy.ones(64)
    for jit, repeats in ((jax.jit, True), (nnx.jit, False)):
        dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
        drop = jit(lambda layer, x: layer(x))
        assert np.array_equal(drop(dropout, ones), drop(dropout, ones)) == repeats


def test_a_model_that_jit_captures_may_not_change(flax_network, nnx, jax, images) -> None:
    from flax import errors

    for jit in (jax.jit, nnx.jit):
        with pytest.raises(errors.TraceContextError, match="different trace level"):
            jit(lambda x: flax_network(x))(last(images))
    view = nnx.view(flax_network, deterministic=True, use_running_average=True)
    assert jax.jit(lambda x: view(x))(last(images)).shape == (5, 3)


def test_the_old_state_of_equinox_can_be_used_again(
    equinox_network, in_equinox, jax, images
) -> None:
    model, state = equinox_network
    x, key = jax.numpy.asarray(images), jax.random.key(0)
    first, second = (in_equinox.apply(model, state, x, key)[1] for _ in range(2))
    for one, other in zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True):
        np.testing.assert_array_equal(one, other)


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
