"""Which loops have derivatives in PyTorch, and in which mode."""

import functools
import warnings

import numpy as np
import pytest
from loops_derivatives import NUM_STEPS, X, slopes, total_cosines

from jaxvstorch import ledger


@pytest.mark.parametrize(
    "name",
    ["evolve_python", "evolve_fori", "evolve_while", "evolve_scan", "evolve_scan_unrolled"],
)
def test_torch_reverse_mode_of_every_loop(torch, in_torch, name) -> None:
    count = torch.tensor(NUM_STEPS) if name == "evolve_while" else NUM_STEPS
    x = torch.tensor(X, requires_grad=True)
    getattr(in_torch, name)(x, count).sum().backward()
    np.testing.assert_allclose(x.grad, slopes(X), rtol=1e-5)


def test_torch_newton_has_reverse_mode(torch, in_torch) -> None:
    x = torch.tensor(X, requires_grad=True)
    in_torch.sqrt_while(x).sum().backward()
    np.testing.assert_allclose(x.grad, 0.5 / np.sqrt(X), rtol=1e-5)


def test_torch_gradient_of_a_while_loop_compiles_only_with_fullgraph(torch, in_torch) -> None:
    x = torch.tensor(X, requires_grad=True)
    traces = []
    for fullgraph in (True, False):
        torch.compiler.reset()
        evolve = torch.compile(in_torch.evolve_fori, backend="aot_eager", fullgraph=fullgraph)
        traces += ledger(evolve, [(x, NUM_STEPS)]).traces
        (gradient,) = torch.autograd.grad(evolve(x, NUM_STEPS).sum(), x)
        np.testing.assert_allclose(gradient, slopes(X), rtol=1e-5)
    assert traces[0] == 1
    assert traces[1] > 1  # the compiler failed, and Python runs the loop piece by piece


def tangent(torch, function, x):
    """The derivative along ones, by ``torch.func.jvp``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # torch.func.jvp uses torch.jit
        return torch.func.jvp(function, (x,), (torch.ones_like(x),))[1]


def test_torch_func_goes_through_python_loops(torch, in_torch) -> None:
    x = torch.tensor(X)
    evolve = functools.partial(in_torch.evolve_python, num_steps=NUM_STEPS)
    np.testing.assert_allclose(tangent(torch, evolve, x), slopes(x), rtol=1e-5)
    gradient = torch.func.grad(lambda x: evolve(x).sum())(x)
    np.testing.assert_allclose(gradient, slopes(x), rtol=1e-5)


def loops_that_stay_loops(torch, in_torch):
    return (
        functools.partial(in_torch.evolve_fori, num_steps=NUM_STEPS),
        total_cosines(torch, torch.cos),
        functools.partial(torch._higher_order_ops.map, torch.cos),
    )


def test_torch_func_goes_through_no_loop_that_stays_one(torch, in_torch) -> None:
    x = torch.tensor(X)
    for loop in loops_that_stay_loops(torch, in_torch):
        gradient = torch.func.grad(lambda x, loop=loop: loop(x).sum())
        torch.compiler.reset()
        with pytest.raises(torch._dynamo.exc.UncapturedHigherOrderOpError):
            tangent(torch, loop, x)
        for function in (gradient, torch.compile(gradient, backend="aot_eager")):
            torch.compiler.reset()
            with pytest.raises(AssertionError, match="Expected FakeTensor"):
                function(x)


def test_torch_dual_numbers_lose_their_tangent_in_a_loop_that_stays_one(torch, in_torch) -> None:
    forward, x = torch.autograd.forward_ad, torch.tensor(X)
    for loop in loops_that_stay_loops(torch, in_torch):
        torch.compiler.reset()
        with forward.dual_level():
            result = loop(forward.make_dual(x, torch.ones_like(x)))
            assert forward.unpack_dual(result).tangent is None


@pytest.mark.parametrize("compiled", [False, True])
def test_torch_func_goes_through_a_generic_associative_scan(torch, in_torch, compiled) -> None:
    x = torch.linspace(0.1, 0.9, 6).reshape(3, 2)

    def weighted(x):
        return (in_torch.recurrence_associative(x, 2 * x) * x).sum()

    def in_both_modes(x):
        return tangent(torch, weighted, x), torch.func.grad(weighted)(x)

    inputs = x.clone().requires_grad_()
    weighted(inputs).backward()
    if compiled:
        in_both_modes = torch.compile(in_both_modes, backend="aot_eager")
    forward, gradient = in_both_modes(x)
    np.testing.assert_allclose(gradient, inputs.grad, rtol=1e-5)
    np.testing.assert_allclose(forward, inputs.grad.sum(), rtol=1e-5)


def test_torch_second_derivative_of_a_while_loop_is_wrong_without_an_error(torch) -> None:
    def fourth_power(x):
        carry = torch.tensor(0), x
        return torch.while_loop(lambda i, _: i < 2, lambda i, x: (i + 1, x * x), carry)[1]

    x, hessian = torch.tensor(1.0), torch.autograd.functional.hessian
    assert hessian(lambda x: (x * x) * (x * x), x) == 12
    assert hessian(fourth_power, x, strict=True) == 4
    inputs = x.clone().requires_grad_()
    assert torch.autograd.grad(fourth_power(inputs), inputs)[0] == 4  # the first one is right


def weight_slope(torch, backend, start, num_steps):
    """The gradient of ``w`` at 2, where each of the steps multiplies ``start`` by ``w``."""

    def power(w, s):
        carry = (torch.tensor(0), s)
        return torch.while_loop(lambda i, _: i < num_steps, lambda i, s: (i + 1, s * w), carry)[1]

    w = torch.tensor(2.0, requires_grad=True)
    function = torch.compile(power, backend=backend, fullgraph=True) if backend else power
    function(w, start).backward()
    return w.grad.item()


@pytest.mark.parametrize("backend", [None, "aot_eager"])
def test_torch_gradient_of_a_while_loop_is_wrong_where_a_carry_gains_it(torch, backend) -> None:
    found = [
        weight_slope(torch, backend, torch.tensor(1.0, requires_grad=known), 3)
        for known in (False, True)
    ]
    assert found == [4, 12]  # 3 * w**2 is 12


@pytest.mark.parametrize("backend", [None, "aot_eager"])
def test_torch_gradient_of_a_while_loop_of_no_step_is_that_of_one_step(torch, backend) -> None:
    start = torch.tensor(1.0, requires_grad=True)
    assert weight_slope(torch, backend, start, 0) == 1  # the loop gives 1 for each w: it is 0
    assert start.grad == 2  # it is 1
