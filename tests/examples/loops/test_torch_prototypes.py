"""PyTorch's prototypes of loops: what works, and what is wrong."""

import numpy as np
import pytest
from needs import needs_compiler

X = np.linspace(0.25, 1.5, 3, dtype=np.float32)
NUM_STEPS = 5


def total_cosines(torch, step):
    """A scan with PyTorch's private prototype: the last state of ``step``, taken five times."""

    def body(state, _):
        state = step(state)
        return state, state.clone()

    return lambda x: torch._higher_order_ops.scan(body, x, torch.arange(NUM_STEPS))[0]


def slopes(step, x):
    """The gradient of ``step``, taken five times in a Python loop."""
    state = x = x.detach().clone().requires_grad_()
    for _ in range(NUM_STEPS):
        state = step(state)
    state.sum().backward()
    return x.grad


def test_torch_has_one_public_loop(torch) -> None:
    assert "prototype" in torch.while_loop.__doc__
    for name in ("scan", "associative_scan", "map"):
        assert not hasattr(torch, name)
        assert "prototype" in getattr(torch._higher_order_ops, name).__doc__


def test_torch_scan_runs_and_has_gradients_in_eager_mode(torch) -> None:
    for step in (torch.cos, torch.tanh):
        x = torch.tensor(X, requires_grad=True)
        total_cosines(torch, step)(x).sum().backward()
        np.testing.assert_allclose(x.grad, slopes(step, x), rtol=1e-5)


@needs_compiler
def test_torch_scan_compiles_only_with_fullgraph(torch) -> None:
    x = torch.tensor(X)
    function = total_cosines(torch, torch.cos)
    with pytest.raises(torch._inductor.exc.InductorError, match="DataDependentOutputException"):
        torch.compile(function)(x)
    torch.compiler.reset()
    found = torch.compile(function, fullgraph=True)(x)
    np.testing.assert_allclose(found, function(x), rtol=1e-5)


@needs_compiler
def test_torch_map_compiles_only_with_fullgraph(torch) -> None:

    def squares(x):
        return torch._higher_order_ops.map(lambda element: element * element, x)

    x = torch.tensor(X, requires_grad=True)
    squares(x).sum().backward()
    np.testing.assert_allclose(x.grad, 2 * X)
    torch.compiler.reset()
    with pytest.raises(torch._inductor.exc.InductorError, match="DataDependentOutputException"):
        torch.compile(squares)(torch.tensor(X))
    torch.compiler.reset()
    found = torch.compile(squares, fullgraph=True)(torch.tensor(X))
    np.testing.assert_allclose(found, X**2)


@needs_compiler
def test_torch_compiled_while_loop_is_right_for_large_arrays_and_on_later_calls(
    torch, in_torch
) -> None:
    x, count = torch.linspace(-3, 3, 2**16), torch.tensor(10)
    kept = x.clone()
    compiled = torch.compile(in_torch.evolve_while)
    expected = in_torch.evolve_python(x.double(), 10)
    for _ in range(3):
        np.testing.assert_allclose(compiled(x, count), expected, rtol=1e-5, atol=1e-6)
    assert torch.equal(x, kept)
    assert int(count) == 10


@needs_compiler
def test_torch_scan_compiled_has_no_gradient_where_a_step_keeps_its_result(torch) -> None:
    x = torch.tensor(X, requires_grad=True)
    torch.compile(total_cosines(torch, torch.cos), fullgraph=True)(x).sum().backward()
    np.testing.assert_allclose(x.grad, slopes(torch.cos, x), rtol=1e-5)
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="might be aliasing"):
        torch.compile(total_cosines(torch, torch.tanh), fullgraph=True)(x)


def test_torch_scan_refuses_no_steps_no_inputs_and_results_that_share_memory(torch) -> None:
    scan, x = torch._higher_order_ops.scan, torch.tensor(X)
    with pytest.raises(RuntimeError, match="scan dimension > 0"):
        scan(lambda c, _: (c.cos(), c.clone()), x, torch.arange(0))
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'ndim'"):
        scan(lambda c, _: (c.cos(), c.clone()), x, None)
    error = torch._dynamo.exc.UncapturedHigherOrderOpError
    with pytest.raises(error, match="Encountered aliasing"):
        scan(lambda c, _: (c.cos(), c), x, torch.arange(3))


def test_torch_integers_in_a_carry_have_no_gradient(torch) -> None:
    carry = (0, torch.tensor(X, requires_grad=True))
    # torch 2.10 says the latter.
    says = r"must be tensors for stack_output|call_function while_loop.*got AssertionError"
    with pytest.raises(RuntimeError, match=says):
        torch.while_loop(lambda i, x: i < NUM_STEPS, lambda i, x: (i + 1, x.cos()), carry)
