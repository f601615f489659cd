"""Derivatives that are stopped, and rules of one's own."""

import numpy as np
import pytest

AT = np.array([0.1, 3.0, -3.0], dtype=np.float32)


def slope(jax, torch, framework: str, function, at) -> np.ndarray:
    """The slopes of a function that works element by element."""
    if framework == "jax":
        return np.asarray(jax.grad(lambda x: function(x).sum())(jax.numpy.asarray(at)))
    return torch.func.grad(lambda x: function(x).sum())(torch.tensor(at)).numpy()


@pytest.fixture
def slopes(jax, torch, in_jax, in_torch):
    """The slopes of a pair's two halves."""

    def of(name: str, at) -> list[np.ndarray]:
        functions = {"jax": getattr(in_jax, name), "torch": getattr(in_torch, name)}
        return [slope(jax, torch, name, f, at) for name, f in functions.items()]

    return of


def test_rounding_has_the_slope_of_the_identity(slopes) -> None:
    for found in slopes("round_straight_through", np.float32([0.2, 1.5, 2.5])):
        np.testing.assert_array_equal(found, [1, 1, 1])


def test_rounding_alone_has_none(jax, torch) -> None:
    for framework, function in (("jax", jax.numpy.round), ("torch", torch.round)):
        np.testing.assert_array_equal(slope(jax, torch, framework, function, AT), [0, 0, 0])


def test_the_gradient_is_clipped_and_the_value_is_not(jax, torch, in_jax, in_torch) -> None:
    for framework, half in (("jax", in_jax), ("torch", in_torch)):

        def square(x, half=half):
            return half.clip_gradient(x, 0.5) ** 2

        found = slope(jax, torch, framework, square, AT)
        np.testing.assert_allclose(found, [0.2, 0.5, -0.5], rtol=1e-6)
    assert in_jax.clip_gradient(3.0, 0.5) == in_torch.clip_gradient(torch.tensor(3.0), 0.5) == 3


def test_only_the_last_step_of_newton_is_differentiated(jax, torch, in_jax, in_torch) -> None:
    mean, eccentricity = jax.numpy.array([1.0]), jax.numpy.array([0.5])
    root = in_jax.kepler(mean, eccentricity)
    _, back = jax.vjp(in_jax.kepler, mean, eccentricity)
    assert sum(array.size for array in jax.tree.leaves(back)) < 20  # nothing of the loop
    np.testing.assert_allclose(back(root / root)[0], 1 / (1 - 0.5 * np.cos(root)), rtol=1e-5)
    sines = []

    def pack(tensor):
        sines.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        in_torch.kepler(torch.ones(1, requires_grad=True), torch.ones(1) / 2)
    assert len(sines) < 10


def test_jax_stops_before_a_loop_that_has_no_reverse_mode(jax) -> None:
    def doubled(x):
        return jax.lax.while_loop(lambda c: c < 100, lambda c: 2 * c, x)

    with pytest.raises(ValueError, match="Reverse-mode differentiation does not work"):
        jax.grad(doubled)(1.0)
    assert jax.grad(lambda x: x * doubled(jax.lax.stop_gradient(x)))(1.0) == 128


def test_log1pexp_has_its_slope_at_zero_and_far_out(slopes) -> None:
    for found in slopes("log1pexp", np.float32([0, 100, -100])):
        np.testing.assert_array_equal(found, [0.5, 1, 0])


def test_the_formulas_without_a_rule_have_not(jax, torch) -> None:
    jnp = jax.numpy
    for framework, naive, kinked, at_zero in (
        (
            "jax",
            lambda x: jnp.log(1 + jnp.exp(x)),
            lambda x: jnp.maximum(x, 0) + jnp.log1p(jnp.exp(-jnp.abs(x))),
            0,
        ),
        (
            "torch",
            lambda x: torch.log(1 + torch.exp(x)),
            lambda x: x.clamp(min=0) + torch.log1p(torch.exp(-x.abs())),
            1,
        ),
    ):
        assert np.isnan(slope(jax, torch, framework, naive, np.float32([100])))
        assert slope(jax, torch, framework, kinked, np.float32([0])) == at_zero


