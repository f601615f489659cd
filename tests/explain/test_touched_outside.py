"""What a function accesses outside itself, in both frameworks."""

import collections
import enum
import math
import os

import module_values as world
import numpy as np
import pytest
from commented_functions import X, cases, check_comments, check_touched, given

from jaxvstorch import explain

case, test_marks = cases("jax", "torch")

setting = 2.0
names = {"a": 1.0}
rows: list = []
count = 0
lines: collections.deque = collections.deque()


class _Cache:
    def __init__(self):
        self.found = {}

    def store(self, key, value):
        self.found[key] = value


cache = _Cache()


class _Kind(enum.Enum):
    PLAIN = 1


activations = {"sine": abs}


@pytest.fixture(autouse=True)
def world_as_before(monkeypatch, random_numbers_as_before) -> None:
    global count
    monkeypatch.setenv("SOME_NUMBER", "1")
    for held in (rows, lines, cache.found, world.table["a"]["b"]):
        held.clear()
    world.Limits.seen = 0
    names["a"], count = 1.0, 0


@case(X)
def reads_a_global(x):
    return x * setting  # -> A1 ! frozen | A1 ! guarded


@case(X)
def writes_a_global(x):
    global count
    count = 7  # -> traced ! impure
    return x + 1  # -> A1


@case(X)
def adds_to_a_global(x):
    global count
    count = count + 1  # -> traced ! impure | traced ! guarded, impure
    return x + 1  # -> A1


@case(X)
def keeps(x):
    y = x * 2  # -> A1
    rows.append(y)  # -> traced ! impure | traced ! guarded, impure
    return y  # -> traced


@case(X)
def changes_a_global_dict(x):
    names["a"] = 3.0  # -> traced ! impure | traced ! guarded, impure
    return x + 1  # -> A1


@case(X, {"b": X})
def changes_an_argument(x, parts):
    parts["b"] = x * 2  # -> A1 ! impure
    return x + parts["b"]  # -> A1


@case(X)
def draws_from_numpy(x):
    noise = np.random.normal(size=4)  # -> traced ! impure | A1 ! impure
    return x + noise.astype(np.float32)  # -> A1 | A2


@case(X)
def reads_the_environment(x):
    a = os.environ["SOME_NUMBER"]  # -> traced ! frozen | traced ! guarded
    b = os.environ.get("NO_SUCH", "1")  # -> traced ! frozen | traced ! guarded
    c = os.getenv("NO_SUCH", "2")  # -> traced ! frozen
    return x + float(a) + float(b) + float(c)  # -> A3


@case(X)
def reads_another_module(x):
    y = x * world.scale  # -> A1 ! frozen | A1 ! guarded
    return y + world.Limits.low  # -> A1 ! frozen | A1 ! guarded


@case(X)
def reads_on_several_lines(x):
    y = x * setting  # -> A1 ! frozen | A1 ! guarded
    y = y + setting  # -> A1
    return y / setting  # -> A1


@case(X)
def changes_a_class(x):
    world.Limits.seen = 3  # -> traced ! impure
    return x + 1  # -> A1


@case(X)
def changes_what_is_deep_inside(x):
    world.table["a"]["b"].append(1)  # -> traced ! impure | traced ! guarded, impure
    return x + 1  # -> A1


@case(X)
def appends_to_a_deque(x):
    lines.append(1)  # -> traced ! impure | traced ! guarded, impure
    return x + 1  # -> A1


@case(X)
def names_code_only(x):
    y = activations["sine"](x)  # -> A1
    return y if _Kind.PLAIN is not None else x  # -> traced


@case(X)
def counts_with_its_own_variable(x):
    turns = 0  # -> traced

    def turn(y):  # -> traced
        nonlocal turns
        turns += 1  # -> traced
        return y * turns  # -> A1

    return turn(x) + turns  # -> A2


