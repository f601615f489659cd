"""Every kind of callable, in both frameworks."""

import functools
from typing import Any

import pytest
from commented_functions import check_comments, check_kind

from jaxvstorch import explain
from jaxvstorch._explain.framework_of import framework_of
from jaxvstorch._explain.python.unwrap import original

twice = lambda x: x * x * 2  # -> A2  # noqa: E731


class _Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.times(x) + 1  # -> A2

    def times(self, x):
        return x * self.factor  # -> A1 ! frozen | A1

    @classmethod
    def plain(cls, x):
        return x + 1  # -> A1

    @staticmethod
    def square(x):
        return x * x  # -> A1

    def _to(self, x, exponent):
        return x**exponent  # -> A1

    squared = functools.partialmethod(_to, exponent=2)

    @functools.singledispatchmethod
    def halved(self, x):
        return x / 2  # -> A1


def power(x, exponent, shift=0.0):
    return x**exponent + shift  # -> A2


def added(amount):
    def add(x):
        return x + amount  # -> A1

    return add


def by_two(function):
    @functools.wraps(function)
    def around(x):
        return function(x, 2)  # -> A1

    return around


@by_two
def times(x, factor):
    return x * factor  # -> A1


@functools.singledispatch
def shifted(x):
    return x + 1  # -> A1


in_a_list = [
    lambda x: x + 1,
    lambda x: x * x * 2,
]  # the marks are on the statement's first line


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
        pytest.param(_Scale(2.0).squared, "_Scale._to", id="partial method"),
        pytest.param(_Scale(2.0).halved, "_Scale.halved", id="single dispatch method"),
        pytest.param(added(2.0), "added.add", id="closure"),
        pytest.param(shifted, "shifted", id="single dispatch"),
        pytest.param(times, "times", id="a decorator that gives an argument"),
    ],
)  # fmt: skip
def test_every_kind_of_function(framework, x, function, name) -> None:
    check_kind(explain(function, x), framework, name)


def test_a_lambda_in_a_list(framework, x) -> None:
    (source,) = explain(in_a_list[1], x).sources
    assert (source.name, source.runs) == ("<lambda>", 1)
    assert source.lines[0].operations == {"A": 2}


def with_names_of_explain(x, function, framework):
    return function(x) + framework


class _Proxy:
    def __getattr__(self, name):
        raise RuntimeError(name)

    def __call__(self, x):
        return x * x  # -> A1


def test_an_object_whose_attributes_raise(x) -> None:
    framework = type(x).__module__.partition(".")[0]
    assert original(_Proxy()) is _Proxy.__call__
    assert framework_of(_Proxy(), (x,), {}) == framework.removesuffix("lib")


def test_parameters_that_explain_has_too(framework, x) -> None:
    explanation = explain(with_names_of_explain, x, function=twice_and_one, framework=2.0)
    assert explanation.framework == framework
    assert explanation.arguments == ("f32[4]", "function=twice_and_one", "framework=2.0")
    assert [source.name for source in explanation.sources] == [
        "with_names_of_explain",
        "twice_and_one",
    ]


def twice_and_one(x):
    return x * 2 + 1


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
    check_comments(explanation)


def scaled_by_default(x, factors={"a": 2.0}):  # noqa: B006
    return x * factors["a"]


def summed_on_one_line(x):
    for i in range(3): x = x + i  # noqa: E701  # fmt: skip
    return x


class _Scaled:
    factor = 2.0

    def by_getattr(self, x):
        return x * getattr(self, "factor")  # noqa: B009

    def by_vars(self, x):
        return x * vars(type(self))["factor"]


def test_what_the_page_says_that_it_cannot_tell(framework, x) -> None:
    unrolled = explain(summed_on_one_line, x)
    assert unrolled.programs[0].operations == {"A": 3}
    assert unrolled.found("unrolled") == []
    unnamed = (_Scaled().by_getattr, _Scaled().by_vars)
    for function in (scaled_by_default, functools.partial(scaled_by_default), *unnamed):
        assert explain(function, x).found("frozen") == []
