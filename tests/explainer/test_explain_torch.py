"""What ``explain`` says of small functions of PyTorch: the comment behind each line is expected.

The form of the comments is that of ``marks.py``.
"""

import functools
import math
import os
import random
import time
from contextlib import nullcontext

import marks
import numpy as np
import pytest

from jaxvstorch import explain

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

CASES = []
pytestmark = pytest.mark.usefixtures("fresh_torch_compile")


def x4():
    return torch.arange(4.0)


def case(*make):
    """A function to be explained, with the arguments that these functions make."""

    def keep(function):
        CASES.append(pytest.param(function, make, id=function.__name__))
        return function

    return keep


def value(constant):
    return lambda: constant


@pytest.mark.parametrize(("function", "make"), CASES)
def test_marks(function, make) -> None:
    explanation = explain(function, *[m() for m in make])
    marks.check_comments(explanation)
    assert explanation.sources[0].name == explanation.function == function.__name__
    if not explanation.found("failed"):
        marks.check_dynamo(explanation, function, *[m() for m in make])


# Operations, line by line.


@case(x4)
def operations(x):
    y = torch.sin(x) + 1  # -> A2
    z = y  # -> traced
    # nothing here

    return z * 2  # -> A1


@case(x4)
def statements_over_lines(x):
    """A docstring is no statement."""
    y = (  # -> A3
        torch.sin(x) + 1
    ) * 2
    return torch.where(  # -> A2
        y > 0,
        y,
        0.0,
    )


@case(x4)
def methods(x):
    return x.sin().cos_().sum()  # -> A3


@case(x4)
def comprehension(x):
    parts = [x * k for k in range(3)]  # -> A3
    by_name = {  # -> A2
        name: x + k for k, name in enumerate("ab")
    }
    return sum(parts) + by_name["a"]  # -> A4


# What these arguments decide.


@case(x4, value(True))
def static_branch(x, flag):
    if flag:  # -> traced
        return x + 1  # -> A1
    elif x.ndim == 2:  # -> not reached
        return x + 2  # -> not reached
    else:
        return x + 3  # -> not reached


@case(x4)
def shape_decides(x):
    if x.shape[0] > 10:  # -> traced
        x = x[:10]  # -> not reached
    y = x.sum() if x.ndim == 2 else x  # -> traced
    return y * 2  # -> A1


@case(x4)
def early_return(x):
    if x.ndim == 1:  # -> traced
        return x * 2  # -> A1
    x = x + 1  # -> not reached
    return x  # -> not reached


@case(x4, value("double"))
def matched(x, how):
    match how:  # -> traced
        case "half":  # -> traced
            return x / 2  # -> not reached
        case "double":  # -> traced
            return x * 2  # -> A1
        case _:  # -> not reached
            return x  # -> not reached


@case(x4)
def caught(x):
    try:  # -> traced
        y = {}["no such key"]  # -> traced
        y = y + 1  # -> not reached
    except KeyError:  # -> traced
        y = x + 2  # -> A1
    else:
        y = y + 3  # -> not reached
    finally:
        z = y * 4  # -> A1
    return z  # -> traced


@case(x4)
def within(x):
    with nullcontext():  # -> traced
        y = torch.cos(x)  # -> A1
    return y + 1  # -> A1


@case(x4)
def asserted(x):
    assert x.ndim == 1, "one axis"  # -> traced
    return -x  # -> A1


# Python's loops.


@case(x4)
def for_loop(x):
    for k in range(5):  # -> traced ! unrolled
        x = torch.sin(x) + k  # -> A10 x5
    return x  # -> traced


@case(x4)
def while_loop(x):
    k = 0  # -> traced
    while k < 3:  # -> traced ! unrolled
        x = x * 2  # -> A3 x3
        k += 1  # -> traced x3
    return x  # -> traced


@case(x4)
def loop_once(x):
    for _ in range(1):  # -> traced
        x = x + 1  # -> A1
    return x  # -> traced


