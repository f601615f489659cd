"""Large arrays that a program holds as constants: their sizes, names and lines."""

import functools
import linecache

import numpy as np
import pytest

from jaxvstorch import explain

jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp = jax.numpy

numbers = np.random.default_rng(0).normal(size=(300, 1000))  # JAX makes float32 of them
array = jnp.asarray(numbers)
weights = {"w": array, "scale": jnp.ones(1000)}
small = jnp.ones((300, 10))
x = jnp.ones(300)


class _Model:
    def __init__(self):
        self.w, self.numbers = array, numbers

    def __call__(self, x):
        return x @ self.w

    def of_numpy(self, x):
        return x @ self.numbers


def reads_a_global(x):
    return x @ array


def reads_numpys(x):
    return x @ numbers


def reads_a_container(x):
    return x @ weights["w"] * weights["scale"]


def made(table):
    def reads_a_closure(x):
        return jax.lax.fori_loop(0, 3, lambda i, y: y + (y @ table).sum(), x)

    return reads_a_closure


def held(table, x):
    return x @ table


def by_default(x, table=array):
    return x @ table


def jits_inside(x):
    return jax.jit(lambda v: v @ array)(x)


def makes_one(x):
    return x @ np.ones((300, 1000), np.float32)


def takes_a_list(x):
    return x + jnp.array(listed).sum()


def takes_a_part(x):
    return x @ numbers[:, :900]


def reads_a_size(x):
    return x * array.shape[0]


def reads_a_small_one(x):
    return x @ small


def makes_one_in_jax(x):
    return x @ jnp.ones((300, 1000))


listed = list(range(300_000))


READS = {
    "global": (reads_a_global, "array"),
    "numpy": (reads_numpys, "numbers"),
    "container": (reads_a_container, "weights"),
    "closure": (made(array), "table"),
    "closure of numpy": (made(numbers), "table"),
    "object": (_Model(), "self.w"),
    "method": (_Model().of_numpy, "self.numbers"),
    "inner function": (lambda x: held(array, x), "array"),
    "inner jit": (jits_inside, "array"),
    "gradient": (jax.grad(lambda x: reads_a_global(x).sum()), "array"),
}


@pytest.mark.parametrize(("function", "name"), READS.values(), ids=READS)
def test_a_large_constant_that_was_read_says_its_size(function, name) -> None:
    (finding,) = explain(function, x).found("frozen")
    assert finding.what == (
        f"`{name}` was read while tracing: its value is now part of the program, and later changes "
        f"to it go unseen. JAX copies its 1.2 MB into the program, hashes them where a compilation "
        "cache is on, and compiles them with the rest."
    )
    assert finding.cure.startswith("Pass it as an argument: the program then holds only its shape")


OTHERS = {
    "partial": (functools.partial(held, array), "1.2 MB, `f32[300,1000]`"),
    "partial of numpy": (functools.partial(held, numbers), "1.2 MB, `f32[300,1000]`"),
    "jitted partial": (jax.jit(functools.partial(held, array)), "1.2 MB, `f32[300,1000]`"),
    "default": (by_default, "1.2 MB, `f32[300,1000]`"),
    "made by numpy": (makes_one, "1.2 MB, `f32[300,1000]`"),
    "list": (takes_a_list, "1.2 MB, `i32[300000]`"),
    "part": (takes_a_part, "1.08 MB, `f32[300,900]`"),
}


@pytest.mark.parametrize(("function", "array"), OTHERS.values(), ids=OTHERS)
def test_a_large_constant_that_no_line_names_is_found_at_its_line(function, array) -> None:
    finding = explain(function, x).found("frozen")[-1]
    assert finding.what.startswith(f"An array of {array}, is a constant of the program")
    line = linecache.getline(finding.file, finding.line)
    assert line.lstrip().startswith(("return x @ ", "return x + jnp.array"))


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (reads_a_size, ["later changes to it go unseen."]),
        (reads_a_small_one, ["later changes to it go unseen."]),
        (makes_one_in_jax, []),
    ],
)
def test_what_is_no_large_constant_has_no_size(function, words) -> None:
    found = explain(function, x).found("frozen")
    assert [f.what.partition("program, and ")[2] for f in found] == words


def test_an_argument_makes_no_constant_as_the_cure_says() -> None:
    assert explain(lambda x, table: x @ table, x, array).findings == ()
    lengths = [
        len(jax.jit(function).lower(*args).as_text())
        for function, args in ((reads_a_global, (x,)), (lambda x, t: x @ t, (x, array)))
    ]
    assert lengths[0] > 2 * array.nbytes > 1000 * lengths[1]
