"""What ``explain`` says of small functions of JAX: the comment behind each line is expected of it.

The form of the comments is that of ``marks.py``.
"""

import datetime
import functools
import linecache
import math
import os
import random
import time

import marks
import numpy as np
import pytest

from jaxvstorch import explain

jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp, lax = jax.numpy, jax.lax

X = np.arange(4, dtype=np.float32)
M = np.ones((3, 4), np.float32)
CASES = []


def case(*arguments, **options):
    """A function to be explained, with these arguments, under ``jax.jit`` with these options."""

    def keep(function):
        CASES.append(pytest.param(function, arguments, options, id=function.__name__))
        return function

    return keep


@pytest.mark.parametrize(("function", "arguments", "options"), CASES)
def test_marks(function, arguments, options) -> None:
    jitted = jax.jit(function, **options)
    explanation = explain(jitted, *arguments)
    marks.check_comments(explanation)
    assert explanation.sources[0].name == explanation.function == function.__name__
    if explanation.found("failed"):
        assert explanation.programs == ()
    else:
        marks.check_jaxpr(explanation, jitted.trace(*arguments).jaxpr)


# Operations, line by line.


@case(X)
def operations(x):
    y = jnp.sin(x) + 1  # -> A2
    z = y  # -> traced
    # nothing here

    return z * 2  # -> A1


@case(X)
def statements_over_lines(x):
    """A docstring is no statement."""
    y = (  # -> A3
        jnp.sin(x) + 1
    ) * 2
    return jnp.where(  # -> A4
        y > 0,
        y,
        0.0,
    )


@case(X)
def two_on_a_line(x):
    y = x + 1; return y * 2  # -> A2  # fmt: skip  # noqa: E702


@case(X)
def comprehension(x):
    parts = [x * k for k in range(3)]  # -> A3
    by_name = {  # -> A2
        name: x + k for k, name in enumerate("ab")
    }
    return sum(parts) + by_name["a"]  # -> A4


@case(X)
def unpacking(x):
    a, *rest = x[0], x[1], x[2]  # -> A6
    return a + rest[1]  # -> A1


# What these arguments decide.


@case(X, True, static_argnames="flag")
def static_branch(x, flag):
    if flag:  # -> traced
        return x + 1  # -> A1
    elif x.ndim == 2:  # -> not reached
        return x + 2  # -> not reached
    else:
        return x + 3  # -> not reached


@case(X)
def shape_decides(x):
    if x.shape[0] > 10:  # -> traced
        x = x[:10]  # -> not reached
    y = x.sum() if x.ndim == 2 else x  # -> traced
    return y * 2  # -> A1


@case(X)
def early_return(x):
    if x.ndim == 1:  # -> traced
        return x * 2  # -> A1
    x = x + 1  # -> not reached
    return x  # -> not reached


@case(X, "double", static_argnames="how")
def matched(x, how):
    match how:  # -> traced
        case "half":  # -> traced
            return x / 2  # -> not reached
        case "double":  # -> traced
            return x * 2  # -> A1
        case _:  # -> not reached
            return x  # -> not reached


@case(X)
def caught(x):
    try:  # -> traced
        y = x.no_such_thing  # -> traced
        y = y + 1  # -> not reached
    except AttributeError:  # -> traced
        y = x + 2  # -> A1
    else:
        y = y + 3  # -> not reached
    finally:
        z = y * 4  # -> A1
    return z  # -> traced


@case(X)
def within(x):
    with jax.named_scope("inside"):  # -> traced
        return jnp.cos(x)  # -> A1


@case(X)
def asserted(x):
    assert x.ndim == 1, "one axis"  # -> traced
    return -x  # -> A1


# Python's loops.


@case(X)
def for_loop(x):
    for k in range(5):  # -> traced ! unrolled
        x = jnp.sin(x) + k  # -> A10 x5
    return x  # -> traced


@case(X)
def while_loop(x):
    k = 0  # -> traced
    while k < 3:  # -> traced ! unrolled
        x = x * 2  # -> A3 x3
        k += 1  # -> traced x3
    return x  # -> traced


@case(X)
def loop_once(x):
    for _ in range(1):  # -> traced
        x = x + 1  # -> A1
    return x  # -> traced


