"""PyTorch's prototypes of loops: what works, and what is wrong."""

import numpy as np
import pytest
from loops_derivatives import NUM_STEPS, slopes, total_cosines
from needs import needs_compiler


def test_torch_has_one_public_loop(in_torch) -> None:
    assert "prototype" in in_torch.torch.while_loop.__doc__
    for name in ("scan", "associative_scan", "map"):
        assert not hasattr(in_torch.torch, name)
        assert "prototype" in getattr(in_torch.prototypes, name).__doc__


def test_torch_scan_runs_and_has_gradients_in_eager_mode(in_torch) -> None:
    for step in (in_torch.torch.cos, in_torch.torch.tanh):
        x = in_torch.x.clone().requires_grad_()
        total_cosines(in_torch, step)(x).sum().backward()
        y = in_torch.x.clone().requires_grad_()
        state = y
        for _ in range(NUM_STEPS):
            state = step(state)
        state.sum().backward()
        np.testing.assert_allclose(x.grad, y.grad, rtol=1e-5)


@needs_compiler
def test_torch_scan_compiles_only_with_fullgraph(in_torch) -> None:
    torch = in_torch.torch
    function = total_cosines(in_torch, torch.cos)
    with pytest.raises(torch._inductor.exc.InductorError, match="DataDependentOutputException"):
        torch.compile(function)(in_torch.x)
    torch.compiler.reset()
    found = torch.compile(function, fullgraph=True)(in_torch.x)
    np.testing.assert_allclose(found, function(in_torch.x), rtol=1e-5)


@needs_compiler
def test_torch_map_compiles_only_with_fullgraph(in_torch) -> None:
    torch = in_torch.torch

    def squares(x):
        return in_torch.prototypes.map(lambda element: element * element, x)

    x = in_torch.x.clone().requires_grad_()
    squares(x).sum().backward()
    np.testing.assert_allclose(x.grad, 2 * in_torch.x)
    torch.compiler.reset()
    with pytest.raises(torch._inductor.exc.InductorError, match="DataDependentOutputException"):
        torch.compile(squares)(in_torch.x)
    torch.compiler.reset()
    found = torch.compile(squares, fullgraph=True)(in_torch.x)
    np.testing.assert_allclose(found, in_torch.x**2)


@needs_compiler
@pytest.mark.parametrize("name", ["evolve_fori", "evolve_while", "evolve_scan_unrolled"])
def test_torch_compiled_while_loop_is_right_for_large_arrays_and_on_later_calls(
    in_torch, name
) -> None:
    torch = in_torch.torch
    x = torch.linspace(-3, 3, 2**16)
    count = torch.tensor(10) if name == "evolve_while" else 10
    kept = x.clone()
    compiled = torch.compile(getattr(in_torch.examples, name))
    expected = in_torch.examples.evolve_python(x.double(), 10)
    for _ in range(3):
        np.testing.assert_allclose(compiled(x, count), expected, rtol=1e-5)
    assert torch.equal(x, kept)
    assert int(count) == 10


@needs_compiler
def test_torch_scan_compiled_has_no_gradient_where_a_step_keeps_its_result(in_torch) -> None:
    torch = in_torch.torch
    x = in_torch.x.clone().requires_grad_()
    torch.compile(total_cosines(in_torch, torch.cos), fullgraph=True)(x).sum().backward()
    np.testing.assert_allclose(x.grad, slopes(in_torch.x), rtol=1e-5)
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="might be aliasing"):
        torch.compile(total_cosines(in_torch, torch.tanh), fullgraph=True)(x)


def test_torch_scan_refuses_no_steps_no_inputs_and_results_that_share_memory(in_torch) -> None:
    scan, x = in_torch.prototypes.scan, in_torch.x
    with pytest.raises(RuntimeError, match="scan dimension > 0"):
        scan(lambda c, _: (c.cos(), c.clone()), x, in_torch.torch.arange(0))
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'ndim'"):
        scan(lambda c, _: (c.cos(), c.clone()), x, None)
    with pytest.raises(in_torch.wrong, match="Encountered aliasing"):
        scan(lambda c, _: (c.cos(), c), x, in_torch.torch.arange(3))


def test_torch_integers_in_a_carry_do_not_compile_and_have_no_gradient(in_torch) -> None:
    torch = in_torch.torch

    def evolve(x):
        return torch.while_loop(lambda i, x: i < NUM_STEPS, lambda i, x: (i + 1, x.cos()), (0, x))[
            1
        ]

    assert evolve(in_torch.x).shape == (3,)
    with pytest.raises(torch._inductor.exc.InductorError):
        torch.compile(evolve)(in_torch.x)
    torch.compiler.reset()
    # torch 2.10 says the latter.
    says = r"must be tensors for stack_output|call_function while_loop.*got AssertionError"
    with pytest.raises(RuntimeError, match=says):
        evolve(in_torch.x.clone().requires_grad_())
