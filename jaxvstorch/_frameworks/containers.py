"""Lists, tuples and dicts of arrays, in any depth, taken apart the same way for both frameworks.

JAX takes the keys of a dict in sorted order, and PyTorch in the order in which they were put in.
Here they are sorted, so that what both halves of a pair return is compared key by key.
"""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

CONTAINERS = (list, tuple, dict)


def mapped(function: Callable[..., Any], value: Any, *others: Any) -> Any:
    """The same containers, with what they hold replaced by the function's results.

    The function gets what stands in the same place in the others too.
    """
    if isinstance(value, dict):
        changed = copy.copy(value)  # an OrderedDict, say, stays one
        for key, item in value.items():
            changed[key] = mapped(function, item, *(other[key] for other in others))
        return changed
    if isinstance(value, list | tuple):
        items = [mapped(function, *together) for together in zip(value, *others, strict=True)]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return function(value, *others)


def named_leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """What the containers hold, each with its place in them, such as ``['w'][0]``."""
    if isinstance(value, dict):
        for key in sorted(value, key=str):
            yield from named_leaves(value[key], f"{name}[{key!r}]")
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from named_leaves(item, f"{name}[{i}]")
    else:
        yield name, value


def leaves(value: Any) -> list[Any]:
    """What the containers hold."""
    return [leaf for _, leaf in named_leaves(value)]


def arrays_in(value: Any) -> list[Any]:
    """The NumPy arrays and scalars in them."""
    held = leaves(value) if hold_array(value) else []
    return [leaf for leaf in held if isinstance(leaf, np.ndarray | np.generic)]


def hold_array(value: Any) -> bool:
    """Whether there is a NumPy array in them; they may hold themselves."""
    rest, seen = [value], set()
    while rest:
        item = rest.pop()
        if isinstance(item, np.ndarray | np.generic):
            return True
        if isinstance(item, CONTAINERS) and id(item) not in seen:
            seen.add(id(item))
            rest += item.values() if isinstance(item, dict) else item
    return False


def with_arrays_mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """``mapped``; a value without NumPy arrays, which may hold itself, stays as it is."""
    return mapped(function, value) if hold_array(value) else value