def test_the_rule_has_a_second_derivative_and_works_under_vmap(
    jax, torch, in_jax, in_torch
) -> None:
    assert jax.grad(jax.grad(in_jax.log1pexp))(0.0) == 0.25
    assert torch.func.grad(torch.func.grad(in_torch.log1pexp))(torch.tensor(0.0)) == 0.25
    batched = torch.vmap(torch.func.grad(in_torch.log1pexp))(torch.tensor([0.0, 100.0]))
    np.testing.assert_array_equal(batched, [0.5, 1])


def test_forward_mode_needs_a_rule_of_its_own(jax, torch, in_jax, in_torch) -> None:
    assert jax.jvp(in_jax.log1pexp, (0.0,), (1.0,))[1] == 0.5
    with pytest.raises(NotImplementedError, match="You must implement the jvp function"):
        torch.func.jvp(in_torch.log1pexp, (torch.tensor(0.0),), (torch.tensor(1.0),))
    with pytest.raises(TypeError, match="can't apply forward-mode autodiff"):
        jax.jvp(lambda x: in_jax.clip_gradient(x, 0.5), (1.0,), (1.0,))


def test_forward_over_reverse_needs_no_rule_in_jax_and_one_in_torch(
    jax, torch, in_jax, in_torch
) -> None:
    assert jax.hessian(lambda x: in_jax.clip_gradient(x, 0.5) ** 2)(0.1) == 2
    with pytest.raises(NotImplementedError, match="You must implement the jvp function"):
        torch.func.hessian(lambda x: in_torch.clip_gradient(x, 0.5) ** 2)(torch.tensor(0.1))


def test_a_jvp_in_the_class_lets_torch_go_forward_over_reverse(torch) -> None:
    class Cube(torch.autograd.Function):
        generate_vmap_rule = True
        forward = staticmethod(lambda x: x**3)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, gradient):
            return 3 * ctx.saved_tensors[0] ** 2 * gradient

        @staticmethod
        def jvp(ctx, tangent):
            return 3 * ctx.saved_tensors[0] ** 2 * tangent

    assert torch.func.hessian(Cube.apply)(torch.tensor(2.0)) == 12


def test_torch_func_refuses_a_class_that_is_written_the_old_way(torch) -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, gradient):
            return 2 * gradient

    x = torch.tensor(1.0, requires_grad=True)
    assert torch.autograd.grad(Double.apply(x), x) == (2,)
    with pytest.raises(RuntimeError, match="must override the setup_context"):
        torch.func.grad(Double.apply)(x.detach())


def test_torch_vmap_refuses_a_class_without_a_rule_for_it(torch) -> None:
    class Triple(torch.autograd.Function):
        forward = staticmethod(lambda x: 3 * x)
        setup_context = staticmethod(lambda ctx, inputs, output: None)
        backward = staticmethod(lambda ctx, gradient: 3 * gradient)

    assert torch.func.grad(Triple.apply)(torch.tensor(1.0)) == 3
    with pytest.raises(RuntimeError, match="does not have vmap support"):
        torch.vmap(Triple.apply)(torch.ones(2))


def test_checks_accept_a_right_rule_and_refuse_a_wrong_one(jax, torch, in_jax, in_torch) -> None:
    from jax.test_util import check_grads
    from torch.autograd.gradcheck import GradcheckError

    x = jax.numpy.array([0.5, -1.0])
    check_grads(in_jax.log1pexp, (x,), order=2, rtol=0.01)
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        check_grads(lambda x: 3 * in_jax.clip_gradient(x, 0.5), (x,), order=1, modes=["rev"])
    x = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(in_torch.log1pexp, x)
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        torch.autograd.gradcheck(lambda x: 3 * in_torch.clip_gradient(x, 0.5), x)
