"""The derivative of what is compiled, and what is compiled of a derivative."""

import numpy as np
import pytest
from needs import needs_compiler
from programs import primitives
from torch_versions import has_torch


def test_jax_makes_one_program_of_a_derivative_and_two_to_derive_a_program(jax) -> None:
    def f(x):
        return (jax.numpy.sin(x) * jax.numpy.exp(x)).sum()

    x = jax.numpy.linspace(-1, 1, 4)
    inside, outside = jax.jit(jax.grad(f)), jax.grad(jax.jit(f))
    np.testing.assert_allclose(inside(x), outside(x), rtol=1e-6)
    assert primitives(jax.make_jaxpr(inside)(x)) == ["jit"]
    assert primitives(jax.make_jaxpr(outside)(x)) == ["jit", "jit"]
    np.testing.assert_allclose(jax.hessian(jax.jit(f))(x), jax.jit(jax.hessian(f))(x), rtol=1e-5)


def test_torch_makes_one_graph_of_a_derivative_and_two_to_derive_a_program(torch) -> None:
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd

    def f(x):
        return (torch.sin(x) * torch.exp(x)).sum()

    made = []

    def keep(way):
        return lambda graph, inputs: made.append(way) or make_boxed_func(graph.forward)

    backend = aot_autograd(fw_compiler=keep("forward"), bw_compiler=keep("back"))
    x = torch.ones(4, requires_grad=True)
    torch.compile(torch.func.grad(f), backend=backend)(x.detach())
    assert made == ["forward"]
    torch.compile(f, backend=backend)(x).backward()
    assert made == ["forward", "forward", "back"]


def test_torch_breaks_the_graph_at_backward_and_autograd_grad(torch) -> None:
    def stored(x):
        (x * x).sum().backward()
        return x.grad

    def returned(x):
        return torch.autograd.grad((x * x).sum(), x)[0]

    for function in (stored, returned):
        x = torch.ones(3, requires_grad=True)
        with pytest.raises(torch._dynamo.exc.Unsupported, match="trace_autograd_ops"):
            torch.compile(function, backend="eager", fullgraph=True)(x)
        found = torch.compile(function, backend="eager")(x)
        np.testing.assert_array_equal(found, 2 * np.ones(3))


def test_torch_jacfwd_of_a_matrix_times_a_vector_compiles_for_one_shape(torch, in_torch) -> None:
    def jacobian(w, x):
        return torch.func.jacfwd(lambda x: torch.tanh(w @ x))(x)

    compiled = torch.compile(jacobian, backend="aot_eager", fullgraph=True)
    compiled(torch.ones(5, 4), torch.ones(4))
    if has_torch("2.15"):
        assert compiled(torch.ones(7, 6), torch.ones(6)).shape == (7, 6)
    else:  # PyTorch 2.13 raises TorchRuntimeError, 2.14 Unsupported
        with pytest.raises(torch._dynamo.exc.TorchDynamoException):
            compiled(torch.ones(7, 6), torch.ones(6))
    by_linear = torch.compile(in_torch.jacobian_forward, backend="aot_eager", fullgraph=True)
    for n in (4, 6):
        assert by_linear(torch.ones(n + 1, n), torch.ones(n)).shape == (n + 1, n)


@needs_compiler
def test_inductor_has_no_backward_of_forward_over_reverse(torch, in_torch) -> None:
    w, x, v = (torch.ones(shape, requires_grad=True) for shape in ((2, 3), (4, 2), (2, 3)))
    compiled = torch.compile(in_torch.log_sum_exp_hvp, fullgraph=True)
    with pytest.raises(RuntimeError, match="ZeroTensors are immutable"):
        compiled(w, x, v).sum().backward()
