"""What an optimizer that is used wrongly does."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

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


def test_a_frozen_parameter_keeps_its_gradient_until_zero_grad() -> None:
    parameter = one()
    optimizer = optim.SGD([parameter], lr=1.0)
    parameter.sum().backward()
    parameter.requires_grad_(False)
    optimizer.step()
    assert parameter.item() == -1
    optimizer.zero_grad()
    optimizer.step()
    assert parameter.item() == -1
