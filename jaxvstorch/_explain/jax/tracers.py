"""Traced values that a trace leaves in the reader's objects, and what was there before."""

from collections import deque
from types import FunctionType
from typing import Any

import jax

from jaxvstorch._explain.python import harmless

_MOST_INSIDE = 1000
_ABSENT = object()


def holds_tracer(value: Any) -> bool:
    """Whether a value is a traced value, or holds one."""
    inside = harmless.everything_in(value, _MOST_INSIDE)
    return any(harmless.is_a(part, jax.core.Tracer) for part in inside)


class Before:
    """What objects and globals held before a trace, to be put back in place of traced values."""

    def __init__(self) -> None:
        # By id, so that nothing is compared; keeping the objects keeps their ids.
        self._objects: dict[int, tuple[Any, Any]] = {}
        self._globals: list[tuple[dict[str, Any], str, Any]] = []

    def add(self, value: Any) -> None:
        """Remember what an object and everything inside it hold now."""
        for part in harmless.everything_in(value, _MOST_INSIDE):
            if id(part) not in self._objects and (held := _copy(part)) is not None:
                self._objects[id(part)] = part, held

    def add_global(self, names: dict[str, Any], name: str) -> None:
        """Remember a global that is about to be written for the first time."""
        self._globals.append((names, name, names.get(name, _ABSENT)))

    def put_back(self) -> None:
        """Put back what was there wherever a traced value is now; all other changes stay."""
        for names, name, before in self._globals:
            if name in names and holds_tracer(names[name]):
                _set(names, name, before)
        for value, before in self._objects.values():
            _restore(value, before)


def _copy(value: Any) -> Any:
    """What a container or an object holds, in a new container; ``None`` if it cannot change."""
    if harmless.is_a(value, dict):
        return dict(dict.items(value))
    for kind in (list, set, deque):
        if harmless.is_a(value, kind):
            return list(kind.__iter__(value))
    if harmless.is_simple(value) or harmless.is_container(value):
        return None
    is_known = harmless.is_a(value, FunctionType) or harmless.contents(value) is not None
    held = harmless.dictionary(value) if is_known else None
    return None if held is None else dict(held)


def _restore(value: Any, before: Any) -> None:
    if isinstance(before, dict):
        names: Any = value if harmless.is_a(value, dict) else harmless.dictionary(value)
        for key, now in list(dict.items(names)):
            old = before.get(key, _ABSENT)
            if now is not old and holds_tracer(now):
                _set(names, key, old)
        return
    known = {id(part) for part in before}
    kind: Any = next(kind for kind in (list, set, deque) if harmless.is_a(value, kind))
    if any(id(part) not in known and holds_tracer(part) for part in kind.__iter__(value)):
        kind.clear(value)
        (kind.update if kind is set else kind.extend)(value, before)


def _set(names: dict[Any, Any], name: Any, value: Any) -> None:
    if value is _ABSENT:
        dict.__delitem__(names, name)
    else:
        dict.__setitem__(names, name, value)
