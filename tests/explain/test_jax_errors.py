"""Errors of JAX while it traces: where they are, and their cure."""

import functools
import re

import numpy as np
import pytest
from commented_functions import X, cases

from jaxvstorch import explain

jax = pytest.importorskip("jax", reason="JAX is not installed")
checkify = pytest.importorskip("jax.experimental.checkify", reason="JAX is not installed")
jnp = jax.numpy

case, test_marks = cases("jax")


@case(X)
def needs_the_value(x):
    y = x.sum()  # -> traced
    if y > 0:  # -> failed ! failed
        return x  # -> not reached
    return -x  # -> not reached


@case(X, 3)
def needs_the_number(x, n):
    return jnp.zeros(n) + x.sum()  # -> failed ! failed


@case(X)
def asks_for_numpy(x):
    return np.sin(x)  # -> failed ! failed


def checked(x):
    checkify.check(x.sum() > 0, "not positive")
    return x


def checked_when_asked(x):
    checkify.debug_check(x.sum() > 0, "not positive")
    return x


@functools.cache
def cached(x):
    return x * 2


def sum_of(x, numbers):
    return x.sum() + sum(numbers)


@pytest.mark.parametrize(
    ("function", "arguments", "what", "cure", "page"),
    [
        (needs_the_value, (X,), "TracerBoolConversionError", "jax.lax.cond", "branching"),
        (needs_the_number, (X, 3), "TypeError", "static argument", "shapes-values"),
        (asks_for_numpy, (X,), "TracerArrayConversionError", "jax.numpy", "methods-ways-out"),
        (cached, (X,), "TypeError", "Take a cache such as functools.lru_cache off", "tracing"),
        (checked, (X,), "ValueError: Cannot abstractly evaluate", "checkify.checkify", "debugging"),
        (jax.jit(sum_of, static_argnums=1), (X, [1, 2]), "ValueError", "tuple", "static_args"),
    ],
)
def test_an_error_has_its_cure(function, arguments, what, cure, page) -> None:
    (finding,) = explain(function, *arguments).found("failed")
    assert finding.what.startswith(what)
    assert cure in finding.cure
    assert finding.page == page


def test_a_check_that_compiling_leaves_out_is_no_error() -> None:
    assert not explain(checked_when_asked, X).findings
    assert not explain(checkify.checkify(checked), X).findings


class _NoTextError(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


def raises_it(x):
    raise _NoTextError


def test_an_error_that_cannot_be_printed_is_named() -> None:
    (finding,) = explain(raises_it, X).found("failed")
    assert finding.what == "_NoTextError"


def test_an_error_is_shown_to_the_end_of_its_sentence() -> None:
    (finding,) = explain(jax.jit(sum_of, static_argnums=1), X, [1, 2]).found("failed")
    assert finding.what.endswith("[1, 2]. The error was: TypeError: unhashable type: 'list'")


def first_few(x, n):
    take = jnp.minimum(x.size, n)
    return jnp.arange(take) + x[0]


def test_its_facts_are_kept_and_name_the_readers_line() -> None:
    (finding,) = explain(jax.jit(first_few, static_argnums=1), X, 2).found("failed")
    line = first_few.__code__.co_firstlineno + 1
    assert re.search(
        rf"operation .* = min .* from line \S*test_jax_errors.py:{line}:", finding.what
    )
    assert "jnp.arange argument 'stop'" in finding.what
    assert "min()" in finding.cure


def test_an_error_before_the_first_line() -> None:
    explanation = explain(jax.jit(sum_of, static_argnums=1), X, [1, 2])
    assert "The lines: it ended with an error before any of them was read." in explanation.missing
