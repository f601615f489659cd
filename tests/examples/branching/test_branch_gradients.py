"""Gradients through branches."""

import numpy as np
import pytest

KINK = [4.0, 0.0, -1.0]  # positive, at the kink, past it


def test_jax_where_gives_a_nan_gradient_and_a_second_where_cures_it(jax, in_jax) -> None:
    x = jax.numpy.array(KINK)
    for name, slopes in (("sqrt_unsafe", [0.25, np.nan, np.nan]), ("sqrt_safe", [0.25, 0, 0])):
        root = getattr(in_jax, name)
        np.testing.assert_array_equal(root(x), [2, 0, 0])
        slope = jax.grad(lambda x, root=root: root(x).sum())(x)
        np.testing.assert_array_equal(slope, slopes)


def test_torch_where_gives_a_nan_gradient_and_a_second_where_cures_it(torch, in_torch) -> None:
    for name, slopes in (("sqrt_unsafe", [0.25, np.nan, np.nan]), ("sqrt_safe", [0.25, 0, 0])):
        x = torch.tensor(KINK, requires_grad=True)
        root = getattr(in_torch, name)(x)
        np.testing.assert_array_equal(root.detach(), [2, 0, 0])
        np.testing.assert_array_equal(torch.autograd.grad(root.sum(), x)[0], slopes)


def test_cond_has_no_nan_gradient_in_jax_not_even_under_vmap(jax) -> None:
    x = jax.numpy.array(KINK)

    def root(x):
        return jax.lax.cond(x > 0, jax.numpy.sqrt, jax.numpy.zeros_like, x)

    assert [float(jax.grad(root)(value)) for value in x] == [0.25, 0, 0]
    np.testing.assert_array_equal(jax.vmap(jax.grad(root))(x), [0.25, 0, 0])


def test_cond_has_no_nan_gradient_in_torch_but_vmap_of_it_has(torch) -> None:
    def root(x):
        return torch.cond(x > 0, torch.sqrt, torch.zeros_like, (x,))

    def slope(function, x):
        x = x.requires_grad_()
        return torch.autograd.grad(function(x).sum(), x)[0]

    assert [slope(root, torch.tensor(value)) for value in KINK] == [0.25, 0, 0]
    batched = slope(torch.vmap(root), torch.tensor(KINK))
    np.testing.assert_array_equal(batched, [0.25, np.nan, np.nan])


def test_torch_cond_has_no_second_derivative(torch) -> None:
    def root(x):
        return torch.cond(x > 0, torch.sqrt, torch.zeros_like, (x,))

    x = torch.tensor(4.0, requires_grad=True)
    (first,) = torch.autograd.grad(root(x), x, create_graph=True)
    assert (first, first.requires_grad) == (0.25, False)
    assert torch.autograd.functional.hessian(root, x.detach()) == 0  # it is -1/32
    with pytest.raises(AssertionError):  # and torch.func.grad has not even a first one
        torch.func.grad(root)(x.detach())


def test_the_gradient_of_a_guarded_log_is_nan_at_the_kink_only(jax, torch) -> None:
    guarded = jax.grad(lambda x: jax.numpy.where(x > 0, jax.numpy.log(x), 0.0).sum())
    np.testing.assert_array_equal(guarded(jax.numpy.array(KINK)), [0.25, np.nan, 0])
    x = torch.tensor(KINK, requires_grad=True)
    total = torch.where(x > 0, torch.log(x), 0.0).sum()
    np.testing.assert_array_equal(torch.autograd.grad(total, x)[0], [0.25, np.nan, 0])
