"""The functions, and the module of PyTorch: the same logits, gradients and curve of the loss."""

import numpy as np
import pytest
from training_setup import lesson, module, numbers, tensors

from jaxvstorch.examples.training import text
from jaxvstorch.examples.training.inputs import SMALL
from jaxvstorch.examples.training.weights import to_params, to_state

pytest.importorskip("jax", reason="both are compared; JAX is not installed")
pytest.importorskip("torch", reason="both are compared; no PyTorch here")

leaves = pytest.importorskip("jax").tree.leaves


def test_weights_go_there_and_back() -> None:
    params, _, _ = numbers()
    again = to_params(to_state(params), SMALL.heads)
    assert [list(group) for group in again.values()] == [list(group) for group in params.values()]
    for ours, theirs in zip(leaves(again), leaves(params), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert sum(x.size for x in leaves(params)) == SMALL.parameters


def test_the_module_s_names_are_those_of_its_state(torch) -> None:
    params, _, _ = numbers()
    state = module(torch, params).state_dict()
    assert {name: tuple(x.shape) for name, x in state.items()} == {
        name: x.shape for name, x in to_state(params).items()
    }


def test_equal_weights_give_equal_logits_and_gradients(jax, in_jax, in_torch, torch) -> None:
    from jaxvstorch.examples.training.torch_module import loss

    params, tokens, targets = numbers()
    model, ours = module(torch, params), torch.from_numpy(tokens)
    expected = jax.jit(in_jax.logits)(params, tokens)
    with torch.inference_mode():
        np.testing.assert_allclose(model(ours), expected, rtol=1e-5, atol=1e-5)
        found = in_torch.logits(tensors(torch, params), ours)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    loss(model, ours, torch.from_numpy(targets).long()).backward()
    grads = to_params({k: p.grad.numpy() for k, p in model.named_parameters()}, SMALL.heads)
    for found, right in zip(
        leaves(grads), leaves(jax.jit(jax.grad(in_jax.loss))(params, tokens, targets)), strict=True
    ):
        np.testing.assert_allclose(found, right, rtol=1e-4, atol=1e-6)


@pytest.fixture
def one_thread(torch):
    """Threads that wait for each other cost more than a network this small saves by them."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("one_thread")
def test_both_curves_of_the_loss_are_one_and_both_learn_to_add(jax, in_jax, in_torch, torch):
    step_of = pytest.importorskip("jaxvstorch.examples.training.jax_optax")
    from jaxvstorch.examples.training.torch_module import adamw, train_step

    start, data = lesson(text.STEPS)
    model = module(torch, start, text.CONFIG)
    optimizer = adamw(model, text.RATE, text.WEIGHT_DECAY)
    params = jax.tree.map(jax.numpy.asarray, start)
    chosen = step_of.adamw(text.RATE, text.WEIGHT_DECAY)
    state, step = chosen.init(params), step_of.make_train_step(chosen)
    jax_curve, torch_curve = [], []
    for tokens, targets in data:
        params, state, value = step(params, state, tokens, targets)
        jax_curve.append(value)
        ours = torch.from_numpy(tokens), torch.from_numpy(targets).long()
        torch_curve.append(train_step(model, optimizer, *ours))
    jax_curve, torch_curve = np.array(jax_curve), np.array(torch_curve)
    assert abs(jax_curve - torch_curve).max() < text.CURVES_AGREE
    assert jax_curve[0] > 2
    assert text.FLOOR < jax_curve[-20:].mean() < 0.8

    silent = np.zeros((2, 100, text.CONFIG.vocabulary), np.float32)
    answers = jax.jit(in_jax.generate, static_argnames="k")(
        params, text.questions(), silent, 1.0, 1
    )
    assert text.right(np.asarray(answers)) >= 65
    learned = to_params({k: x.numpy() for k, x in model.state_dict().items()}, text.CONFIG.heads)
    with torch.inference_mode():
        theirs = in_torch.generate(
            tensors(torch, learned),
            torch.from_numpy(text.questions()),
            torch.from_numpy(silent),
            1.0,
            1,
        )
    assert abs(text.right(theirs.numpy()) - text.right(np.asarray(answers))) <= 10
