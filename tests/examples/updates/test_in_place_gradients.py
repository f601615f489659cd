"""What autograd says of changes in place."""

import numpy as np
import pytest


@pytest.fixture
def leaf(torch):
    return torch.ones(3, requires_grad=True)


def test_a_result_that_the_gradient_needs_must_not_change(leaf) -> None:
    y = leaf.exp()
    y += 1
    with pytest.raises(RuntimeError, match=r"modified by an inplace operation.*is at version 1"):
        y.sum().backward()


def test_an_argument_that_the_gradient_needs_must_not_change_either(torch, leaf) -> None:
    x = torch.ones(3)
    for function in (torch.mul, torch.compile(torch.mul, backend="aot_eager")):
        y = function(leaf, x)
        x += 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()


def test_a_value_that_no_gradient_needs_may_change(leaf) -> None:
    y = leaf * 2
    y[0] = 5
    (y**2).sum().backward()
    assert leaf.grad.tolist() == [0, 8, 8]


def test_a_leaf_changes_only_under_no_grad(torch, leaf) -> None:
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        leaf.add_(1)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        leaf[0] = 1
    with torch.no_grad():
        leaf.add_(1)
    assert leaf.tolist() == [2, 2, 2]


def test_one_of_several_views_must_not_change(leaf) -> None:
    doubled = leaf * 2
    for views in (doubled.unbind(), doubled.split(1)):
        with pytest.raises(RuntimeError, match="function that returns multiple views"):
            views[0].mul_(2)


def test_a_view_made_under_no_grad_must_not_change_outside(torch, leaf) -> None:
    doubled = leaf * 2
    with torch.no_grad():
        view = doubled[:2]
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        view.mul_(2)


def test_a_change_through_data_makes_the_gradient_wrong(leaf) -> None:
    y = leaf.exp()
    y.data += 1
    y.sum().backward()
    assert np.allclose(leaf.grad, np.e + 1)


def test_jax_has_the_right_gradient_for_the_same_lines(jax) -> None:
    def total(w):
        y = jax.numpy.exp(w)
        y += 1
        return y.sum()

    assert np.allclose(jax.grad(total)(jax.numpy.ones(3)), np.e)
