"""Watches objects that a function may change, by comparing fingerprints after each line."""

import array
import random
import types
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxvstorch._explain.observations import Location
from jaxvstorch._explain.python import harmless
from jaxvstorch._explain.python.accesses import Access, AccessKind, generators
from jaxvstorch._explain.python.code_or_data import is_code

_MOST_OBJECTS = 64
_MOST_VISITS = 6  # of a line: what it changes in a loop's first turns, it changes in later ones
_MOST_ITEMS = 10_000  # of a container; for a longer one only the length counts
_MOST_INSIDE = 500  # objects inside an object; of any further ones only their number counts
_MOST_BYTES = 4_096  # of an array; of a larger one only a sample counts
# Where a module of PyTorch keeps what is written as its attributes.
_HELD_BY_MODULES = ("_buffers", "_modules", "_parameters")
_ABSENT = object()
_GENERATORS = (random.Random, np.random.RandomState, np.random.Generator)


class Watcher:
    """Compares objects with what they were, line by line, and finds the lines that change them."""

    def __init__(self) -> None:
        self.accesses: list[Access] = []
        self._objects: dict[int, tuple[AccessKind, str, Any, Any]] = {}
        self._visits: Counter[Location] = Counter()
        for name, generator in generators().items():
            self._objects[id(generator)] = (
                AccessKind.RANDOM,
                name,
                generator,
                _try_fingerprint(generator),
            )

    def add(self, name: str, value: Any) -> None:
        """Watch one more object from now on."""
        is_room = len(self._objects) < _MOST_OBJECTS
        if id(value) not in self._objects and is_room and can_change(value):
            kind = AccessKind.RANDOM if harmless.is_a(value, *_GENERATORS) else AccessKind.CHANGED
            self._objects[id(value)] = (kind, name, value, _try_fingerprint(value))

    def values(self) -> Iterable[tuple[str, Any]]:
        """Every object that is watched, with its name."""
        return [(name, value) for _, name, value, _ in self._objects.values()]

    def compare(self, location: Location | None, last: bool = False) -> bool:
        """Note what the line that has just run changed, and return whether it changed anything."""
        if location is None or (self._visits[location] >= _MOST_VISITS and not last):
            return False
        self._visits[location] += 1
        known = len(self.accesses)
        for key, (kind, name, value, before) in self._objects.items():
            now = _try_fingerprint(value)
            if now != before:
                for changed in _changed(name, before, now):
                    self.accesses.append(Access(kind, changed, location, value, owner=name))
                self._objects[key] = (kind, name, value, now)
        return len(self.accesses) > known


def _try_fingerprint(value: Any) -> Any:
    try:
        return fingerprint(value)
    except Exception:  # for example of a class written in C: it is not watched
        return None


def can_change(value: Any) -> bool:
    """Whether fingerprints can show changes of an object of this kind."""
    if harmless.is_a(value, types.ModuleType):
        return harmless.is_readers_module(value)
    if harmless.is_a(value, type):
        return harmless.is_readers(value)
    if harmless.is_a(value, types.FunctionType):
        return harmless.is_readers_file(value.__code__.co_filename)
    if _of_contents(value) is not None:
        return True
    inside = harmless.contents(value)
    if harmless.is_a(value, tuple, frozenset):
        return any(can_change(part) for part in (inside or ())[:100])
    return inside is not None


def fingerprint(value: Any) -> Any:
    """A value that stays equal as long as an object is unchanged, and is quick to make."""
    if harmless.is_a(value, types.ModuleType):
        return _of_names(value, harmless.attributes(value) or {})
    if harmless.is_a(value, types.FunctionType):
        held = harmless.dictionary(value) or {}
        return _Attributes(id(value), {name: _simple_or_id(part) for name, part in held.items()})
    if harmless.is_a(value, type):
        return _of_names(value, harmless.of_class(value))
    fingerprinter = _Fingerprinter()
    parts = fingerprinter.at(value)
    # If not all of it was looked at, one attribute's change shifts what counts of the others.
    return parts if fingerprinter.left > 0 else (parts,)


@dataclass(frozen=True)
class _Attributes:
    """The fingerprint of an object, a class or a module: those of its attributes, by name."""

    owner: int
    parts: dict[str, Any]


def _changed(name: str, before: Any, now: Any) -> Iterator[str]:
    """The attributes that differ, as in ``self.count``; the name alone if none can be named."""
    is_known = isinstance(before, _Attributes) and isinstance(now, _Attributes)
    if not is_known or before.owner != now.owner:
        yield name
        return
    for attribute in before.parts | now.parts:
        was, is_now = (parts.get(attribute, _ABSENT) for parts in (before.parts, now.parts))
        if was != is_now:
            yield from _changed(f"{name}.{attribute}", was, is_now)


class _Fingerprinter:
    """Makes one fingerprint of an object and of what the object holds."""

    def __init__(self) -> None:
        self.left = _MOST_INSIDE
        self._seen: set[int] = set()

    def at(self, value: Any) -> Any:
        known = value if harmless.is_simple(value) else _of_contents(value)
        if known is not None:
            return known
        if self.left <= 0 or id(value) in self._seen:
            return id(value)
        self._seen.add(id(value))
        inside = harmless.contents(value)
        if inside is None:
            return id(value)
        if len(inside) > _MOST_ITEMS:
            return len(inside)
        self.left -= len(inside)
        goes_on = self.left > 0 and _is_looked_into(value)
        look = self.at if goes_on else _simple_or_id
        if harmless.is_container(value):
            return (id(value), tuple(map(look, inside)))
        attributes = dict(harmless.attributes(value) or {})
        for name in _HELD_BY_MODULES:
            if harmless.is_a(attributes.get(name), dict):
                attributes |= attributes.pop(name)
        return _Attributes(id(value), {name: look(part) for name, part in attributes.items()})


def _simple_or_id(value: Any) -> Any:
    return value if harmless.is_simple(value) else id(value)


def _is_looked_into(value: Any) -> bool:
    """Whether an object's contents count too; they do not for a library's modules and loggers."""
    if harmless.is_container(value) or harmless.is_readers(type(value)):
        return True
    bases = harmless.bases(type(value))
    return not is_code(value) and not any(harmless.comes_from(b, "torch", "flax") for b in bases)


def _of_names(owner: Any, names: Mapping[str, Any]) -> _Attributes:
    """The variables of a module or class; an import or a definition is no change."""
    variables = {
        name: _simple_or_id(value)
        for name, value in names.items()
        if not name.startswith("__") and not is_code(value)
    }
    return _Attributes(id(owner), variables)


def _of_contents(value: Any) -> Any:
    """What an array or a generator of random numbers holds; ``None`` for any other object."""
    if harmless.is_a(value, np.ndarray):
        plain = np.ndarray.view(value, np.ndarray)
        step = max(1, plain.nbytes // _MOST_BYTES)
        return (plain.shape, plain.dtype.str, plain.flat[::step].tobytes())
    if harmless.is_a(value, bytearray, array.array):
        return bytes(memoryview(value)[:_MOST_BYTES])
    # The class's own method: a reader's class may have none that works, as SystemRandom has not.
    if harmless.is_a(value, random.Random):
        return random.Random.getstate(value)
    if harmless.is_a(value, np.random.RandomState):
        state: Any = np.random.RandomState.get_state(value, legacy=False)
        return (state["state"]["pos"], state["state"]["key"][:4].tobytes(), state["has_gauss"])
    if harmless.is_a(value, np.random.Generator):
        return str(np.random.Generator.bit_generator.__get__(value).state)
    return None
