"""Errors of JAX while it traces: where they are, and their cure."""

import numpy as np
import pytest
from cases import X, cases

from jaxvstorch import explain

jax = pytest.importorskip("jax", reason="JAX is not installed")
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


@pytest.mark.parametrize(
    ("function", "arguments", "what", "cure", "page"),
    [
        (needs_the_value, (X,), "TracerBoolConversionError", "jax.lax.cond", "branching"),
        (needs_the_number, (X, 3), "TypeError", "static argument", "static_args"),
        (asks_for_numpy, (X,), "TracerArrayConversionError", "jax.numpy", "tracing"),
    ],
)
def test_an_error_is_told_with_its_cure(function, arguments, what, cure, page) -> None:
    (finding,) = explain(function, *arguments).found("failed")
    assert finding.what.startswith(what)
    assert cure in finding.cure
    assert finding.page == page
