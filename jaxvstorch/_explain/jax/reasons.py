"""Why JAX traced a function once more."""

import re
import weakref
from typing import Any

from jaxvstorch._errors import tidy
from jaxvstorch._explain.jax.differences import differences, distance, moved
from jaxvstorch._explain.jax.signature import Signature

_MOST = 3  # differences that one reason names

# The calls that ledgers have seen, by function: JAX, too, keeps programs by the function.
_calls: "weakref.WeakKeyDictionary[Any, list[Signature]]" = weakref.WeakKeyDictionary()


class Earlier:
    """The calls that a function's kept programs belong to, as far as ledgers saw them."""

    def __init__(self, jitted: Any) -> None:
        function = getattr(jitted, "__wrapped__", jitted)
        try:
            self._calls = _calls.setdefault(function, [])
        except TypeError:  # it cannot be referenced weakly
            self._calls = []

    def add(self, call: Signature) -> None:
        """Note a call whose program JAX now keeps."""
        if call not in self._calls:
            self._calls.append(call)

    def forget(self) -> None:
        """Note that JAX no longer keeps anything of the function."""
        self._calls.clear()

    def why_traced(self, call: Signature) -> str:
        """How a call differs from the nearest earlier one; empty if it does not."""
        if not self._calls:
            return ""
        nearest = min(reversed(self._calls), key=lambda old: distance(old, call))
        return _list(differences(nearest, call))

    def why_compiled(self, call: Signature) -> str:
        """Why a call was compiled but not traced."""
        found = [moved(old, call) for old in reversed(self._calls) if not differences(old, call)]
        nearest = _list(min(found, key=len, default=[]))
        return f"compiled again, not traced; {nearest}" if nearest else "compiled, not traced"


def _list(texts: list[str]) -> str:
    more = f"; {len(texts) - _MOST} more" if len(texts) > _MOST else ""
    return "; ".join(texts[:_MOST]) + more


def from_message(differs: list[str], parameters: list[str]) -> str:
    """What JAX logs as different, in the words of the other reasons if it can be parsed.

    Args:
        differs: JAX's sentences.
        parameters: of the function, in order.
    """
    return "; ".join(dict.fromkeys(_reworded(text, parameters) for text in differs))


def _reworded(text: str, parameters: list[str]) -> str:
    if found := re.fullmatch(r"at (?!input path)(.+), now (.+) and before (.+)", text):
        return f"{found[1]}: {_plain(found[3])} → {_plain(found[2])}"
    if found := re.fullmatch(r"(?:jax_)?(\w+) differs: now (.+) and before (.+)", text):
        return f"{found[1]}: {found[3]} → {found[2]}"
    if found := re.fullmatch(r"at input path (\S+), now (.+?) and before (.+), so .*", text):
        name = _at(found[1], parameters)
        was, now = (_node(found[i]) for i in (3, 2))
        return f"{name}: {was} → {now}" if was != now else f"{name}: of another structure"
    return text


def _at(path: str, parameters: list[str]) -> str:
    """The name of a place in a call's arguments, ``(args, kwargs)``."""
    if found := re.fullmatch(r"\[0\]\[(\d+)\](.*)", path):
        number = int(found[1])
        return (parameters[number] if number < len(parameters) else f"args[{number}]") + found[2]
    if found := re.fullmatch(r"\[1\]\['(\w+)'\](.*)", path):
        return found[1] + found[2]
    return {"[0]": "the arguments by position", "[1]": "the arguments by name"}.get(path, path)


def _node(text: str) -> str:
    """A node of a pytree, as JAX writes it: a static value, or a class."""
    if found := re.search(r"Static\(val=(.*)\)$", text):
        return tidy(found[1])
    found = re.match(r"<class '(?:.*\.)?(\w+)'>(?: with (\d+) child)?", text)
    kind = found[1].removesuffix("Type") if found else text
    return f"{kind} of {found[2]}" if found and found[2] else kind


def _plain(text: str) -> str:
    return (
        text.replace("({})", "")
        .replace("{weak_type=True}", " (weak type)")
        .replace("{weak_type=False}", "")
    )
