"""``Explanation.marks``: the lines of one source, each with its mark in words."""

import pytest

from jaxvstorch import explain

jax = pytest.importorskip("jax", reason="JAX is not installed")
torch = pytest.importorskip("torch", reason="PyTorch is not installed")
jnp, lax = jax.numpy, jax.lax


def steps(x, number):
    """A docstring has no mark."""

    def body(total, value):
        return total + value, value * 2

    total, doubled = lax.scan(
        body,
        0.0,
        x,
    )
    # Nor has a comment.
    for _ in range(number):
        total = total * 2
        doubled = -doubled
    if number > 5:
        total = -total
    elif number > 4:
        total = +total
    else:
        total = lax.cond(total > 0, jnp.sin, lambda t: t * t + 1, total)
    return total + doubled.sum()


def unfinished(x):
    y = x + 1
    if y[0] > 0:
        y = -y
    return y


def broken(x):
    y = x + 1
    if y.sum() > 0:
        return (
            y * 2
        )  # fmt: skip
    return y


def test_a_line_where_a_statement_begins_has_its_outcome() -> None:
    explanation = explain(jax.jit(steps, static_argnums=1), jnp.arange(3.0), 2)
    assert explanation.marks() == [
        "def body(total, value):  # traced",
        "return total + value, value * 2  # A: 3 in scan body",
        "total, doubled = lax.scan(  # A1, 3 in scan body",
        "for _ in range(number):  # traced",
        "total = total * 2  # A2",
        "doubled = -doubled  # A2",
        "if number > 5:  # traced",
        "total = -total  # not reached",
        "elif number > 4:  # traced",
        "total = +total  # not reached",
        "total = lax.cond(total > 0, jnp.sin, lambda t: t * t + 1, total)"
        "  # A3, 2 in cond false branch, 1 in cond true branch",
        "return total + doubled.sum()  # A2",
    ]


def test_a_line_that_failed_ends_what_is_reached() -> None:
    assert explain(unfinished, jnp.arange(3.0)).marks() == [
        "y = x + 1  # traced",
        "if y[0] > 0:  # failed",
        "y = -y  # not reached",
        "return y  # not reached",
    ]


def test_a_line_names_the_program_that_holds_it() -> None:
    assert explain(broken, torch.ones(3)).marks() == [
        "y = x + 1  # A1",
        "if y.sum() > 0:  # python, A2",
        "return (  # B1",
        "return y  # not reached",
    ]


def test_a_name_that_was_not_traced_is_an_error_and_no_source_is_no_marks() -> None:
    explanation = explain(broken, torch.ones(3))
    assert explanation.marks("broken") == explanation.marks()
    with pytest.raises(LookupError, match="no source is called 'steps'; there is broken"):
        explanation.marks("steps")
    with pytest.raises(ValueError, match="kind must be one of break, impure"):
        explanation.found("breaks")
    compiled = explain(jax.jit(jnp.sin).lower(jnp.ones(3)))
    assert (compiled.sources, compiled.marks()) == ((), [])
    with pytest.raises(LookupError, match="no source"):
        compiled.marks("sin")
