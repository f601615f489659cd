"""In a module that imports both frameworks, the names in a function show which one it uses."""

import functools

import pytest

from jaxvstorch import explain
from jaxvstorch._explain.framework_of import belongs_to, framework_of

jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp = pytest.importorskip("jax.numpy", reason="JAX is not installed")
torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def in_jax(x):
    return jnp.sin(x)


def calls_it(x):
    return in_jax(x) + 1


def in_torch(x):
    return torch.as_tensor(x) + 1


def in_either(x):
    return x + 1


@pytest.mark.parametrize("function", [in_jax, calls_it, functools.partial(in_jax), jnp.where])
def test_functions_that_name_jax(function) -> None:
    assert framework_of(function, (1.0,), {}) == "jax"


@pytest.mark.parametrize("function", [in_torch, torch.relu, torch.nn.ReLU(), torch.nn.ReLU().eval])
def test_functions_that_name_torch(function) -> None:
    assert framework_of(function, (1.0,), {}) == "torch"


@pytest.mark.parametrize(
    ("decorate", "framework"),
    [(jax.grad, "jax"), (jax.checkpoint, "jax"), (torch.vmap, "torch"), (torch.no_grad(), "torch")],
)
def test_a_decorator_of_a_framework_tells_it(decorate, framework) -> None:
    assert framework_of(decorate(in_either), (1.0,), {}) == framework
    assert belongs_to(functools.wraps(in_either)(decorate(in_either))) == framework


def test_a_function_that_names_neither_is_of_its_arguments() -> None:
    assert framework_of(in_either, (jnp.ones(1),), {}) == "jax"
    assert framework_of(in_either, (), {"x": torch.ones(1)}) == "torch"
    with pytest.raises(TypeError, match="cannot tell from 'in_either' or its arguments"):
        framework_of(in_either, (1.0,), {})
    with pytest.raises(TypeError, match="pass framework='jax', 'torch' or 'both'"):
        explain(in_either, 1.0)
    with pytest.raises(ValueError, match="framework must be 'jax', 'torch' or 'both', not 'tf'"):
        explain(in_either, 1.0, framework="tf")


def test_arguments_of_the_other_framework_are_refused() -> None:
    with pytest.raises(TypeError, match="the function uses JAX, but the arguments hold PyTorch's"):
        framework_of(jnp.where, (torch.ones(1),), {})
