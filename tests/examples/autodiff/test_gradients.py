"""A derivative as a function, and a gradient stored on a leaf."""

import numpy as np
import pytest

X = np.array([0.5, -1.0, 2.0], dtype=np.float32)


def test_a_derivative_as_a_function_returns_the_same_each_time(
    jax, torch, in_jax, in_torch
) -> None:
    for half, x in ((in_jax, jax.numpy.asarray(X)), (in_torch, torch.tensor(X))):
        first, second = half.rosenbrock_gradient(x), half.rosenbrock_gradient(x)
        np.testing.assert_array_equal(first, second)
        np.testing.assert_array_equal(x, X)


def test_backward_returns_nothing_and_adds(torch) -> None:
    x = torch.tensor(X, requires_grad=True)
    for times in (1, 2):
        assert (x * x).sum().backward() is None
        np.testing.assert_array_equal(x.grad, times * 2 * X)
    torch.optim.SGD([x]).zero_grad()
    assert x.grad is None


def test_autograd_grad_returns_and_stores_nothing(torch) -> None:
    x = torch.tensor(X, requires_grad=True)
    (gradient,) = torch.autograd.grad((x * x).sum(), x)
    np.testing.assert_array_equal(gradient, 2 * X)
    assert x.grad is None


def test_a_result_that_is_no_leaf_keeps_no_gradient_unless_asked(torch) -> None:
    x = torch.tensor(X, requires_grad=True)
    y, z = 2 * x, 3 * x
    z.retain_grad()
    (y + z).sum().backward()
    np.testing.assert_array_equal(z.grad, np.ones_like(X))
    with pytest.warns(UserWarning, match="not a leaf"):
        assert y.grad is None


def test_jax_vjp_goes_back_more_than_once(jax) -> None:
    value, back = jax.vjp(lambda x: (x * x).sum(), jax.numpy.asarray(X))
    assert value == (X * X).sum()
    for _ in range(2):
        np.testing.assert_array_equal(back(1.0)[0], 2 * X)


def test_the_value_comes_first_in_jax_and_last_in_torch(jax, torch) -> None:
    assert jax.value_and_grad(lambda x: x * x)(3.0) == (9, 6)
    assert torch.func.grad_and_value(lambda x: x * x)(torch.tensor(3.0)) == (6, 9)


def test_the_second_result_is_anything_in_jax_and_tensors_in_torch(jax, torch) -> None:
    def square(x):
        return x * x, "a word"

    assert jax.value_and_grad(square, has_aux=True)(3.0) == ((9, "a word"), 6)
    with pytest.raises(RuntimeError, match="Expected tensors, got unsupported type"):
        torch.func.grad_and_value(square, has_aux=True)(torch.tensor(3.0))


def test_an_argument_may_be_a_tree(jax, torch) -> None:
    def product(tree):
        return tree["a"] * tree["b"][0]

    assert jax.grad(product)({"a": 2.0, "b": [3.0]}) == {"a": 3, "b": [2]}
    tree = {"a": torch.tensor(2.0), "b": [torch.tensor(3.0)]}
    assert torch.func.grad(product)(tree) == {"a": 3, "b": [2]}


def test_an_argument_by_keyword_is_not_differentiated(jax, torch) -> None:
    with pytest.raises(TypeError, match="requires at least 1 positional"):
        jax.grad(lambda x: x)(x=1.0)
    with pytest.raises(RuntimeError, match="only 0 positional inputs"):
        torch.func.grad(lambda x: x)(x=torch.tensor(1.0))


def test_an_unused_argument_has_zeros_but_is_an_error_in_autograd_grad(jax, torch) -> None:
    one = torch.tensor(1.0, requires_grad=True)
    two = torch.tensor(2.0, requires_grad=True)
    assert jax.grad(lambda a, b: b * b)(1.0, 2.0) == 0
    assert torch.func.grad(lambda a, b: b * b)(one.detach(), two.detach()) == 0
    with pytest.raises(RuntimeError, match="not have been used in the graph"):
        torch.autograd.grad(two * two, one)
    assert torch.autograd.grad(two * two, one, allow_unused=True) == (None,)
    assert torch.autograd.grad(two * two, one, materialize_grads=True) == (0,)