@case(x4)
def loop_of_python_only(x):
    total = 0  # -> traced
    for k in range(4):  # -> traced
        total += k  # -> traced x4
    return x + total  # -> A1


@case(x4)
def loop_left_early(x):
    for k in range(10):  # -> traced ! unrolled
        if k == 3:  # -> traced x4
            break  # -> traced
        x = x + k  # -> A3 x3
    else:
        x = x * 100  # -> not reached
    return x  # -> traced


@case(x4)
def branch_in_a_loop(x):
    for k in range(3):  # -> traced ! unrolled
        x = x + 1  # -> A3 x3
        if k > 5:  # -> traced x3
            x = x * 2  # -> not reached
    return x  # -> traced


@case(x4)
def loops_within_loops(x):
    for _ in range(2):  # -> traced ! unrolled
        for k in range(3):  # -> traced ! unrolled
            x = x + k  # -> A6 x6
    return x  # -> traced


# Loops and branches of the graph.


@case(x4, value(torch.tensor(True)))
def conditional(x, flag):
    def double(x):  # -> traced
        return x + x  # -> A: 1 in cond true branch

    # -> A2, 2 in cond false branch, 1 in cond true branch
    return torch.cond(flag, double, lambda x: torch.sin(x) * x, (x,))


@case(x4)
def while_of_the_graph(x):
    def unfinished(x):  # -> traced
        return x.sum() < 100  # -> A: 2 in while condition

    def step(x):  # -> traced
        return (x * 2,)  # -> A: 1 in while body

    # -> A2, 1 in while body, 2 in while condition
    return torch.while_loop(unfinished, step, (x,))[0]


# Functions that it calls.


def helper(x):
    y = torch.sin(x)  # -> A2
    return y * 2  # -> A2


@case(x4)
def calls_twice(x):
    a = helper(x)  # -> A2
    b = helper(x + 1)  # -> A3
    return a + b  # -> A1


def down(x, n):
    if n == 0:  # -> traced
        return x  # -> traced
    return down(x * 2, n - 1)  # -> A3


@case(x4)
def calls_a_recursion(x):
    return down(x, 3)  # -> A3


def pieces(x):
    for k in range(3):  # -> traced ! unrolled
        yield x * k  # -> A3 x3


@case(x4)
def uses_a_generator(x):
    total = 0  # -> traced
    for piece in pieces(x):  # -> A3 ! unrolled
        total = total + piece  # -> A3 x3
    return total  # -> traced


@case(lambda: torch.ones(3, 4))
def vectorises(m):
    def score(row):  # -> traced
        return torch.sin(row).sum()  # -> A2

    return torch.vmap(score)(m).sum()  # -> A7


def announced(function):
    @functools.wraps(function)
    def around(*args):
        return function(*args) + 1  # -> A2

    return around


@announced
def decorated(x):
    return x * 2  # -> A1


def test_a_decorated_function_is_shown_with_its_decorator() -> None:
    explanation = explain(decorated, x4())
    marks.check_comments(explanation)
    assert {source.name for source in explanation.sources} == {"decorated", "announced.around"}
    assert explanation.sources[0].name == "decorated"


# Graph breaks.


@case(x4)
def prints_between(x):
    y = x + 1  # -> A1
    print("here")  # -> python ! break
    return y * 2  # -> B1


@case(x4)
def branches_on_a_value(x):
    y = x * 2  # -> A1
    if y.sum() > 0:  # -> python, A2 ! break
        return y + 1  # -> B1
    return y - 1  # -> not reached


@case(x4)
def asks_for_a_number(x):
    y = x * 2  # -> A1
    n = y.sum().item()  # -> python, A1 ! break
    return y + n  # -> B1


@torch.compiler.disable
def not_compiled(x):
    return torch.cos(x)  # -> python ! break


@case(x4)
def calls_a_disabled_one(x):
    y = torch.sin(x)  # -> A1
    z = not_compiled(y)  # -> python ! break
    return z + y  # -> B1


