"""Lists, tuples and dicts of arrays, taken apart the same way for both frameworks."""

from collections import OrderedDict, namedtuple

import numpy as np

from jaxvstorch._frameworks.containers import (
    arrays_in,
    hold_array,
    leaves,
    mapped,
    named_leaves,
    with_arrays_mapped,
)

State = namedtuple("State", "mean count")
X = np.arange(3)


def test_containers_stay_what_they_were() -> None:
    tree = State({"b": [1], "a": (2, 3)}, OrderedDict(z=4))
    found = mapped(lambda x: 10 * x, tree)
    assert found == State({"b": [10], "a": (20, 30)}, OrderedDict(z=40))
    assert type(found) is State
    assert type(found.count) is OrderedDict
    assert tree.mean["b"] == [1]


def test_several_trees_are_gone_through_key_by_key() -> None:
    assert mapped(lambda *xs: xs, {"a": [1]}, {"a": [2]}, {"a": [3]}) == {"a": [(1, 2, 3)]}
    assert mapped(lambda *xs: xs, {"a": 1, "b": 2}, {"b": 4, "a": 3}) == {"a": (1, 3), "b": (2, 4)}


def test_keys_are_sorted_and_places_named() -> None:
    assert leaves({"b": 1, "a": [2, 3]}) == [2, 3, 1]
    assert dict(named_leaves({"b": 1, "a": [2, (3,)]})) == {
        "['a'][0]": 2,
        "['a'][1][0]": 3,
        "['b']": 1,
    }
    assert list(named_leaves(5)) == [("", 5)]


def test_what_holds_no_array_stays_as_it_is_even_if_it_holds_itself() -> None:
    endless: list[object] = [1]
    endless.append(endless)
    assert not hold_array(endless)
    assert with_arrays_mapped(lambda x: None, endless) is endless
    assert arrays_in(endless) == []
    endless.append(X)
    assert hold_array(endless)


def test_arrays_are_found_in_any_depth() -> None:
    found = arrays_in({"a": [X, 3], "b": (np.float32(1),)})
    assert [type(array) for array in found] == [np.ndarray, np.float32]