@case(X)
def breaks_and_goes_on(x):
    turns = 0  # -> traced

    def turn():  # -> traced
        nonlocal turns
        turns += 1  # -> traced

    turn()  # -> traced
    print("on")  # -> traced ! impure | python ! break
    turns += 1  # -> traced
    return x * turns  # -> A1


@case(X)
def pure(x):
    found = {}  # -> traced
    found["twice"] = x * 2  # -> A1
    parts = [found["twice"]]  # -> traced
    parts.append(x + math.pi)  # -> A1
    return sum(parts)  # -> A2


@pytest.mark.parametrize(
    ("function", "arguments", "in_jax", "in_torch"),
    [
        (reads_a_global, [X], "`setting` was read while tracing",
         "`setting` is read once and guarded"),
        (writes_a_global, [X], "`global count` is written only while tracing",
         "`global count` is written"),
        (keeps, [X], "`rows` now holds a traced value", "`rows` is changed on each call"),
        (changes_a_global_dict, [X], "`names` is changed only while tracing",
         "`names` is changed on each call"),
        (changes_an_argument, [X, {}], "`parts` is changed, but jax.jit passes the function",
         "`parts` is changed on each call"),
        (draws_from_numpy, [X], "`np.random.normal`", "`np.random.normal`"),
    ],
)  # fmt: skip
def test_a_finding_names_what_was_touched(framework, function, arguments, in_jax, in_torch) -> None:
    explanation = explain(function, *given(framework, *arguments))
    check_touched(explanation, in_jax if framework == "jax" else in_torch)


def test_what_it_does_outside_is_done_once(framework, x) -> None:
    def logs(x):
        lines.append(1)
        return x + 1

    explain(logs, x)
    assert list(lines) == [1]


def test_a_closure_that_is_read_and_one_that_is_written(framework, x) -> None:
    total, last, limits = 0, 0, [1.0, 2.0]

    def adds(x):
        nonlocal total, last
        total = total + 1  # -> traced ! impure | traced ! guarded, impure
        last = 5  # -> traced ! impure
        return x * limits[1]  # -> A1 ! frozen | A1 ! guarded

    check_comments(explain(adds, x))
    assert (total, last) == (1, 5)


class _Counter:
    def __init__(self):
        self.calls = 4

    def count(self, x):
        self.calls += 1  # -> traced ! impure
        return x + 1  # -> A1

    def reset(self, x):
        self.calls = 5  # -> traced ! impure
        return x + 1  # -> A1


@pytest.mark.parametrize("method", ["count", "reset"])
def test_a_method_that_changes_its_object(framework, x, method) -> None:
    counter = _Counter()
    explanation = explain(getattr(counter, method), x)
    check_comments(explanation)
    changed = {"jax": "changed only while tracing", "torch": "changed on each call"}[framework]
    (finding,) = explanation.found("impure")
    assert finding.what.startswith(f"`self.calls` is {changed}")
    assert counter.calls == 5


def test_an_object_that_changes_inside_itself(framework, x) -> None:
    def keeps(x):
        cache.store("a", 1)
        return x + 1

    (finding,) = explain(keeps, x).found("impure")
    assert finding.what.startswith("`cache.found` is changed")
    assert finding.line == _Cache.store.__code__.co_firstlineno + 1


def remembers(x, seen=[]):  # noqa: B006
    seen.append(1)
    return x + 1


def test_a_default_that_calls_share(framework, x) -> None:
    def calls(x):
        return remembers(x) * 2

    for function in (calls, remembers):
        (finding,) = explain(function, x).found("impure")
        assert finding.what.startswith("`seen` is changed")
        assert finding.line == remembers.__code__.co_firstlineno + 1
        remembers.__defaults__[0].clear()


def test_a_change_after_a_call_is_on_the_line_of_the_call(framework, x) -> None:
    def adds(x):
        y = x + 1
        return y * 2

    def keeps(x):
        rows.append(adds(x).shape)
        return x

    (finding,) = explain(keeps, x).found("impure")
    assert finding.line == keeps.__code__.co_firstlineno + 1
