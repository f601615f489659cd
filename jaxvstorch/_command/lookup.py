"""Looks up a function by name in a module, and suggests names where it is not there."""

import difflib
import inspect
from types import ModuleType
from typing import Any

from jaxvstorch._command import BadInputError


def lookup(module: ModuleType, name: str, where: str) -> Any:
    """The function, method or object to call that a dotted name stands for.

    Args:
        module: where the first part of the name is looked up.
        name: such as ``"loss"`` or ``"Net.forward"``.
        where: what the module was called on the command line, for the message.

    Raises:
        BadInputError: there is no such name, or what has it cannot be called.
    """
    found: Any = module
    inside = where
    for part in name.split("."):
        if not hasattr(found, part):
            raise BadInputError(f"{inside} has no {part!r}.{_suggestion(found, part)}")
        found = getattr(found, part)
        inside = f"{part} in {where}"
    if inspect.isclass(found):
        raise BadInputError(
            f"{name} in {where} is a class: name one of its methods, or an instance made at top "
            "level"
        )
    if not callable(found):
        raise BadInputError(
            f"{name} in {where} is not a function: it is of type {type(found).__name__}, which "
            "cannot be called"
        )
    return found


def _suggestion(found: Any, name: str) -> str:
    """The names nearest to a misspelt one, or some of those that exist."""
    named = getattr(found, "__dict__", {})
    names = [key for key, value in named.items() if callable(value) and key[:1] != "_"]
    near = difflib.get_close_matches(name, names, n=3)
    if near:
        return f" Did you mean {' or '.join(near)}?"
    module = getattr(found, "__name__", "")
    own = [key for key in names if getattr(named[key], "__module__", "") == module]
    first, more = (own or names)[:8], (own or names)[8:]
    return f" It has {', '.join(first)}{f' and {len(more)} more' if more else ''}." if names else ""
