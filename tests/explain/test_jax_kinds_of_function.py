"""Every kind of function that JAX and libraries on top of it make."""

import functools

import pytest
from commented_functions import M, X, check_comments, check_kind

from jaxvstorch import explain

jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp = jax.numpy


def operations(x):
    y = jnp.sin(x) + 1  # -> A2
    z = y  # -> traced
    # nothing here

    return z * 2  # -> A1


class _Scale:
    factor = 2.0

    @functools.partial(jax.jit, static_argnums=0)
    def __call__(self, x):
        return jnp.sin(x) * self.factor  # -> A2 ! frozen

    @functools.partial(jax.jit, static_argnums=(0, 2))
    def times(self, x, factor):
        return x * factor  # -> A1

    @classmethod
    @functools.partial(jax.jit, static_argnums=0)
    def plain(cls, x):
        return x * cls.factor  # -> A1


@pytest.mark.parametrize(
    ("function", "arguments", "name"),
    [
        pytest.param(_Scale(), (), "_Scale.__call__", id="call"),
        pytest.param(_Scale().times, (3,), "_Scale.times", id="method"),
        pytest.param(_Scale.plain, (), "_Scale.plain", id="class method"),
    ],
)
def test_jitted_methods(function, arguments, name) -> None:
    check_kind(explain(function, X, *arguments), "jax", name)


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(jax.jit(operations), id="jitted"),
        pytest.param(jax.jit(operations, donate_argnums=0), id="donating"),
        pytest.param(jax.checkpoint(operations), id="checkpoint"),
    ],
)
def test_every_kind_of_function(function) -> None:
    check_kind(explain(function, X), "jax", "operations")


@functools.singledispatch
def chosen(x):
    raise TypeError(x)


@chosen.register(jax.core.Tracer)
def chosen_for_traced_values(x):
    return x * 2  # -> A1


def test_what_a_dispatcher_chose_is_shown() -> None:
    explanation = explain(chosen, X)
    check_comments(explanation)
    assert [source.name for source in explanation.sources] == ["chosen_for_traced_values"]
    assert "The lines of chosen: none was read or run" in explanation.missing[0]


def apply(module, x):
    return module(x)


def test_flax_modules() -> None:
    nnx = pytest.importorskip("flax.nnx", reason="flax is not installed")

    class Net(nnx.Module):
        def __init__(self, rngs):
            self.inner = nnx.Linear(4, 3, rngs=rngs)

        def __call__(self, x):
            x = self.inner(x)  # -> A3
            return jnp.tanh(x)  # -> A1

    net = Net(nnx.Rngs(0))
    for function, arguments in ((net, (M,)), (nnx.jit(apply), (net, M))):
        explanation = explain(function, *arguments)
        source = explanation.source("__call__")
        assert [line.operations for line in source.lines[1:]] == [{"A": 3}, {"A": 1}]


def test_equinox_modules() -> None:
    eqx = pytest.importorskip("equinox", reason="equinox is not installed")

    class Net(eqx.Module):
        weight: jax.Array
        power: int

        def __call__(self, x):
            return (x @ self.weight) ** self.power  # -> A2

        def method(self, x):
            return x @ self.weight  # -> A1

    net = Net(jnp.ones((4, 2)), 2)
    for function in (net, eqx.filter_jit(net), net.method):
        explanation = explain(function, M)
        check_comments(explanation)
        assert len(explanation.sources) == 1
