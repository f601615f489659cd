"""Watches objects from outside that a function may change, after each line that it runs."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from jaxvstorch._explain.operations import Place
from jaxvstorch._explain.python.dealings import generators
from jaxvstorch._explain.python.fingerprints import can_change, fingerprint
from jaxvstorch._explain.python.touches import Touch

_MOST_OBJECTS = 64
_MOST_VISITS = 6  # of a line: what it changes in a loop's first turns, it changes in the others


class Watched:
    """Compares objects with what they were, line by line, and finds the lines that change them."""

    def __init__(self) -> None:
        self.touches: list[Touch] = []
        self._objects: dict[int, tuple[str, str, Any, Any]] = {}
        self._visits: Counter[Place] = Counter()
        for name, generator in generators().items():
            self._objects[id(generator)] = ("random", name, generator, _seen(generator))

    def add(self, name: str, value: Any) -> None:
        """Watch one more object from now on."""
        is_room = len(self._objects) < _MOST_OBJECTS
        if id(value) not in self._objects and is_room and can_change(value):
            self._objects[id(value)] = ("changed", name, value, _seen(value))

    def values(self) -> Iterable[tuple[str, Any]]:
        """Every object that is watched, with its name."""
        return [(name, value) for _, name, value, _ in self._objects.values()]

    def look(self, place: Place | None, last: bool = False) -> bool:
        """Note what the line that has just run changed, and return whether it changed anything."""
        if place is None or (self._visits[place] >= _MOST_VISITS and not last):
            return False
        self._visits[place] += 1
        known = len(self.touches)
        for key, (kind, name, value, before) in self._objects.items():
            now = _seen(value)
            if now != before:
                self.touches.append(Touch(kind, name, place, value))
                self._objects[key] = (kind, name, value, now)
        return len(self.touches) > known


def _seen(value: Any) -> Any:
    try:
        return fingerprint(value)
    except Exception:  # of a class written in C, say: it is not watched
        return None
