"""Looks at the reader's objects without running a line of the reader's code.

A property, ``__getattr__``, ``__eq__`` or ``__len__`` may raise, take long, or change something
that the compiler then sees changed. Only Python's own code runs here.
"""

import sys
import types
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from jaxvstorch._explain.python.shown_files import ShownFiles

# Compared by identity: a metaclass may have an ``__eq__`` and a ``__hash__`` of its own.
_SIMPLE = {id(kind) for kind in (bool, int, float, complex, str, bytes, type(None))}
_CODE = (types.ModuleType, type, types.FunctionType, types.MethodType, types.BuiltinFunctionType)
_CONTAINERS: tuple[Any, ...] = (OrderedDict, dict, list, tuple, set, frozenset, deque)
_FRAMEWORKS = ("jax", "jaxlib", "torch", "numpy")


def is_a(value: Any, *kinds: type) -> bool:
    """What ``isinstance`` says, without asking the object for its class."""
    return issubclass(type(value), kinds)


def is_simple(value: Any) -> bool:
    """Whether it is one of Python's numbers or strings: these cannot change, and hold nothing."""
    return id(type(value)) in _SIMPLE


def bases(kind: type) -> tuple[type, ...]:
    """A class and what it inherits from, whatever its metaclass says."""
    classes: tuple[type, ...] = type.__dict__["__mro__"].__get__(kind)
    return classes


def of_class(kind: type) -> Mapping[str, Any]:
    """What the body of a class holds."""
    members: Mapping[str, Any] = type.__dict__["__dict__"].__get__(kind)
    return members


def attribute(owner: Any, name: str) -> Any:
    """``owner.name`` if it is simply stored; ``None`` if code would have to compute it."""
    is_class = is_a(owner, type)
    bodies = map(of_class, bases(owner if is_class else type(owner)))
    value: Any = next((body[name] for body in bodies if name in body), None)
    if not is_class and is_a(value, types.MemberDescriptorType):
        return _slot(value, owner)
    if is_a(value, property, types.GetSetDescriptorType):
        return None
    if not is_class:
        value = (dictionary(owner) or {}).get(name, value)
    return value.__func__ if is_a(value, staticmethod, classmethod) else value


def attributes(value: Any) -> dict[str, Any] | None:
    """What an object holds in its dictionary and its slots; ``None`` if it has neither."""
    held = dictionary(value)
    slots = {
        name: slot
        for body in map(of_class, bases(type(value)))
        for name, slot in body.items()
        if "__slots__" in body and is_a(slot, types.MemberDescriptorType)
    }
    if held is None and not slots:
        return None
    return {**(held or {}), **{name: _slot(slot, value) for name, slot in slots.items()}}


def dictionary(value: Any) -> Mapping[str, Any] | None:
    """The object's own dictionary; ``None`` if its class computes something else."""
    bodies = map(of_class, bases(type(value)))
    held: Any = next((body["__dict__"] for body in bodies if "__dict__" in body), None)
    if not is_a(held, types.GetSetDescriptorType, types.MemberDescriptorType):
        return None
    dictionary: Mapping[str, Any] = held.__get__(value)
    return dictionary


def _slot(slot: Any, value: Any) -> Any:
    try:
        return slot.__get__(value)
    except AttributeError:  # it is not set
        return None


def contents(value: Any) -> list[Any] | None:
    """What is inside a container or an instance; ``None`` for what is not looked into.

    Those are code and the frameworks' own objects, such as arrays.
    """
    for kind in _CONTAINERS:
        if is_a(value, kind):
            is_mapping = kind in (OrderedDict, dict)
            return _parts(kind.items(value)) if is_mapping else list(kind.__iter__(value))
    if is_simple(value) or is_a(value, *_CODE) or comes_from(type(value), *_FRAMEWORKS):
        return None
    held = attributes(value)
    return None if held is None else _parts(held.items())


def _parts(items: Iterable[tuple[Any, Any]]) -> list[Any]:
    return [part for item in items for part in item]


def is_container(value: Any) -> bool:
    """Whether it is one of Python's containers, or of a class that inherits from one."""
    return is_a(value, *_CONTAINERS)


def comes_from(kind: type, *packages: str) -> bool:
    """Whether a class comes from one of some packages."""
    return module_of(kind).partition(".")[0] in packages


def module_of(kind: type) -> str:
    """The name of the module that a class was defined in."""
    name = type.__dict__["__module__"].__get__(kind)
    return name if is_a(name, str) else ""


def is_readers(kind: type) -> bool:
    """Whether a class is defined in a file that is neither installed nor part of Python."""
    return _is_readers(module_of(kind))


def is_readers_module(module: types.ModuleType) -> bool:
    """The same for a module."""
    return is_readers_file(attribute(module, "__file__"))


@lru_cache(maxsize=1024)
def _is_readers(module: str) -> bool:
    if module == "__main__":
        return True  # in a notebook it has no file
    return module in sys.modules and is_readers_module(sys.modules[module])


_SHOWN_FILES = ShownFiles(None)


def is_readers_file(file: Any) -> bool:
    """Whether a file is neither installed nor part of Python."""
    return is_a(file, str) and _SHOWN_FILES.has(file)


def everything_in(value: Any, most: int) -> Iterator[Any]:
    """An object and everything inside it, up to a number of objects."""
    seen: dict[int, Any] = {id(value): value}
    waiting = deque([value])
    while waiting:
        item = waiting.popleft()
        yield item
        for part in contents(item) or ():
            if len(seen) < most and id(part) not in seen:
                seen[id(part)] = part
                waiting.append(part)
