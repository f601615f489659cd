"""Looking at what a function accesses runs none of the reader's code."""

import collections
import random
import types

import numpy as np
import pytest

from jaxvstorch import explain
from jaxvstorch._explain.framework_of import framework_of
from jaxvstorch._explain.python import harmless
from jaxvstorch._explain.python.code_or_data import is_code
from jaxvstorch._explain.python.watcher import can_change, fingerprint

ASKED: list[str] = []


def asked(name: str):
    def method(self, *args):
        ASKED.append(name)
        raise RuntimeError(name)

    return method


QUESTIONS = (
    "__getattr__", "__eq__", "__ne__", "__hash__", "__repr__", "__str__", "__iter__", "__len__",
    "__bool__", "__contains__", "__deepcopy__", "__copy__", "__reduce__", "__getstate__", "__dir__",
    "items", "keys", "values", "__getitem__", "getstate", "copy",
)  # fmt: skip
_methods = {name: asked(name) for name in QUESTIONS}
_properties = {name: property(asked(name)) for name in ("dtype", "shape", "size", "lower")}
Silent = type("Silent", (), {**_methods, **_properties, "__slots__": ("held", "__dict__")})
SilentDict = type("SilentDict", (dict,), _methods)
SilentList = type("SilentList", (list,), _methods)
SilentRandom = type("SilentRandom", (random.Random,), {"getstate": asked("getstate")})
SilentArray = type("SilentArray", (np.ndarray,), {**_methods, "reshape": asked("reshape")})
HidesItself = type(
    "HidesItself", (), {n: property(asked(n)) for n in ("__dict__", "__class__", "__module__")}
)


class _SilentClass(type):
    __getattr__ = asked("__getattr__ of a class")
    __eq__ = asked("__eq__ of a class")
    __hash__ = asked("__hash__ of a class")
    __instancecheck__ = asked("__instancecheck__")


Settings = _SilentClass("Settings", (), {"scale": 2.0})

system = random.SystemRandom()
silent = Silent()
# By name, since pytest itself asks what it is given.
OBJECTS = {
    "an object": silent,
    "a dictionary": SilentDict(a=1),
    "a list": SilentList([1]),
    "a generator": SilentRandom(0),
    "an array": np.ones(3).view(SilentArray),
    "an object that hides itself": HidesItself(),
    "a class": Settings,
    "an object of a class that must not be asked": Settings(),
    "the system's generator": system,
}


@pytest.fixture(autouse=True)
def nothing_asked():
    ASKED.clear()
    yield
    assert ASKED == []


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_is_looked_at_without_being_asked(name) -> None:
    value = OBJECTS[name]
    before = fingerprint(value)
    assert fingerprint(value) == before
    assert can_change(value) is (name != "an object that hides itself")
    assert is_code(value) is (name in CODE)
    assert any(value is part for part in harmless.everything_in([[value]], 10))


CODE = ("a class", "the system's generator")


def draws_from_the_system(x):
    return x + system.random()


def reads_a_silent_object(x):
    kept = silent
    return x + 1, kept is None


@pytest.mark.parametrize("function", [draws_from_the_system, reads_a_silent_object])
def test_a_global_that_must_not_be_asked(framework, function, x) -> None:
    explanation = explain(function, x)
    assert not explanation.found("failed")
    assert explanation.missing == ()
    assert explanation.programs


def test_an_argument_that_must_not_be_asked(framework, x) -> None:
    def ignores(x, other):
        return x + 1

    explanation = explain(ignores, x, Silent())
    assert explanation.arguments[1] == "Silent"
    assert explanation.programs
    ASKED.clear()  # `describe` asks an argument what it is, and takes no for an answer


def insert(value, key, item) -> None:
    value[key] = item


@pytest.mark.parametrize(
    ("value", "change"),
    [
        ({"a": {"b": []}}, lambda d: d["a"]["b"].append(1)),
        ({"a": 1.0}, lambda d: insert(d, "a", 2.0)),
        (({"a": 1.0},), lambda t: insert(t[0], "a", 2.0)),
        (collections.deque([1]), lambda d: d.append(1)),
        (collections.Counter("a"), lambda c: c.update("a")),
        (bytearray(b"ab"), lambda b: insert(b, 0, 1)),
        ([np.zeros(3)], lambda rows: insert(rows[0], 0, 1.0)),
        (np.zeros((300, 300)).T, lambda a: a.fill(1)),
        ({"generator": np.random.default_rng(0)}, lambda d: d["generator"].random()),
        (random.Random(0), lambda r: r.random()),
        (np.random.RandomState(0), lambda r: r.rand()),
    ],
)
def test_a_change_shows_in_the_fingerprint(value, change) -> None:
    before = fingerprint(value)
    assert can_change(value)
    change(value)
    assert fingerprint(value) != before


class _Held:
    shared = 1

    def __init__(self):
        self.rows = {"a": []}


def test_a_change_inside_an_object_or_class_shows() -> None:
    held = _Held()
    before = fingerprint(held), fingerprint(_Held)
    held.rows["a"].append(1)
    assert fingerprint(held) != before[0]
    _Held.shared = 2
    assert fingerprint(_Held) != before[1]


def test_what_holds_itself_is_looked_at_once() -> None:
    rows: list = []
    rows.append(rows)
    assert fingerprint(rows) == fingerprint(rows)
    assert len(list(harmless.everything_in(rows, 10))) == 1


@pytest.mark.parametrize("value", [1.0, "a", (1, 2), None, print, np, len, np.dtype("f4")])
def test_what_cannot_change_is_not_watched(value) -> None:
    assert not can_change(value)


def test_the_framework_is_known_without_the_names_in_a_function() -> None:
    def names(x):
        return silent, hidden

    module = {"silent": silent, "hidden": HidesItself()}
    with pytest.raises(TypeError, match="cannot tell from"):
        framework_of(types.FunctionType(names.__code__, module), (), {})