def prints_inside(x):
    x = x + 1  # -> B1
    print("inside")  # -> python ! break
    return x * 2  # -> C1


@case(x4)
def calls_one_that_breaks(x):
    y = x * 3  # -> A1
    z = prints_inside(y)  # -> python ! break
    return z - y  # -> D1


@pytest.mark.parametrize(
    ("function", "words", "cure", "page"),
    [
        (prints_between, "print", "torch._higher_order_ops.print", "tracing"),
        (branches_on_a_value, "tensor's value", "torch.cond", "branching"),
        (asks_for_a_number, ".item()", "Keep the value in a tensor", "branching"),
    ],
)
def test_a_break_is_told_with_its_reason_and_cure(function, words, cure, page) -> None:
    (finding,) = explain(function, x4()).found("break")
    assert words in finding.what
    assert cure in finding.cure
    assert finding.page == page


# Errors.


def raises(x):
    x = x + 1  # -> traced
    raise ValueError("not today")  # -> failed ! failed


def calls_what_raises(x):
    y = raises(x)
    return y


def test_an_error_of_the_function() -> None:
    explanation = explain(calls_what_raises, x4())
    (finding,) = explanation.found("failed")
    assert finding.what == "ValueError: not today"
    source = explanation.source("raises")
    assert [line.mark for line in source.lines if line.number == finding.line] == ["failed"]
    assert source.lines[2].number == finding.line


def test_a_break_under_fullgraph_is_an_error() -> None:
    explanation = explain(torch.compile(prints_between, fullgraph=True), x4())
    (finding,) = explanation.found("failed")
    assert explanation.programs == ()
    assert "print" in finding.what
    assert "torch._higher_order_ops.print" in finding.cure
    assert finding.line == explanation.sources[0].lines[3].number


# Purity: what it touches outside.

setting = 2.0
names = {"a": 1.0}
rows: list = []
count = 0
generator = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def world_as_before(monkeypatch):
    global count
    states = random.getstate(), np.random.get_state()
    rng = torch.get_rng_state()
    monkeypatch.setenv("SOME_NUMBER", "1")
    rows.clear()
    names["a"], count = 1.0, 0
    yield
    random.setstate(states[0])
    np.random.set_state(states[1])
    torch.set_rng_state(rng)


@case(x4)
def reads_a_global(x):
    return x * setting  # -> A1 ! guarded


@case(x4)
def writes_a_global(x):
    global count
    count = 7  # -> traced ! impure
    return x + 1  # -> A1


@case(x4)
def keeps(x):
    y = x * 2  # -> A1
    rows.append(y)  # -> traced ! guarded, impure
    return y  # -> traced


@case(x4)
def changes_a_global_dict(x):
    names["a"] = 3.0  # -> traced ! guarded, impure
    return x + 1  # -> A1


@case(x4, lambda: {"b": torch.ones(4)})
def changes_an_argument(x, parts):
    parts["b"] = x * 2  # -> A1 ! impure
    return x + parts["b"]  # -> A1


@case(x4)
def changes_a_tensor_in_place(x):
    y = x + 1  # -> A1
    x.mul_(2)  # -> A1 ! impure
    return y + x  # -> A1


@case(x4)
def changes_a_slice_in_place(x):
    x[:2] = 0  # -> A1 ! impure
    x += 1  # -> A1 ! impure
    return x * 2  # -> A1


@case(x4)
def changes_its_own_copy(x):
    y = x.clone()  # -> A1
    y.mul_(2)  # -> A1
    y += 1  # -> A1
    return y  # -> traced


@case(x4)
def draws_from_numpy(x):
    noise = np.random.normal(size=4)  # -> A1 ! impure
    return x + torch.as_tensor(noise)  # -> A2


@case(x4)
def draws_from_torch(x):
    return x + torch.randn(4)  # -> A2


@case(x4)
def reads_the_clock(x):
    now = time.perf_counter()  # -> python ! break
    return x + now  # -> A1


