"""Orders, Jacobians, Hessians and examples: what each takes, counted."""

from itertools import pairwise

import numpy as np
import pytest
from autodiff_counts import nested, torch_flops, torch_operations, xla_flops

ORDERS = range(1, 7)


def ones(framework, *shapes):
    return [framework.ones(shape) for shape in shapes]


def test_each_order_of_tanh_has_more_than_twice_the_operations(jax, torch) -> None:
    found = [
        [len(jax.make_jaxpr(nested(jax.grad, jax.numpy.tanh, k))(1.0).eqns) for k in ORDERS],
        [
            len(torch_operations(nested(torch.func.grad, torch.tanh, k), torch.tensor(1.0)))
            for k in ORDERS
        ],
    ]
    for counts in found:
        assert all(after > 2 * before for before, after in pairwise(counts))


def test_each_order_of_sin_has_five_more_in_torch(torch) -> None:
    counts = [
        len(torch_operations(nested(torch.func.grad, torch.sin, k), torch.tensor(1.0)))
        for k in ORDERS
    ]
    assert set(np.diff(counts)) == {5}


def test_xla_keeps_fewer_operations_and_they_grow_too(jax) -> None:
    flops = [xla_flops(jax, nested(jax.grad, jax.numpy.tanh, k), 1.0) for k in ORDERS]
    equations = [len(jax.make_jaxpr(nested(jax.grad, jax.numpy.tanh, k))(1.0).eqns) for k in ORDERS]
    assert all(kept <= written for kept, written in zip(flops, equations, strict=True))
    assert all(after > 2 * before for before, after in zip(flops, flops[2:], strict=False))


@pytest.mark.parametrize(("m", "n", "cheap"), [(256, 4, "forward"), (4, 256, "reverse")])
def test_a_jacobian_takes_a_pass_per_input_or_per_output(
    jax, torch, in_jax, in_torch, m, n, cheap
) -> None:
    dear = {"forward": "reverse", "reverse": "forward"}[cheap]
    for count, half, framework in (
        (lambda *a: xla_flops(jax, *a), in_jax, jax.numpy),
        (torch_flops, in_torch, torch),
    ):
        arguments = ones(framework, (m, n), (n,))
        low, high = (count(getattr(half, f"jacobian_{mode}"), *arguments) for mode in (cheap, dear))
        assert 40 * low < high


def test_a_hessian_takes_a_derivative_of_the_gradient_for_each_parameter(
    jax, torch, in_jax, in_torch
) -> None:
    shapes = (32, 8), (64, 32), (32, 8)
    for count, half, framework in (
        (lambda *a: xla_flops(jax, *a), in_jax, jax.numpy),
        (torch_flops, in_torch, torch),
    ):
        w, x, v = ones(framework, *shapes)
        loss = count(half._log_sum_exp, w, x)
        product = count(half.log_sum_exp_hvp, w, x, v)
        assert product <= 6 * loss
        assert count(half.log_sum_exp_hessian_times, w, x, v) > 32 * 8 / 4 * product


def test_eager_torch_multiplies_by_zeros_forward_over_reverse(torch, in_torch) -> None:
    w, x, v = ones(torch, (4, 3), (8, 4), (4, 3))

    def reverse_over_reverse(w, x, v):
        gradient = torch.func.grad(in_torch._log_sum_exp)
        return torch.func.grad(lambda w: (gradient(w, x) * v).sum())(w)

    products = [
        torch_operations(function, w, x, v).count("aten.mm.default")
        for function in (in_torch.log_sum_exp_hvp, reverse_over_reverse)
    ]
    assert products == [6, 4]


def test_three_products_give_the_diagonal_of_a_hessian_with_three_diagonals(jax, in_jax) -> None:
    def whole(x):
        return jax.numpy.diag(jax.hessian(in_jax._rosenbrock)(x))

    x = jax.numpy.linspace(-1, 1, 64)
    np.testing.assert_allclose(in_jax.rosenbrock_hessian_diagonal(x), whole(x), rtol=1e-4)
    assert 10 * xla_flops(jax, in_jax.rosenbrock_hessian_diagonal, x) < xla_flops(jax, whole, x)


def test_gradients_of_examples_take_no_more_than_that_of_their_sum(
    jax, torch, in_jax, in_torch
) -> None:
    shapes = (32, 8), (64, 32), (64, 8)
    for count, half, framework, grad, jacrev in (
        (lambda *a: xla_flops(jax, *a), in_jax, jax.numpy, jax.grad, jax.jacrev),
        (torch_flops, in_torch, torch, torch.func.grad, torch.func.jacrev),
    ):
        data = ones(framework, *shapes)

        def losses(w, x, y, framework=framework):
            return ((framework.tanh(x @ w) - y) ** 2).sum(1)

        each = count(half.per_example_gradients, *data)
        assert each <= count(grad(lambda *data, f=losses: f(*data).sum()), *data)
        assert 20 * each < count(jacrev(losses), *data)
