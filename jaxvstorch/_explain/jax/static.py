"""Static values and structures, compared as ``jax.jit`` does: by type, hash and ``==``."""

import functools
import weakref
from collections.abc import Callable, Iterator
from itertools import takewhile
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import jax

from jaxvstorch._explain.ledger_cures import (
    DATA,
    FRESH,
    HASH,
    HASHES,
    LEAF,
    NAN,
    NO_EQ,
    STATIC,
    Why,
)
from jaxvstorch._explain.shorthand import describe

# Values that a program makes: two of them are equal only if they are one.
_MADE = (
    FunctionType, MethodType, BuiltinFunctionType, functools.partial, type, jax.stages.Wrapped,
)  # fmt: skip
_DEEPEST = 8  # levels of objects inside objects that are compared
_LONGEST = 60  # characters of two descriptions that are shown whole
_EXCERPT = 20  # characters of a long text that are shown


class Static:
    """A static value, equal to another if JAX finds the program of the other one.

    It keeps no object alive that can be referenced weakly: JAX does, as long as it has the program.
    """

    def __init__(self, value: Any) -> None:
        self.hash = _hash(value)
        self._value: Callable[[], Any]
        try:
            self._value = weakref.ref(value)
        except TypeError:  # a number, a text or a tuple
            self._value = lambda: value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and self.hash == other.hash and _same(self(), other())

    def __call__(self) -> Any:
        """The value; ``None`` if it is gone."""
        return self._value()

    __hash__ = None  # type: ignore[assignment]


def _hash(value: Any) -> int | None:
    try:
        return hash(value)
    except Exception:  # the call itself reports this
        return None


def _same(old: Any, new: Any) -> bool:
    try:
        return type(old) is type(new) and (old is new or bool(old == new))
    except Exception:  # raised by the class's own __eq__; the call reports it
        return False


def difference(name: str, old: Static, new: Static, was: str, now: str) -> Why:
    """How a static value differs from an earlier one that JAX calls another.

    Args:
        name: the argument's.
        old: the earlier value.
        new: the value of this call.
        was: a short description of the earlier one, made when it was passed.
        now: the same of this one.
    """
    before, value = old(), new()
    if before is value and old.hash != new.hash:
        return Why(f"{name}: the same {now}, but its hash has changed", HASH)
    return _told_apart(name, before, value, was, now) or _unequal(name, before, value, now)


def _told_apart(name: str, old: Any, new: Any, was: str, now: str, depth: int = 0) -> Why | None:
    """The words for two values that print differently, or have parts that do."""
    if was != now and (len(was) + len(now) <= _LONGEST or type(old) is not type(new)):
        return Why(f"{name}: {was} → {now}", STATIC)
    if type(old) is not type(new):
        return Why(f"{name}: another {now}", STATIC)
    if isinstance(new, str):
        start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new)))  # noqa: B905
        was, now = (repr(value[start : start + _EXCERPT]) for value in (old, new))
        return Why(f"{name}, from character {start + 1}: {was}… → {now}…", STATIC)
    for part, before, after in _parts(old, new):
        if not _same(before, after) and depth < _DEEPEST:
            texts = describe(before), describe(after)
            inner = _told_apart(f"{name}{part}", before, after, *texts, depth + 1)
            if inner or _has_eq(new):
                return inner or _unequal(f"{name}{part}", before, after, texts[1])
    return Why(f"{name}: {was} → {now}", STATIC) if was != now else None


def _unequal(name: str, old: Any, new: Any, text: str) -> Why:
    """The words for two unequal values of one class that print alike."""
    if isinstance(new, _MADE):
        return Why(f"{name}: another {text}{_lines(old, new)}", FRESH)
    if isinstance(new, float | complex) and new != new:
        return Why(f"{name}: another {text}, and nan never equals nan", NAN)
    if not _has_eq(new):
        return Why(f"{name}: another {text}; the two compare unequal: no __eq__", NO_EQ)
    if _same(old, new):
        return Why(f"{name}: another {text}; the two are equal, but their hashes differ", HASHES)
    return Why(f"{name}: another {text}; its __eq__ calls the two unequal", NO_EQ)


def _has_eq(value: Any) -> bool:
    """Whether its class compares more than identity."""
    return any("__eq__" in vars(base) for base in type(value).__mro__[:-1])


def _parts(old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    """The parts of two values of one class: items, or attributes."""
    if isinstance(new, tuple):
        names = [f".{name}" for name in getattr(new, "_fields", ())]
        for i, (before, now) in enumerate(zip(old, new, strict=False)):
            yield names[i] if names else f"[{i}]", before, now
        return
    if isinstance(new, _MADE):
        return
    is_dict = isinstance(new, dict)
    earlier, later = (old, new) if is_dict else (getattr(v, "__dict__", {}) for v in (old, new))
    for key in earlier.keys() & later.keys():
        yield f"[{key!r}]" if is_dict else f".{key}", earlier[key], later[key]


def _lines(old: Any, new: Any) -> str:
    """The lines of two functions that have one name."""
    if isinstance(new, MethodType):
        return ", of another object"
    before, now = (getattr(function, "__code__", None) for function in (old, new))
    if before is None or now is None:
        return ", a new object"
    if before == now:
        return f", defined again at line {now.co_firstlineno}"
    lines = before.co_firstlineno, now.co_firstlineno
    return f", of line {lines[0]} → of line {lines[1]}" if lines[0] != lines[1] else ""


class Structure:
    """The structure of a pytree, with the static data in it.

    Equinox takes every leaf that is no array for static; ``leaves`` are those, by their paths.
    """

    def __init__(self, tree: Any, leaves: dict[str, Static]) -> None:
        self._tree, self._leaves = tree, leaves

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Structure):
            return False
        return _same(self._tree, other._tree) and self._leaves == other._leaves

    __hash__ = None  # type: ignore[assignment]

    def difference(self, name: str, new: "Structure") -> Why | None:
        """How the static data of an argument of this name differ; ``None`` if they do not."""
        nodes = zip(_nodes(self._tree), _nodes(new._tree), strict=False)
        for (kind, before), (other, now) in nodes:
            if kind is other and not _same(before, now):
                before, now = _by_name(before), _by_name(now)
                if isinstance(now, tuple | dict):
                    name = f"static data of {kind.__name__} in {name}"
                return _in_tree(name, Static(before), Static(now), DATA)
        for path in self._leaves.keys() & new._leaves.keys():
            if self._leaves[path] != new._leaves[path]:
                return _in_tree(f"{name}{path}", self._leaves[path], new._leaves[path], LEAF)
        return None


def _in_tree(name: str, old: Static, new: Static, cure: str) -> Why:
    why = difference(name, old, new, describe(old()), describe(new()))
    return why._replace(cure=cure) if why.cure == STATIC else why


def _by_name(data: Any) -> Any:
    """The static data of a module of flax: names of arrays, other names, and the others' values."""
    if isinstance(data, tuple) and len(data) == 3 and {type(part) for part in data} == {tuple}:
        return dict(zip(data[1], data[2], strict=False))
    return data


def _nodes(tree: Any) -> Iterator[tuple[Any, Any]]:
    """The class and the static data of each node of a structure, without its leaves."""
    if data := tree.node_data():
        yield data
    for child in tree.children():
        yield from _nodes(child)
