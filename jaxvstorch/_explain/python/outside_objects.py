"""The objects from outside a function whose attributes a trace reads once, and does not trace."""

import types
from collections.abc import Iterator
from typing import Any

from jaxvstorch._explain.python import harmless
from jaxvstorch._explain.python.code_or_data import is_function

_ALL = {"__dict__", "vars", "astuple", "asdict", "fields"}  # read by a hash of all attributes
_FRAMEWORKS = ("jax", "jaxlib", "torch", "numpy", "builtins", "functools")


class Outside:
    """Objects that were there before the call, and are not rebuilt of traced values.

    Attributes:
        has_begun: whether the function runs; before that, JAX flattens its arguments.
    """

    def __init__(self, has_begun: bool) -> None:
        self.has_begun = has_begun
        # By id, so that nothing is compared; keeping the objects keeps their ids.
        self._objects: dict[int, tuple[Any, set[str]]] = {}

    def add(self, value: Any, is_looked_up_by_hash: bool = False) -> bool:
        """Add an object with attributes, and return whether the value is one."""
        is_one = _is_object(value)
        if is_one:
            hashed = set(_names_in(type(value), "__hash__", 3)) if is_looked_up_by_hash else set()
            self._objects.setdefault(id(value), (value, hashed))
        return is_one

    def is_frozen(self, owner: Any, attribute: str) -> bool:
        """Whether an attribute of one of these objects can change without a new trace."""
        _, hashed = self._objects.get(id(owner), (None, None))
        if not self.has_begun or hashed is None or attribute.startswith("__"):
            return False
        value = harmless.attribute(owner, attribute)
        if value is None or any(base.__name__ == "Tracer" for base in harmless.bases(type(value))):
            return False  # computed by code, which is observed itself; or written in this trace
        is_fixed = _cannot_be_set(type(owner))
        if is_fixed and (harmless.is_simple(value) or type(value) is tuple):
            return False
        return attribute not in hashed and not hashed & _ALL


def _is_object(value: Any) -> bool:
    kind = type(value)
    if harmless.is_simple(value) or harmless.is_container(value) or is_function(value):
        return False
    if harmless.is_a(value, type, types.ModuleType) or harmless.comes_from(kind, *_FRAMEWORKS):
        return False
    return harmless.attributes(value) is not None


def _cannot_be_set(kind: type) -> bool:
    """Whether instances of a class are frozen, as those of a frozen dataclass are."""
    parameters = harmless.attribute(kind, "__dataclass_params__")
    return bool(getattr(parameters, "frozen", False))


def _names_in(kind: type, method: str, depth: int) -> Iterator[str]:
    """The names that a method reads, and those that other methods read which it calls."""
    function = harmless.attribute(kind, method)
    if depth == 0 or not harmless.is_a(function, types.FunctionType):
        return
    for name in function.__code__.co_names:
        yield name
        yield from _names_in(kind, name, depth - 1)