@case(x4)
def reads_the_environment(x):
    a = os.environ["SOME_NUMBER"]  # -> traced ! guarded
    b = os.getenv("SOME_NUMBER", "2")  # -> traced ! frozen
    return x + float(a) + float(b)  # -> A2


@case(x4)
def pure(x):
    found = {}  # -> traced
    found["twice"] = x * 2  # -> A1
    parts = [found["twice"]]  # -> traced
    parts.append(x + math.pi)  # -> A1
    return torch.stack(parts)  # -> A1


@pytest.mark.parametrize(
    ("function", "make", "words"),
    [
        (reads_a_global, (x4,), "`setting` is read once and guarded"),
        (writes_a_global, (x4,), "`global count` is written"),
        (keeps, (x4,), "`rows` is changed on each call"),
        (changes_a_global_dict, (x4,), "`names` is changed on each call"),
        (changes_an_argument, (x4, dict), "`parts` is changed on each call"),
        (changes_a_tensor_in_place, (x4,), "`x` is changed in place"),
        (draws_from_numpy, (x4,), "`np.random.normal`"),
    ],
)
def test_a_finding_names_what_was_touched(function, make, words) -> None:
    found = explain(function, *[m() for m in make]).findings
    assert any(words in finding.what for finding in found), found
    assert all(finding.page == "purity" for finding in found)


def test_a_closure_that_is_read_and_one_that_is_written() -> None:
    total, limits = 0, [1.0, 2.0]

    def adds(x):
        nonlocal total
        total = 5  # -> traced ! impure
        return x * limits[1]  # -> A1 ! guarded

    marks.check_comments(explain(adds, x4()))
    assert total == 5


def test_what_it_does_outside_is_done_once() -> None:
    explain(keeps, x4())
    assert len(rows) == 1
    x = x4()
    explain(changes_a_tensor_in_place, x)
    assert torch.equal(x, 2 * x4())


class _Counter:
    def __init__(self):
        self.calls = 0

    def count(self, x):
        self.calls = 5  # -> traced ! impure
        return x + 1  # -> A1


def test_a_method_that_changes_its_object() -> None:
    counter = _Counter()
    explanation = explain(counter.count, x4())
    marks.check_comments(explanation)
    assert "`self` is changed on each call" in explanation.findings[0].what
    assert counter.calls == 5


def test_a_module_that_changes_its_buffer() -> None:
    class Mean(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.zeros(4))

        def forward(self, x):
            self.total.add_(x)  # -> A1 ! impure
            return x * 2  # -> A1

    marks.check_comments(explain(Mean(), x4()))


def test_how_often_a_function_was_traced() -> None:
    explanation = explain(calls_twice, x4())
    assert [source.runs for source in explanation.sources] == [1, 2]
    assert [source.runs for source in explain(calls_a_recursion, x4()).sources] == [1, 4]
    assert explain(prints_between, x4()).sources[0].runs == 1


# Every kind of function.

twice = lambda x: torch.sin(x) * 2  # -> A2  # noqa: E731


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


class _Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 3)

    def forward(self, x):
        x = self.inner(x)  # -> A1
        return torch.tanh(x)  # -> A1


def power(x, exponent, shift=0.0):
    return x**exponent + shift  # -> A2


def added(amount):
    def add(x):
        return x + amount  # -> A1

    return add


def compiled_in_place(module):
    module.compile(backend="eager")
    return module


