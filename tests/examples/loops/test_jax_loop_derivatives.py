"""Which loops have derivatives in JAX, and in which mode."""

import numpy as np
import pytest
from loops_derivatives import NUM_STEPS, X, slopes


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


def test_jax_second_derivative_of_a_scan_is_right(jax) -> None:
    def fourth_power(x):
        return jax.lax.fori_loop(0, 2, lambda _, x: x * x, x)

    assert jax.hessian(fourth_power)(1.0) == 12
