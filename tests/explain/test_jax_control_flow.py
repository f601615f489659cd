"""Loops and branches of a program of JAX: operations in their bodies, line by line."""

import pytest
from commented_functions import M, X, cases

jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp, lax = jax.numpy, jax.lax

case, test_marks = cases("jax")


@case(X, True)
def conditional(x, flag):
    def double(x):  # -> traced
        return x + x  # -> A: 1 in cond true branch

    # -> A2, 2 in cond false branch, 1 in cond true branch
    return lax.cond(flag, double, lambda x: jnp.sin(x) * x, x)


@case(X, 1)
def switched(x, kind):
    branches = [jnp.sin, jnp.cos, lambda x: x * 2 + 1]  # -> A: 2 in cond branch 2
    # -> A3, 1 in cond branch 0, 1 in cond branch 1, 2 in cond branch 2
    return lax.switch(kind, branches, x)


@case(X)
def scanned(x):
    def step(carry, row):  # -> traced
        carry = carry * 2 + row  # -> A: 3 in scan body
        return carry, carry  # -> traced

    return lax.scan(step, 0.0, x)  # -> A1, 3 in scan body


@case(X)
def fori(x):
    return lax.fori_loop(0, 3, lambda i, x: x + i, x)  # -> A1, 3 in scan body


@case(X, 3)
def fori_of_traced_length(x, n):
    # -> A1, 2 in while body, 1 in while condition
    return lax.fori_loop(0, n, lambda i, x: jnp.sin(x), x)


@case(X)
def while_of_the_program(x):
    return lax.while_loop(  # -> A1, 1 in while body, 2 in while condition
        lambda x: x.sum() < 100,
        lambda x: x * 2,
        x,
    )


@case(M)
def scan_in_scan(m):
    def inner(total, value):  # -> traced
        return total + jnp.sin(value), None  # -> A: 3 in scan body > scan body

    def outer(total, row):  # -> traced
        total, _ = lax.scan(inner, total, row)  # -> A: 1 in scan body, 3 in scan body > scan body
        return total, None  # -> traced

    return lax.scan(outer, 0.0, m)[0]  # -> A1, 1 in scan body, 3 in scan body > scan body


@case(X, True)
def cond_in_scan(x, flag):
    def step(total, value):  # -> traced
        # -> A: 2 in scan body, 1 in scan body > cond false branch,
        # -> 2 in scan body > cond true branch
        return lax.cond(flag, lambda t: t + value, jnp.sin, total), None

    # -> A1, 2 in scan body, 1 in scan body > cond false branch,
    # -> 2 in scan body > cond true branch
    return lax.scan(step, 0.0, x)[0]