@pytest.mark.parametrize(
    ("function", "name"),
    [
        pytest.param(twice, "twice", id="lambda"),
        pytest.param(functools.partial(power, exponent=2, shift=1.0), "power", id="partial"),
        pytest.param(_Scale(2.0), "_Scale.__call__", id="instance"),
        pytest.param(_Scale(2.0).times, "_Scale.times", id="bound method"),
        pytest.param(_Scale.plain, "_Scale.plain", id="class method"),
        pytest.param(_Scale.square, "_Scale.square", id="static method"),
        pytest.param(added(2.0), "added.add", id="closure"),
        pytest.param(torch.compile(operations), "operations", id="compiled"),
        pytest.param(torch.compile(operations, fullgraph=True), "operations", id="fullgraph"),
        pytest.param(torch.compile(operations, backend="eager"), "operations", id="backend"),
        pytest.param(torch.compile(operations, dynamic=True), "operations", id="dynamic"),
        pytest.param(torch.compile(mode="reduce-overhead")(operations), "operations", id="mode"),
        pytest.param(functools.partial(torch.compile(power), exponent=2), "power",
                     id="partial of compiled"),
        pytest.param(torch.compile(functools.partial(power, exponent=2)), "power",
                     id="compiled partial"),
        pytest.param(_Net(), "_Net.forward", id="module"),
        pytest.param(_Net().forward, "_Net.forward", id="method of a module"),
        pytest.param(torch.compile(_Net()), "_Net.forward", id="compiled module"),
        pytest.param(compiled_in_place(_Net()), "_Net.forward", id="module compiled in place"),
    ],
)  # fmt: skip
def test_every_kind_of_function(function, name) -> None:
    explanation = explain(function, x4())
    marks.check_comments(explanation)
    assert explanation.sources[0].name == name
    assert explanation.framework == "torch"
    assert len(explanation.programs) == 1


def test_a_dynamic_shape_is_a_symbol_of_the_graph() -> None:
    def halved(x):
        return x / x.shape[0]  # -> A1

    (fixed,) = explain(halved, x4()).programs
    explanation = explain(torch.compile(halved, dynamic=True), x4())
    marks.check_comments(explanation)
    (dynamic,) = explanation.programs
    assert "/ 4" in fixed.text
    assert "/ 4" not in dynamic.text


def test_arguments_by_name_are_named() -> None:
    explanation = explain(power, x4(), exponent=2)
    assert explanation.arguments == ("f32[4]", "exponent=2")
    marks.check_comments(explanation)


def test_a_gradient_inside() -> None:
    def loss(x):
        return (x * x).sum()

    def slope(x):
        return torch.func.grad(loss)(x) + 1

    explanation = explain(slope, x4())
    marks.check_dynamo(explanation, slope, x4())
    assert explanation.source("loss").lines[1].operations == {"A": 2}
    # What switches differentiation on and off carries no line of its own in the graph.
    on_the_line = explanation.source("slope").lines[1].operations["A"]
    assert 3 < on_the_line <= explanation.programs[0].operations["A"]


# Where there is no source, or no function.


def test_a_function_without_source_is_explained_in_part() -> None:
    space: dict = {"torch": torch}
    exec("def made(x):\n    return torch.sin(x) * 2", space)
    explanation = explain(space["made"], x4())
    assert explanation.sources == ()
    assert explanation.programs[0].operations == {"A": 2}
    assert "no source" in explanation.missing[0]


def test_a_builtin_function() -> None:
    explanation = explain(torch.sin, x4())
    assert explanation.sources == ()
    assert "no source" in explanation.missing[0]


def not_yet(x):
    yield x


async def later(x):
    return x


@pytest.mark.parametrize(
    ("function", "count", "words"),
    [
        (not_yet, 1, "not_yet is a generator function"),
        (later, 1, "later is a coroutine function"),
        (_Net, 0, "must not be a class: pass an instance of _Net"),
        (3, 1, "function must be callable, not int"),
        (power, 1, "power.* does not take these arguments: .*'exponent'"),
        (operations, 2, "operations.* does not take these arguments: too many"),
        (torch.compile(operations), 0, "operations.* does not take these arguments: .*'x'"),
    ],
)
def test_bad_input_is_one_clear_error(function, count, words) -> None:
    with pytest.raises(TypeError, match=words):
        explain(function, *[x4() for _ in range(count)])


def test_an_array_of_the_other_framework() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    with pytest.raises(TypeError, match=r"the function is PyTorch's, .* JAX's arrays"):
        explain(_Net(), jax.numpy.ones(4))
