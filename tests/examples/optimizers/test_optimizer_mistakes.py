"""What an optimizer that is used wrongly does."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
optax = pytest.importorskip("optax")

import jax.numpy as jnp  # noqa: E402
from torch import optim  # noqa: E402
from torch.nn import Parameter  # noqa: E402


def one(value=0.0):
    return Parameter(torch.tensor([value]))


def test_gradients_add_up_without_zero_grad() -> None:
    parameter = one()
    optimizer = optim.SGD([parameter], lr=1.0)
    places = []
    for _ in range(3):
        parameter.sum().backward()
        optimizer.step()
        places.append(parameter.item())
    assert places == [-1, -3, -6]


def test_no_gradient_is_not_a_gradient_of_zero() -> None:
    parameter = one()
    optimizer = optim.SGD([parameter], lr=1.0, momentum=0.5)
    places = []
    for gradient in (torch.ones(1), None, torch.zeros(1)):
        parameter.grad = gradient
        optimizer.step()
        places.append(parameter.item())
    assert places == [-1, -1, -1.5]


def test_adam_without_its_state_takes_the_sign_alone() -> None:
    rule = optax.adam(0.01)
    state = rule.init(jnp.zeros(1))
    found = [float(rule.update(jnp.full(1, g), state)[0][0]) for g in (1.0, 0.01, -100.0)]
    np.testing.assert_allclose(found, [-0.01, -0.01, 0.01], rtol=1e-4)


def test_adamw_wants_the_parameters() -> None:
    rule = optax.adamw(0.01)
    with pytest.raises(ValueError, match="not passing `params`"):
        rule.update(jnp.ones(1), rule.init(jnp.ones(1)))


def test_updates_hold_the_sign_and_a_part_of_a_chain_does_not() -> None:
    for rule, sign in ((optax.adam(0.1), -1), (optax.scale_by_adam(), 1)):
        update, _ = rule.update(jnp.ones(1), rule.init(jnp.ones(1)))
        assert jnp.sign(update) == sign


def test_a_state_of_other_parameters_is_an_error() -> None:
    rule = optax.adam(0.1)
    with pytest.raises(ValueError, match="different pytree metadata"):
        rule.update({"a": jnp.ones(1)}, rule.init({"b": jnp.ones(1)}))