@case(X)
def loop_of_python_only(x):
    total = 0  # -> traced
    for k in range(4):  # -> traced
        total += k  # -> traced x4
    return x + total  # -> A1


@case(X)
def loop_left_early(x):
    for k in range(10):  # -> traced ! unrolled
        if k == 3:  # -> traced x4
            break  # -> traced
        x = x + k  # -> A3 x3
    else:
        x = x * 100  # -> not reached
    return x  # -> traced


@case(X)
def loops_within_loops(x):
    for _ in range(2):  # -> traced ! unrolled
        for k in range(3):  # -> traced ! unrolled
            x = x + k  # -> A6 x6
    return x  # -> traced


# Loops and branches of the program.


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


# Functions that it calls.


def helper(x):
    y = jnp.sin(x)  # -> A2
    return y * 2  # -> A2


@case(X)
def calls_twice(x):
    a = helper(x)  # -> A2
    b = helper(x + 1)  # -> A3
    return a + b  # -> A1


@jax.jit
def jitted_helper(x):
    return jnp.sin(x) * 2  # -> A4


@case(X)
def calls_a_jitted_one_twice(x):
    a = jitted_helper(x)  # -> A2
    b = jitted_helper(a)  # -> A2
    return a + b  # -> A1


def down(x, n):
    if n == 0:  # -> traced
        return x  # -> traced
    return down(x * 2, n - 1)  # -> A3


@case(X)
def calls_a_recursion(x):
    return down(x, 3)  # -> A3


def pieces(x):
    for k in range(3):  # -> traced ! unrolled
        yield x * k  # -> A3 x3


@case(X)
def uses_a_generator(x):
    total = 0  # -> traced
    for piece in pieces(x):  # -> A3 ! unrolled
        total = total + piece  # -> A3 x3
    return total  # -> traced


@case(X)
def differentiates(x):
    def loss(x):  # -> traced
        return (x * x).sum()  # -> A6

    return jax.grad(loss)(x)  # -> A6


@case(M)
def vectorises(m):
    return jax.vmap(lambda row: jnp.sin(row).sum())(m)  # -> A2


def announced(function):
    @functools.wraps(function)
    def around(*args):
        return function(*args) + 1  # -> A2

    return around


@announced
def decorated(x):
    return x * 2  # -> A1


def test_a_decorated_function_is_shown_with_its_decorator() -> None:
    explanation = explain(decorated, X)
    marks.check_comments(explanation)
    assert {source.name for source in explanation.sources} == {"decorated", "announced.around"}
    assert explanation.sources[0].name == "decorated"


# Errors.


@case(X)
def needs_the_value(x):
    y = x.sum()  # -> traced
    if y > 0:  # -> failed ! failed
        return x  # -> not reached
    return -x  # -> not reached


@case(X, 3)
def needs_the_number(x, n):
    return jnp.zeros(n) + x.sum()  # -> failed ! failed


def raises(x):
    x = x + 1  # -> traced
    raise ValueError("not today")  # -> failed ! failed


@case(X)
def calls_what_raises(x):
    y = raises(x)  # -> traced
    return y  # -> not reached


@case(X)
def asks_for_numpy(x):
    return np.sin(x)  # -> failed ! failed


@pytest.mark.parametrize(
    ("function", "arguments", "what", "cure", "page"),
    [
        (needs_the_value, (X,), "TracerBoolConversionError", "jax.lax.cond", "branching"),
        (needs_the_number, (X, 3), "TypeError", "static argument", "static_args"),
        (calls_what_raises, (X,), "ValueError: not today", "", ""),
        (asks_for_numpy, (X,), "TracerArrayConversionError", "jax.numpy", "tracing"),
    ],
)
def test_an_error_is_told_with_its_cure(function, arguments, what, cure, page) -> None:
    (finding,) = explain(function, *arguments).found("failed")
    assert finding.what.startswith(what)
    assert cure in finding.cure
    assert finding.page == page


# Purity: what it touches outside.

setting = 2.0
names = {"a": 1.0}
rows: list = []
count = 0
generator = np.random.default_rng(0)


@case(X)
def reads_a_global(x):
    return x * setting  # -> A1 ! frozen


