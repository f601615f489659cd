"""What a function changes in place under ``torch.compile``, and the random numbers it draws."""

import marks
import pytest
from cases import X, cases, check_touched

from jaxvstorch import explain

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

pytestmark = pytest.mark.usefixtures("fresh_torch_compile")

case, test_marks = cases("torch")


@pytest.fixture(autouse=True)
def random_numbers_as_before():
    state = torch.get_rng_state()
    yield
    torch.set_rng_state(state)


@case(X)
def changes_a_tensor_in_place(x):
    y = x + 1  # -> A1
    x.mul_(2)  # -> A1 ! impure
    return y + x  # -> A1


@case(X)
def changes_a_slice_in_place(x):
    x[:2] = 0  # -> A1 ! impure
    x += 1  # -> A1 ! impure
    return x * 2  # -> A1


@case(X)
def changes_its_own_copy(x):
    y = x.clone()  # -> A1
    y.mul_(2)  # -> A1
    y += 1  # -> A1
    return y  # -> traced


@case(X)
def draws_from_torch(x):
    return x + torch.randn(4)  # -> A2


def test_a_tensor_is_changed_once_and_named() -> None:
    x = torch.arange(4.0)
    check_touched(explain(changes_a_tensor_in_place, x), "`x` is changed in place")
    assert torch.equal(x, 2 * torch.arange(4.0))


def test_a_module_that_changes_its_buffer() -> None:
    class Mean(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.zeros(4))

        def forward(self, x):
            self.total.add_(x)  # -> A1 ! impure
            return x * 2  # -> A1

    marks.check_comments(explain(Mean(), torch.ones(4)))
