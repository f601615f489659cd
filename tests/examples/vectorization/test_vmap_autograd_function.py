"""Batches of a torch.autograd.Function."""

import numpy as np
import pytest

X = np.array([1, 2, 3], np.float32)


@pytest.fixture
def square(torch):
    """A function with a derivative of its own, and nothing said of batches."""

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, gradient):
            return 2 * ctx.saved_tensors[0] * gradient

    return Square


def test_without_a_rule_it_is_an_error(torch, square) -> None:
    with pytest.raises(RuntimeError, match="does not have vmap support"):
        torch.vmap(square.apply)(torch.tensor(X))


def test_a_generated_rule_batches_it_and_its_derivative(torch, square) -> None:
    square.generate_vmap_rule = True
    slopes = torch.vmap(torch.func.grad(square.apply))(torch.tensor(X))
    assert slopes.tolist() == [2, 4, 6]


def test_numpy_inside_needs_a_rule_of_its_own(torch, square) -> None:
    class ByNumPy(square):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return torch.from_numpy(np.square(x.numpy()))

    class WithRule(ByNumPy):
        generate_vmap_rule = False

        @staticmethod
        def vmap(info, in_dims, x):
            return WithRule.apply(x), in_dims[0]

    with pytest.raises(RuntimeError, match="doesn't have storage"):
        torch.vmap(ByNumPy.apply)(torch.tensor(X))
    assert torch.vmap(WithRule.apply)(torch.tensor(X)).tolist() == [1, 4, 9]


def test_a_forward_that_takes_the_context_is_an_error(torch) -> None:
    class Older(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(ctx, x):
            return x * x

    with pytest.raises(RuntimeError, match="must override the setup_context"):
        torch.vmap(Older.apply)(torch.tensor(X))
