"""JAX's loops without ``jit``: a program for each body that JAX has not met."""

import pytest
from loops_derivatives import X


def add_one(x):
    return x + 1


def add_one_for_once(_, x):
    return x + 1


def unfinished(x):
    return x.sum() < 9


def add_element(total, element):
    return total + element, total


def loops(jax, anew):
    """Each loop as a function of no arguments; ``anew`` makes a function that is not known yet."""
    x = jax.numpy.asarray(X)
    return {
        "fori_loop": lambda: jax.lax.fori_loop(0, 3, anew(add_one_for_once), x),
        "while_loop": lambda: jax.lax.while_loop(anew(unfinished), anew(add_one), x),
        "scan": lambda: jax.lax.scan(anew(add_element), 0.0, x),
        "map": lambda: jax.lax.map(anew(add_one), x),
    }


@pytest.mark.parametrize("name", ["fori_loop", "while_loop", "scan", "map"])
def test_a_new_body_is_compiled_on_each_call(jax, compiled_by_jax, name) -> None:
    loop = loops(jax, lambda function: lambda *arguments: function(*arguments))[name]
    assert compilations(loop, compiled_by_jax) == 3


@pytest.mark.parametrize(
    ("name", "expected"), [("fori_loop", 0), ("while_loop", 0), ("scan", 0), ("map", 3)]
)
def test_a_body_defined_outside_is_compiled_once(jax, compiled_by_jax, name, expected) -> None:
    """But for ``map``, which wraps it in a function of its own."""
    loop = loops(jax, lambda function: function)[name]
    assert compilations(loop, compiled_by_jax) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("evolve_fori", "x3", 0), ("evolve_while", "x3", 0), ("evolve_scan", "x3", 0),
        ("evolve_scan_unrolled", "x3", 0), ("recurrence_sequential", "xx", 0),
        ("sqrt_while", "x", 3), ("density_map", "xx", 3),
    ],
)  # fmt: skip
def test_examples_whose_bodies_use_no_argument_compile_once(
    jax, in_jax, compiled_by_jax, name, arguments, expected
) -> None:
    values = [jax.numpy.asarray(X) if kind == "x" else 3 for kind in arguments]
    function = getattr(in_jax, name)
    assert compilations(lambda: function(*values), compiled_by_jax) == expected


def compilations(loop, compiled) -> int:
    """How many of three calls after the first compile a loop."""
    loop()
    compiled.clear()
    for _ in range(3):
        loop()
    return sum(name in ("jit(scan)", "jit(while)") for name in compiled)


class Adder:
    """A body that is a method."""

    def add_one(self, _, x):
        """One step."""
        return x + 1


def test_a_method_is_compiled_on_each_call_unless_it_is_kept(jax, compiled_by_jax) -> None:
    adder = Adder()
    kept = adder.add_one
    x = jax.numpy.asarray(X)
    anew = compilations(lambda: jax.lax.fori_loop(0, 3, adder.add_one, x), compiled_by_jax)
    once = compilations(lambda: jax.lax.fori_loop(0, 3, kept, x), compiled_by_jax)
    assert (anew, once) == (3, 0)
