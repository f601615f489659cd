"""Clipping, groups of parameters and accumulation: equal in both."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
optax = pytest.importorskip("optax")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from torch import optim  # noqa: E402
from torch.nn import Parameter  # noqa: E402

from jaxvstorch.examples.optimizers import jax as in_jax  # noqa: E402
from jaxvstorch.examples.optimizers import jax_optax, rules, torch_optim  # noqa: E402
from jaxvstorch.examples.optimizers import torch as in_torch  # noqa: E402


def far(ours, theirs):
    return max(float(abs(np.asarray(ours[name]) - theirs[name]).max()) for name in theirs)


def test_clipping_is_equal_where_gradients_are_not_tiny() -> None:
    gradients = {"a": np.float32([3, 0]), "b": np.float32([4])}
    expected = {"a": [0.6, 0], "b": [0.8]}
    found, _ = optax.clip_by_global_norm(1.0).update(gradients, optax.EmptyState())
    parameters = [Parameter(torch.zeros_like(torch.tensor(g))) for g in gradients.values()]
    for parameter, gradient in zip(parameters, gradients.values(), strict=True):
        parameter.grad = torch.tensor(gradient)
    norm = torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    assert norm == 5
    in_place = [parameter.grad for parameter in parameters]
    tensors = {name: torch.tensor(g) for name, g in gradients.items()}
    halves = in_jax.clip_by_global_norm(gradients), in_torch.clip_by_global_norm(tensors)
    for values in (found, dict(zip("ab", in_place, strict=True)), *halves):
        for name, value in expected.items():
            np.testing.assert_allclose(values[name], value, rtol=1e-6)


def test_torch_adds_a_millionth_to_the_norm() -> None:
    gradient = np.float32([6e-6, 8e-6])
    found, _ = optax.clip_by_global_norm(1e-6).update(gradient, optax.EmptyState())
    parameter = Parameter(torch.zeros(2))
    parameter.grad = torch.tensor(gradient)
    torch.nn.utils.clip_grad_norm_([parameter], 1e-6)
    np.testing.assert_allclose(found, gradient / 10, rtol=1e-5)
    np.testing.assert_allclose(parameter.grad, gradient / 11, rtol=1e-5)


def test_a_gradient_of_zero_stays_zero_and_infinity_becomes_nan() -> None:
    for half, array in ((in_jax, jnp.array), (in_torch, torch.tensor)):
        assert not half.clip_by_global_norm({"a": array([0.0, 0.0])})["a"].any()
    infinite, _ = optax.clip_by_global_norm(1.0).update(jnp.array([jnp.inf, 1.0]), ())
    parameter = Parameter(torch.zeros(2))
    parameter.grad = torch.tensor([torch.inf, 1.0])
    torch.nn.utils.clip_grad_norm_([parameter], 1.0)
    assert np.isnan(infinite[0])
    assert parameter.grad[0].isnan()
    assert infinite[1] == 0
    assert parameter.grad[1] == 0
    parameter.grad = torch.tensor([torch.inf, 1.0])
    with pytest.raises(RuntimeError, match="non-finite"):
        torch.nn.utils.clip_grad_norm_([parameter], 1.0, error_if_nonfinite=True)


def test_clipped_steps_are_equal() -> None:
    parameters, gradients = rules.problem("float32")
    found = jax_optax.after(jax_optax.clipped(optax.adam(0.01), 1.0), parameters, gradients)
    own = {name: Parameter(torch.tensor(value)) for name, value in parameters.items()}
    optimizer = optim.Adam(own.values(), 0.01)
    for i in range(rules.STEPS):
        for name, parameter in own.items():
            parameter.grad = torch.tensor(gradients[name][i])
        torch_optim.clipped_step(optimizer, list(own.values()), 1.0)
    assert far(found, {name: x.numpy(force=True) for name, x in own.items()}) < 1e-5


def test_groups_and_masks_are_equal() -> None:
    problem = rules.problem("float32")
    theirs = torch_optim.after(lambda p: torch_optim.decay_matrices(p, 0.01, 0.1), *problem)
    assert far(jax_optax.after(jax_optax.decay_matrices(0.01, 0.1), *problem), theirs) < 1e-5
    assert far(jax_optax.after(optax.adamw(0.01, weight_decay=0.1), *problem), theirs) > 1e-3
    theirs = torch_optim.after(lambda p: torch_optim.two_rates(p, 0.01, 0.1), *problem)
    assert far(jax_optax.after(jax_optax.two_rates(0.01, 0.1), *problem), theirs) < 1e-5


def test_accumulated_steps_are_equal_and_move_once_in_four_calls() -> None:
    parameters, gradients = rules.problem("float32", steps=8)
    steps = jax_optax.accumulated(optax.adamw(0.01, weight_decay=0.01), 4)
    ours = jax.tree.map(jnp.asarray, parameters)
    state, update, moved = steps.init(ours), jax.jit(steps.update), []
    for i in range(8):
        updates, state = update({n: g[i] for n, g in gradients.items()}, state, ours)
        ours = optax.apply_updates(ours, updates)
        moved.append(bool(updates["bias"].any()))
    assert moved == [False, False, False, True] * 2
    assert state.gradient_step == 2
    own = {name: Parameter(torch.tensor(value)) for name, value in parameters.items()}
    optimizer = optim.AdamW(own.values(), 0.01)

    def loss(i):
        return lambda: sum((own[n] * torch.tensor(g[i])).sum() for n, g in gradients.items())

    for start in (0, 4):
        torch_optim.accumulated_step(optimizer, [loss(i) for i in range(start, start + 4)])
    assert far(ours, {name: x.numpy(force=True) for name, x in own.items()}) < 1e-5