@case(X)
def writes_a_global(x):
    global count
    count = count + 1  # -> traced ! impure
    return x + 1  # -> A1


@case(X)
def leaks(x):
    y = x * 2  # -> A1
    rows.append(y)  # -> traced ! impure
    return y  # -> traced


@case(X)
def changes_a_global_dict(x):
    names["a"] = 3.0  # -> traced ! impure
    return x + 1  # -> A1


@case(X, {"b": X})
def changes_an_argument(x, parts):
    parts["b"] = x  # -> traced ! impure
    return x + parts["b"]  # -> A1


@case(X)
def draws_from_python(x):
    return x + random.random()  # -> A1 ! impure


@case(X)
def draws_from_numpy(x):
    noise = np.random.normal(size=4)  # -> traced ! impure
    return x + noise.astype(np.float32)  # -> A1


@case(X)
def draws_from_a_generator(x):
    noise = generator.random(4)  # -> traced ! impure
    return x + noise.astype(np.float32)  # -> A1


@case(X)
def reads_the_clock(x):
    now = time.perf_counter()  # -> traced ! impure
    day = datetime.datetime.now().day  # -> traced ! impure
    return x + now + day  # -> A2


@case(X)
def reads_the_environment(x):
    a = os.environ.get("NO_SUCH", "1")  # -> traced ! frozen
    b = os.getenv("NO_SUCH", "2")  # -> traced ! frozen
    return x + float(a) + float(b)  # -> A2


@case(X, os.devnull, static_argnames="path")
def reads_a_file(x, path):
    with open(path) as file:  # -> traced ! impure
        text = file.read()  # -> traced
    return x + len(text)  # -> A1


@case(X)
def prints(x):
    print("now", x.shape)  # -> traced ! impure
    return x + math.pi  # -> A1


@case(X)
def calls_back(x):
    jax.debug.print("x is {}", x)  # -> A1 ! callback
    kind = jax.ShapeDtypeStruct(x.shape, x.dtype)  # -> traced
    return jax.pure_callback(np.sin, kind, x)  # -> A1 ! callback


@case(X)
def pure(x):
    found = {}  # -> traced
    found["twice"] = x * 2  # -> A1
    parts = [found["twice"]]  # -> traced
    parts.append(x)  # -> traced
    return jnp.stack(parts)  # -> A1


@pytest.fixture(autouse=True)
def world_as_before():
    global count
    states = random.getstate(), np.random.get_state()
    yield
    random.setstate(states[0])
    np.random.set_state(states[1])
    rows.clear()
    names["a"], count = 1.0, 0


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        (reads_a_global, (X,), "`setting` was read while tracing"),
        (writes_a_global, (X,), "`global count` is written while tracing only"),
        (leaks, (X,), "`rows` now holds a traced value"),
        (changes_a_global_dict, (X,), "`names` is changed while tracing only"),
        (changes_an_argument, (X, {"b": X}), "`parts` is changed, but jax.jit hands the function"),
        (draws_from_python, (X,), "`random.random`"),
        (draws_from_numpy, (X,), "`np.random.normal`"),
        (draws_from_a_generator, (X,), "`generator`"),
        (prints, (X,), "`print` prints while tracing only"),
    ],
)
def test_a_finding_names_what_was_touched(function, arguments, words) -> None:
    found = explain(function, *arguments).findings
    assert any(words in finding.what for finding in found), found
    assert all(finding.page == "purity" for finding in found)


def test_a_closure_that_is_read_and_one_that_is_written() -> None:
    total, limits = 0, [1.0, 2.0]

    def adds(x):
        nonlocal total
        total = total + 1  # -> traced ! impure
        return x * limits[1]  # -> A1 ! frozen

    marks.check_comments(explain(adds, X))
    assert total == 1


class _Counter:
    def __init__(self):
        self.calls = 0

    def count(self, x):
        self.calls += 1  # -> traced ! impure
        return x + 1  # -> A1


def test_a_method_that_changes_its_object() -> None:
    counter = _Counter()
    explanation = explain(counter.count, X)
    marks.check_comments(explanation)
    assert "`self` is changed while tracing only" in explanation.findings[0].what
    assert counter.calls == 1


