"""What the derivative is where a function has none, and of complex numbers."""

import numpy as np
import pytest

NAN = np.nan
# The function's names, where, and the slopes there: in JAX, in PyTorch.
KINKS = {
    "abs": ("jnp.abs", "torch.abs", [0.0], [1], [0]),
    "relu": ("nn.relu", "F.relu", [0.0], [0], [0]),
    "leaky relu": ("nn.leaky_relu", "F.leaky_relu", [0.0], [1], [0.01]),
    "maximum": (
        "lambda x: jnp.maximum(x, 0)",
        "lambda x: torch.maximum(x, 0 * x.detach())",
        [0.0],
        [0.5],
        [0.5],
    ),
    "clip": (
        "lambda x: jnp.clip(x, 0, 1)",
        "lambda x: x.clamp(0, 1)",
        [0.0, 1.0],
        [0.5, 0.5],
        [1, 1],
    ),
    "hard tanh": ("nn.hard_tanh", "F.hardtanh", [1.0], [1], [0]),
    "max": ("jnp.max", "torch.max", [1.0, 1.0], [0.5, 0.5], [0.5, 0.5]),
    "sqrt": ("jnp.sqrt", "torch.sqrt", [0.0], [np.inf], [np.inf]),
    "norm": ("jnp.linalg.norm", "torch.linalg.norm", [0.0, 0.0], [NAN, NAN], [0, 0]),
    "norm, written out": (
        "lambda x: jnp.sqrt((x * x).sum())",
        "lambda x: (x * x).sum().sqrt()",
        [0.0, 0.0],
        [NAN, NAN],
        [NAN, NAN],
    ),
    "std": ("jnp.std", "torch.std", [1.0, 1.0], [NAN, NAN], [0, 0]),
    "arctan2": (
        "lambda x: jnp.arctan2(x, x)",
        "lambda x: torch.atan2(x, x)",
        [0.0],
        [NAN],
        [0],
    ),
    "maximum of x and -x": (
        "lambda x: jnp.maximum(x, -x)",
        "lambda x: torch.maximum(x, -x)",
        [0.0],
        [0],
        [0],
    ),
}


@pytest.mark.parametrize("name", KINKS)
def test_jax_has_this_slope_at_a_kink_compiled_or_not(jax, name) -> None:
    written, _, at, slopes, _ = KINKS[name]
    function = eval(written, {"jnp": jax.numpy, "nn": jax.nn})
    slope = jax.grad(lambda x: function(x).sum())
    for derivative in (slope, jax.jit(slope)):
        np.testing.assert_array_equal(derivative(jax.numpy.array(at)), slopes)


@pytest.mark.parametrize("name", KINKS)
def test_torch_has_this_slope_at_a_kink_compiled_or_not(torch, name) -> None:
    _, written, at, _, slopes = KINKS[name]
    function = eval(written, {"torch": torch, "F": torch.nn.functional})
    for derived in (function, torch.compile(function, backend="aot_eager")):
        x = torch.tensor(at, requires_grad=True)
        np.testing.assert_allclose(torch.autograd.grad(derived(x).sum(), x)[0], slopes)


def test_jax_0_12_has_another_slope_of_hypot_at_zero(jax) -> None:
    slope = jax.grad(lambda x: jax.numpy.hypot(x, 0.0))(0.0)
    np.testing.assert_equal(float(slope), 0.5 if jax.__version_info__ < (0, 12) else np.nan)


def distance(z):
    return abs(z - 3) ** 2


def test_complex_gradients_are_conjugates_of_each_other(jax, torch) -> None:
    in_jax = complex(jax.grad(distance)(1 + 2j))
    x, y = jax.grad(lambda x, y: distance(x + 1j * y), argnums=(0, 1))(1.0, 2.0)
    z = torch.tensor(1 + 2j, requires_grad=True)
    distance(z).backward()
    np.testing.assert_allclose(in_jax, complex(x - 1j * y), rtol=1e-6)
    np.testing.assert_allclose(z.grad.item(), np.conj(in_jax), rtol=1e-6)
    np.testing.assert_allclose(torch.func.grad(distance)(z.detach()), np.conj(in_jax), rtol=1e-6)


def test_a_step_against_the_gradient_descends_in_torch_and_with_conj_in_jax(jax) -> None:
    gradient = complex(jax.grad(distance)(1 + 2j))
    down, up = (distance(1 + 2j - 0.1 * step) for step in (np.conj(gradient), gradient))
    assert down < distance(1 + 2j) < up


def test_a_complex_result_has_no_gradient(jax, torch) -> None:
    with pytest.raises(TypeError, match="requires real-valued outputs"):
        jax.grad(lambda z: z * z)(1 + 2j)
    z = torch.tensor(1 + 2j, requires_grad=True)
    with pytest.raises(RuntimeError, match="only for real scalar outputs"):
        (z * z).backward()
    assert jax.grad(lambda z: z * z, holomorphic=True)(1 + 2j) == 2 + 4j
    assert torch.autograd.grad(z * z, z, torch.tensor(1 + 0j))[0] == 2 - 4j
