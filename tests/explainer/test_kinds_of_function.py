"""Every kind of thing that can be called, in both frameworks."""

import functools
from typing import Any

import marks
import pytest
from cases import check_kind

from jaxvstorch import explain

twice = lambda x: x * x * 2  # -> A2  # noqa: E731


class _Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.times(x) + 1  # -> A2

    def times(self, x):
        return x * self.factor  # -> A1

    @classmethod
    def plain(cls, x):
        return x + 1  # -> A1

    @staticmethod
    def square(x):
        return x * x  # -> A1


def power(x, exponent, shift=0.0):
    return x**exponent + shift  # -> A2


def added(amount):
    def add(x):
        return x + amount  # -> A1

    return add


@pytest.fixture
def compiled(framework) -> Any:
    """What compiles a function, given its name of what is static to ``jax.jit``."""
    module = pytest.importorskip(framework)

    def compile(function, static=None):
        if framework == "jax":
            return module.jit(function, static_argnames=static)
        return module.compile(function)

    return compile


@pytest.mark.parametrize(
    ("function", "name"),
    [
        pytest.param(twice, "twice", id="lambda"),
        pytest.param(functools.partial(power, exponent=2, shift=1.0), "power", id="partial"),
        pytest.param(functools.partial(functools.partial(power, shift=1.0), exponent=2), "power",
                     id="partial of a partial"),
        pytest.param(_Scale(2.0), "_Scale.__call__", id="instance"),
        pytest.param(_Scale(2.0).times, "_Scale.times", id="bound method"),
        pytest.param(_Scale.plain, "_Scale.plain", id="class method"),
        pytest.param(_Scale.square, "_Scale.square", id="static method"),
        pytest.param(added(2.0), "added.add", id="closure"),
    ],
)  # fmt: skip
def test_every_kind_of_function(framework, x, function, name) -> None:
    check_kind(explain(function, x), framework, name)


def of_partial(compiled):
    return compiled(functools.partial(power, exponent=2))


def partial_of(compiled):
    return functools.partial(compiled(power, static="exponent"), exponent=2)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        pytest.param(lambda compiled: compiled(_Scale.square), "_Scale.square", id="function"),
        pytest.param(of_partial, "power", id="compiled partial"),
        pytest.param(partial_of, "power", id="partial of compiled"),
    ],
)
def test_every_kind_of_compiled_function(framework, x, compiled, make, name) -> None:
    check_kind(explain(make(compiled), x), framework, name)


def test_arguments_by_name_are_named(x, compiled) -> None:
    explanation = explain(compiled(power, static="exponent"), x, exponent=2)
    assert explanation.arguments == ("f32[4]", "exponent=2")
    marks.check_comments(explanation)
