"""Gradients through branches."""

import numpy as np
import pytest

KINK = [4.0, 0.0, -1.0]  # positive, at the kink, past it


def test_jax_where_gives_a_nan_gradient_and_a_second_where_cures_it(in_jax) -> None:
    j, x = in_jax, in_jax.jnp.array(KINK)
    for name, slopes in (("sqrt_unsafe", [0.25, np.nan, np.nan]), ("sqrt_safe", [0.25, 0, 0])):
        root = getattr(j.examples, name)
        np.testing.assert_array_equal(root(x), [2, 0, 0])
        slope = j.jax.grad(lambda x, root=root: root(x).sum())(x)
        np.testing.assert_array_equal(slope, slopes)


def test_torch_where_gives_a_nan_gradient_and_a_second_where_cures_it(in_torch) -> None:
    t = in_torch
    for name, slopes in (("sqrt_unsafe", [0.25, np.nan, np.nan]), ("sqrt_safe", [0.25, 0, 0])):
        x = t.torch.tensor(KINK, requires_grad=True)
        root = getattr(t.examples, name)(x)
        np.testing.assert_array_equal(root.detach(), [2, 0, 0])
        np.testing.assert_array_equal(t.torch.autograd.grad(root.sum(), x)[0], slopes)


def test_cond_has_no_nan_gradient_in_jax_not_even_under_vmap(in_jax) -> None:
    j, x = in_jax, in_jax.jnp.array(KINK)

    def root(x):
        return j.lax.cond(x > 0, j.jnp.sqrt, j.jnp.zeros_like, x)

    assert [float(j.jax.grad(root)(value)) for value in x] == [0.25, 0, 0]
    np.testing.assert_array_equal(j.jax.vmap(j.jax.grad(root))(x), [0.25, 0, 0])


def test_cond_has_no_nan_gradient_in_torch_but_vmap_of_it_has(in_torch) -> None:
    t = in_torch

    def root(x):
        return t.torch.cond(x > 0, t.torch.sqrt, t.torch.zeros_like, (x,))

    def slope(function, x):
        x = x.requires_grad_()
        return t.torch.autograd.grad(function(x).sum(), x)[0]

    assert [slope(root, t.torch.tensor(value)) for value in KINK] == [0.25, 0, 0]
    batched = slope(t.torch.vmap(root), t.torch.tensor(KINK))
    np.testing.assert_array_equal(batched, [0.25, np.nan, np.nan])


def test_torch_cond_has_no_second_derivative(in_torch) -> None:
    t = in_torch

    def root(x):
        return t.torch.cond(x > 0, t.torch.sqrt, t.torch.zeros_like, (x,))

    x = t.torch.tensor(4.0, requires_grad=True)
    (first,) = t.torch.autograd.grad(root(x), x, create_graph=True)
    assert (first, first.requires_grad) == (0.25, False)
    assert t.torch.autograd.functional.hessian(root, x.detach()) == 0  # it is -1/32
    with pytest.raises(AssertionError):  # and torch.func.grad has not even a first one
        t.torch.func.grad(root)(x.detach())


def test_the_gradient_of_a_guarded_log_is_nan_at_the_kink_only(in_jax, in_torch) -> None:
    j, t = in_jax, in_torch
    guarded = j.jax.grad(lambda x: j.jnp.where(x > 0, j.jnp.log(x), 0.0).sum())
    np.testing.assert_array_equal(guarded(j.jnp.array(KINK)), [0.25, np.nan, 0])
    x = t.torch.tensor(KINK, requires_grad=True)
    total = t.torch.where(x > 0, t.torch.log(x), 0.0).sum()
    np.testing.assert_array_equal(t.torch.autograd.grad(total, x)[0], [0.25, np.nan, 0])
