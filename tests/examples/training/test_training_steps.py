"""What a training step compiles again for, what it takes, and what then goes wrong."""

import copy

import numpy as np
import pytest
from training_setup import module, numbers, tensors

from jaxvstorch.examples.training.inputs import SMALL
from jaxvstorch.explainer.ledger import ledger


def optax_step(jax, params):
    in_optax = pytest.importorskip("jaxvstorch.examples.training.jax_optax")
    optimizer = in_optax.adamw(1e-2, 1e-2)
    params = jax.tree.map(jax.numpy.array, params)
    return in_optax.make_train_step(optimizer), params, optimizer.init(params)


def test_parameters_and_state_are_given_away_and_the_best_are_gone_unless_copied(jax) -> None:
    params, tokens, targets = numbers()
    step, params, state = optax_step(jax, params)
    best, kept = params, jax.tree.map(jax.numpy.copy, params)
    compiled = step.lower(params, state, tokens, targets).compile()
    floats = sum(x.nbytes for x in jax.tree.leaves(params))
    assert compiled.memory_analysis().alias_size_in_bytes >= 3 * floats
    compiled(params, state, tokens, targets)
    assert all(x.is_deleted() for x in jax.tree.leaves((params, state)))
    with pytest.raises(RuntimeError, match="deleted"):
        print(best["final"]["norm"])
    assert kept["final"]["norm"].sum() == 4


def test_a_state_dict_shows_what_came_later_unless_it_was_copied(torch) -> None:
    from jaxvstorch.examples.training.torch_module import adamw, train_step

    params, tokens, targets = numbers()
    model = module(torch, params)
    best, kept = model.state_dict(), copy.deepcopy(model.state_dict())
    tokens, targets = torch.from_numpy(tokens), torch.from_numpy(targets).long()
    train_step(model, adamw(model, 1e-2, 1e-2), tokens, targets)
    assert torch.equal(best["norm.weight"], model.norm.weight)
    assert not torch.equal(kept["norm.weight"], model.norm.weight)


def test_what_jax_traces_again(jax, in_jax) -> None:
    params, tokens, targets = numbers()
    params = jax.tree.map(jax.numpy.asarray, params)
    step = jax.jit(lambda x, y, rate: in_jax.train_step(params, x, y, rate)[1])
    calls = [
        (tokens, targets, 0.1),
        (tokens, targets, 0.05),
        (tokens, targets, jax.numpy.float32(0.05)),
        (tokens[:2], targets[:2], 0.1),
        (tokens[:, :5], targets[:, :5], 0.1),
        (tokens, targets, 0.1),
    ]
    assert ledger(step, calls).traces == [1, 0, 1, 1, 1, 0]


def test_what_torch_traces_again(torch, in_torch) -> None:
    params, tokens, targets = numbers()
    params = tensors(torch, params)
    tokens, targets = torch.from_numpy(tokens), torch.from_numpy(targets)
    step = torch.compile(
        lambda x, y, rate: in_torch.train_step(params, x, y, rate)[1], backend="eager"
    )
    calls = [
        (tokens, targets, 0.1),
        (tokens, targets, 0.05),
        (tokens, targets, 0.02),
        (tokens[:2], targets[:2], 0.1),
        (tokens[:1], targets[:1], 0.1),
    ]
    assert ledger(step, calls).traces == [1, 1, 0, 1, 1]


def test_a_mean_of_means_is_not_the_mean(jax, in_jax) -> None:
    params, tokens, targets = numbers(rows=5)
    loss = jax.jit(in_jax.loss)
    whole = loss(params, tokens, targets)
    parts = [loss(params, tokens[rows], targets[rows]) for rows in (slice(4), slice(4, 5))]
    assert abs(np.mean(parts) - whole) > 1e-3
    assert np.average(parts, weights=[4, 1]) == pytest.approx(float(whole), rel=1e-5)


def test_padding_keeps_the_shape_and_the_mean(half, framework) -> None:
    params, tokens, targets = numbers(rows=5)
    padded = np.concatenate([targets[4:], np.full((3, 6), -100, np.int32)])
    rows = np.concatenate([tokens[4:], np.zeros((3, 6), np.int32)])
    batches = [(tokens[:4], targets[:4]), (rows, padded)]
    if framework == "torch":
        import torch

        params = tensors(torch, params)
        batches = [tuple(map(torch.from_numpy, batch)) for batch in batches]
        whole = half.loss(params, torch.from_numpy(tokens), torch.from_numpy(targets))
    else:
        jit = pytest.importorskip("jax").jit
        whole = jit(half.loss)(params, tokens, targets)
    summed = jit(half.summed_loss) if framework == "jax" else half.summed_loss
    totals, counts = zip(*(summed(params, *batch) for batch in batches), strict=True)
    assert float(sum(totals)) / int(sum(counts)) == pytest.approx(float(whole), rel=1e-5)


def test_a_mean_over_no_target_is_nan_in_torch_and_its_gradient_is_0(torch) -> None:
    scores, targets = torch.zeros(2, 3, requires_grad=True), torch.full((2,), -100)
    value = torch.nn.functional.cross_entropy(scores, targets)
    value.backward()
    assert value.isnan()
    assert (scores.grad == 0).all()


def test_a_mean_with_a_mask_that_multiplies_has_a_gradient_of_nan_in_jax(jax) -> None:
    def mean(losses, mask, chosen):
        kept = jax.numpy.where(mask, losses, 0) if chosen else losses * mask
        return kept.sum() / mask.sum()

    nothing = jax.numpy.ones(2), jax.numpy.zeros(2, bool)
    assert jax.numpy.isnan(jax.grad(mean)(*nothing, False)).all()
    assert (jax.grad(mean)(*nothing, True) == 0).all()


def test_a_target_too_large_gives_nan_in_jax_and_an_error_in_torch(
    jax, in_jax, torch, in_torch
) -> None:
    params, tokens, targets = numbers()
    targets[0, 0] = SMALL.vocabulary
    assert jax.numpy.isnan(jax.jit(in_jax.loss)(params, tokens, targets))
    with pytest.raises(IndexError, match="out of bounds"):
        in_torch.loss(tensors(torch, params), torch.from_numpy(tokens), torch.from_numpy(targets))


def test_a_token_too_large_is_an_error_in_torch_and_none_in_jax(
    jax, in_jax, torch, in_torch
) -> None:
    params, tokens, targets = numbers()
    right = jax.tree.map(jax.numpy.asarray, params)
    tokens[0, 0] = 11
    last = tokens.copy()
    last[0, 0] = 10
    loss = jax.jit(in_jax.loss)
    assert loss(right, tokens, targets) == loss(right, last, targets)
    with pytest.raises(IndexError, match="out of range"):
        in_torch.loss(tensors(torch, params), torch.from_numpy(tokens), torch.from_numpy(targets))


def test_a_callback_inside_a_scan_reports_every_step(jax) -> None:
    seen = []

    def body(x, i):
        jax.debug.callback(lambda i: seen.append(int(i)), i, ordered=True)
        return x * 2, x

    jax.jit(lambda x: jax.lax.scan(body, x, jax.numpy.arange(4)))(1.0)
    jax.effects_barrier()
    assert seen == [0, 1, 2, 3]
