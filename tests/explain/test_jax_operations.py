"""Operations of JAX and functions of its own that take functions, line by line."""

import pytest
from commented_functions import M, X, cases, check_comments
from framework_counts import check_jaxpr

from jaxvstorch import explain

jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp, lax = jax.numpy, jax.lax

case, test_marks = cases("jax")


@case(X)
def functions_of_the_framework(x):
    y = jnp.sin(x) + 1  # -> A2
    return jnp.where(y > 0, y, 0.0)  # -> A4


@jax.jit
def jitted_helper(x):
    return jnp.sin(x) * 2  # -> A4


@case(X)
def calls_a_jitted_one_twice(x):
    a = jitted_helper(x)  # -> A2
    b = jitted_helper(a)  # -> A2
    return a + b  # -> A1


@case(X)
def within(x):
    with jax.named_scope("inside"):  # -> traced
        return jnp.cos(x)  # -> A1


@case(X)
def differentiates(x):
    def loss(x):  # -> traced
        return (x * x).sum()  # -> A6

    return jax.grad(loss)(x)  # -> A6


@case(M)
def vectorises(m):
    return jax.vmap(lambda row: jnp.sin(row).sum())(m)  # -> A2


@jax.custom_vjp
def clipped(x):
    return jnp.sin(x)  # -> A1


def clipped_fwd(x):
    y = clipped(x)  # -> A1
    return y, jnp.cos(x)  # -> A1


def clipped_bwd(cosine, g):
    d = cosine * g  # -> A1
    return (jnp.clip(d, -1, 1),)  # -> A4


clipped.defvjp(clipped_fwd, clipped_bwd)


@jax.custom_jvp
def doubled(x):
    return x * 2  # -> A1


@doubled.defjvp
def doubled_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents  # -> traced
    return doubled(x), dx * 2  # -> A2


@case(X)
def differentiates_by_rules(x):
    def loss(x):  # -> traced
        y = clipped(x)  # -> A7
        return doubled(y).sum()  # -> A4

    return jax.grad(loss)(x)  # -> A11


@case(X)
def differentiates_what_was_traced_before(x):
    @jax.jit  # -> traced
    def loss(x):
        y = clipped(x)  # -> A7
        return y.sum()  # -> A2

    return jax.grad(loss)(x)  # -> A9


def rematerialised(x):
    y = jnp.sin(x)  # -> A4
    return jnp.sin(y).sum()  # -> A5


@case(X)
def differentiates_a_checkpoint(x):
    before = jnp.cos(x)  # -> A1
    g = jax.grad(jax.checkpoint(rematerialised))(x)  # -> A9
    return before - g  # -> A1


def test_a_gradient_of_a_checkpoint() -> None:
    explanation = explain(jax.grad(jax.checkpoint(rematerialised)), X)
    check_comments(explanation)
    (program,) = explanation.programs
    assert program.operations == {"A": 9}
    assert program.without_line == {}


def test_a_gradient_function() -> None:
    def loss(x):
        return (x * x).sum()  # -> A6

    explanation = explain(jax.grad(loss), X)
    check_comments(explanation)
    check_jaxpr(explanation, jax.make_jaxpr(jax.grad(loss))(X))


def test_functions_of_the_framework() -> None:
    explanation = explain(jnp.sin, X)
    assert explanation.programs[0].operations == {"A": 1}
    assert sum(explain(lax.add, X, X).programs[0].operations.values()) == 1