def test_how_often_a_function_was_traced() -> None:
    explanation = explain(calls_twice, X)
    assert [source.runs for source in explanation.sources] == [1, 2]
    assert [source.runs for source in explain(calls_a_recursion, X).sources] == [1, 4]


# Every kind of function.

twice = lambda x: jnp.sin(x) * 2  # -> A2  # noqa: E731


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
        pytest.param(jax.jit(operations), "operations", id="jitted"),
        pytest.param(jax.jit(operations, donate_argnums=0), "operations", id="donating"),
        pytest.param(functools.partial(jax.jit(power, static_argnames="exponent"), exponent=2),
                     "power", id="partial of jitted"),
        pytest.param(jax.jit(functools.partial(power, exponent=2)), "power", id="jitted partial"),
        pytest.param(jax.checkpoint(operations), "operations", id="checkpoint"),
    ],
)  # fmt: skip
def test_every_kind_of_function(function, name) -> None:
    explanation = explain(function, X)
    marks.check_comments(explanation)
    assert explanation.sources[0].name == name
    assert explanation.framework == "jax"
    assert len(explanation.programs) == 1


def test_arguments_by_name_are_named() -> None:
    explanation = explain(jax.jit(power, static_argnames="exponent"), X, exponent=2)
    assert explanation.arguments == ("f32[4]", "exponent=2")
    marks.check_comments(explanation)


def test_a_gradient_function() -> None:
    def loss(x):
        return (x * x).sum()  # -> A6

    explanation = explain(jax.grad(loss), X)
    marks.check_comments(explanation)
    marks.check_jaxpr(explanation, jax.make_jaxpr(jax.grad(loss))(X))


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
        marks.check_comments(explanation)
        assert len(explanation.sources) == 1


# Where there is no source, or no function.


def test_a_function_without_source_is_explained_in_part() -> None:
    space: dict = {"jnp": jnp}
    exec("def made(x):\n    return jnp.sin(x) * 2", space)
    explanation = explain(space["made"], X)
    assert explanation.sources == ()
    assert explanation.programs[0].operations == {"A": 2}
    assert "no source" in explanation.missing[0]


def test_a_text_of_the_same_name_is_not_taken_for_the_source(monkeypatch) -> None:
    space: dict = {}
    exec("\n\ndef made(x):\n    return x * 2", space)
    monkeypatch.setitem(linecache.cache, "<string>", (3, None, ["a = 1\n"], "<string>"))
    assert explain(space["made"], X, framework="jax").sources == ()


def test_functions_of_the_framework() -> None:
    explanation = explain(jnp.sin, X)
    assert explanation.programs[0].operations == {"A": 1}
    assert sum(explain(lax.add, X, X).programs[0].operations.values()) == 1


def not_yet(x):
    yield x


async def later(x):
    return x


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        (not_yet, (X,), "not_yet is a generator function"),
        (later, (X,), "later is a coroutine function"),
        (_Scale, (X,), "must not be a class: pass an instance of _Scale"),
        (3, (X,), "function must be callable, not int"),
        (power, (X,), "power.* does not take these arguments: .*'exponent'"),
        (operations, (X, X), "operations.* does not take these arguments: too many"),
        (operations, (), "operations.* does not take these arguments: .*'x'"),
        (math.sin, (1.0,), "framework='jax' or framework='torch'"),
    ],
)
def test_bad_input_is_one_clear_error(function, arguments, words) -> None:
    with pytest.raises(TypeError, match=words):
        explain(function, *arguments)


def test_arrays_of_both_frameworks() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    with pytest.raises(TypeError, match="arrays of both frameworks"):
        explain(power, jnp.ones(3), torch.ones(3))
    with pytest.raises(TypeError, match=r"the function is JAX's, .* PyTorch's"):
        explain(jax.jit(operations), torch.ones(3))


def test_an_unknown_framework() -> None:
    with pytest.raises((ValueError, TypeError), match="numpy"):
        explain(operations, X, framework="numpy")


def test_a_builtin_function() -> None:
    explanation = explain(abs, jnp.ones(3))
    assert explanation.sources == ()
    assert explanation.programs[0].operations == {"A": 1}
    assert "no source" in explanation.missing[0]
