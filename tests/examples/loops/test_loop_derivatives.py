"""Which loops have derivatives, and in which mode."""

import warnings

import numpy as np
import pytest
from loops_derivatives import NUM_STEPS, X, slopes, total_cosines
from needs import needs_compiler

from jaxvstorch import ledger


@pytest.mark.parametrize(
    "name", ["evolve_python", "evolve_fori", "evolve_scan", "evolve_scan_unrolled"]
)
def test_jax_reverse_mode_where_the_number_of_steps_is_known(jax, in_jax, name) -> None:
    x = jax.numpy.asarray(X)
    function = getattr(in_jax, name)
    gradient = jax.grad(lambda x: function(x, NUM_STEPS).sum())(x)
    np.testing.assert_allclose(gradient, slopes(x), rtol=1e-5)


@pytest.mark.parametrize("name", ["evolve_fori", "evolve_while"])
def test_jax_has_no_reverse_mode_where_it_is_not(jax, in_jax, name) -> None:
    function = getattr(in_jax, name)
    gradient = jax.jit(jax.grad(lambda x, n: function(x, n).sum()))
    with pytest.raises(ValueError, match="Reverse-mode differentiation does not work"):
        gradient(jax.numpy.asarray(X), NUM_STEPS)


@pytest.mark.parametrize("name", ["evolve_fori", "evolve_while"])
def test_jax_forward_mode_does_not_need_to_know_it(jax, in_jax, name) -> None:
    x = jax.numpy.asarray(X)
    function = getattr(in_jax, name)
    ones = jax.numpy.ones_like(x)
    push = jax.jit(lambda x, n: jax.jvp(lambda x: function(x, n), (x,), (ones,))[1])
    np.testing.assert_allclose(push(x, NUM_STEPS), slopes(x), rtol=1e-5)


@pytest.mark.parametrize("name", ["density_map", "recurrence_associative"])
def test_jax_map_and_associative_scan_have_both_modes(jax, in_jax, name) -> None:
    jnp = jax.numpy
    x = jnp.linspace(0.1, 0.9, 6).reshape((3, 2) if name.startswith("recurrence") else 6)

    @jax.jit
    def weighted(x):
        return (getattr(in_jax, name)(x, 2 * x) * x).sum()

    _, forward = jax.jvp(weighted, (x,), (jnp.ones_like(x),))
    np.testing.assert_allclose(forward, jax.grad(weighted)(x).sum(), rtol=1e-5)


def test_jax_newton_has_forward_mode_only(jax, in_jax) -> None:
    x = jax.numpy.asarray(X)
    jacobian = jax.jacfwd(in_jax.sqrt_while)(x)
    np.testing.assert_allclose(np.diag(jacobian), 0.5 / np.sqrt(x), rtol=1e-5)
    with pytest.raises(ValueError, match="Reverse-mode differentiation does not work"):
        jax.grad(lambda x: in_jax.sqrt_while(x).sum())(x)


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


@needs_compiler
def test_torch_gradient_of_a_compiled_while_loop_fails_at_some_lengths(
    torch, in_torch, monkeypatch
) -> None:
    """Where a step's derivative needs the state, which a multiplication and a sum do not."""
    monkeypatch.setattr(in_torch, "_step", torch.cos)
    evolve = torch.compile(in_torch.evolve_scan_unrolled, fullgraph=True, dynamic=False)
    total = evolve(torch.linspace(0.25, 1.5, 7, requires_grad=True), 10).sum()
    with pytest.raises(AssertionError, match="Expect the tensor to be 16 bytes aligned"):
        total.backward()


def test_torch_only_python_loops_have_forward_mode(torch, in_torch) -> None:
    x = torch.tensor(X)

    def tangent(function):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # torch.func.jvp uses torch.jit
            return torch.func.jvp(function, (x,), (torch.ones_like(x),))[1]

    found = tangent(lambda x: in_torch.evolve_python(x, NUM_STEPS))
    np.testing.assert_allclose(found, slopes(x), rtol=1e-5)
    for loop in (
        lambda x: in_torch.evolve_fori(x, NUM_STEPS),
        total_cosines(torch, torch.cos),
        lambda x: torch._higher_order_ops.map(torch.cos, x),
    ):
        torch.compiler.reset()
        with pytest.raises(torch._dynamo.exc.UncapturedHigherOrderOpError):
            tangent(loop)
        torch.compiler.reset()
        with pytest.raises(AssertionError, match="Expected FakeTensor"):
            torch.func.grad(lambda x, loop=loop: loop(x).sum())(x)


def test_torch_associative_scan_has_both_modes(torch, in_torch) -> None:
    x = torch.linspace(0.1, 0.9, 6).reshape(3, 2)

    def weighted(x):
        return (in_torch.recurrence_associative(x, 2 * x) * x).sum()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # torch.func.jvp uses torch.jit
        _, forward = torch.func.jvp(weighted, (x,), (torch.ones_like(x),))
    inputs = x.clone().requires_grad_()
    weighted(inputs).backward()
    np.testing.assert_allclose(forward, inputs.grad.sum(), rtol=1e-5)
