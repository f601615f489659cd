"""Objects from outside that a function may change: looked at after each line it runs."""

import random
from collections import Counter
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from jaxvstorch.explainer.operations import Place
from jaxvstorch.explainer.touches import Touch

_MOST_OBJECTS = 64
_MOST_ITEMS = 10_000  # of a container; of a longer one only its length is looked at
_MOST_BYTES = 4_096  # of an array; of a larger one only a sample is looked at
_MOST_VISITS = 2  # of a line: what it changes in a loop's first turns it changes in the others


def fingerprint(value: Any) -> Any:
    """Something that is equal as long as an object is unchanged, and quick to make."""
    if isinstance(value, dict):
        items = value.items() if len(value) <= _MOST_ITEMS else ()
        return (len(value), tuple((id(key), id(item)) for key, item in items))
    if isinstance(value, list | set):
        return (len(value), tuple(map(id, value)) if len(value) <= _MOST_ITEMS else ())
    if isinstance(value, np.ndarray):
        step = max(1, value.nbytes // _MOST_BYTES)
        return (value.shape, value.reshape(-1)[::step].tobytes())
    if isinstance(value, random.Random):
        return value.getstate()
    if isinstance(value, np.random.RandomState):
        state: Any = value.get_state(legacy=False)
        return (state["state"]["pos"], state["state"]["key"][:4].tobytes(), state["has_gauss"])
    if isinstance(value, np.random.Generator):
        return str(value.bit_generator.state)
    return fingerprint(vars(value)) if hasattr(value, "__dict__") else None


_CODE = (ModuleType, FunctionType, type)


def can_change(value: Any) -> bool:
    """Whether an object is of a kind whose changes can be seen here."""
    kinds = (dict, list, set, np.ndarray, random.Random, np.random.Generator)
    is_object = hasattr(value, "__dict__") and not isinstance(value, _CODE)
    return isinstance(value, kinds) or is_object


def generators() -> dict[str, Any]:
    """The generators that Python and NumPy draw from where none is named."""
    return {"random": random.random.__self__, "numpy.random": np.random.random.__self__}  # type: ignore[attr-defined]


class Watched:
    """Compares objects with what they were, line by line, and says at which line they changed."""

    def __init__(self) -> None:
        self.touches: list[Touch] = []
        self._objects: dict[int, tuple[str, str, Any, Any]] = {}
        self._visits: Counter[Place] = Counter()
        for name, generator in generators().items():
            self._objects[id(generator)] = ("random", name, generator, fingerprint(generator))

    def add(self, name: str, value: Any) -> None:
        """Look at one more object from now on."""
        is_room = len(self._objects) < _MOST_OBJECTS
        if id(value) not in self._objects and is_room and can_change(value):
            self._objects[id(value)] = ("changed", name, value, fingerprint(value))

    def values(self) -> Iterable[tuple[str, Any]]:
        """Every object that is looked at, with its name."""
        return [(name, value) for _, name, value, _ in self._objects.values()]

    def look(self, place: Place | None, last: bool = False) -> None:
        """A line is done: note what it changed."""
        if place is None or (self._visits[place] >= _MOST_VISITS and not last):
            return
        self._visits[place] += 1
        for key, (kind, name, value, before) in self._objects.items():
            now = fingerprint(value)
            if now != before:
                self.touches.append(Touch(kind, name, place))
                self._objects[key] = (kind, name, value, now)
