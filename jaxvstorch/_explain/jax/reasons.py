"""Why JAX traced a function again: how a call differs from the earlier ones."""

import re
import weakref
from dataclasses import replace
from typing import Any

from jaxvstorch._errors import tidy
from jaxvstorch._explain.jax.signature import Argument, Signature

_MOST = 3  # differences that one reason names
_LONGEST = 40  # characters of an argument, before and now, that is shown in full
_CONTAINERS = {"dict", "list", "tuple"}

# The calls that ledgers have recorded, by function, as JAX keeps its programs.
_calls: "weakref.WeakKeyDictionary[Any, list[Signature]]" = weakref.WeakKeyDictionary()


class EarlierCalls:
    """The calls that a function's cached programs belong to, as far as ledgers recorded them."""

    def __init__(self, jitted: Any) -> None:
        function = getattr(jitted, "__wrapped__", jitted)
        try:
            self._calls = _calls.setdefault(function, [])
        except TypeError:  # it cannot be referenced weakly
            self._calls = []

    def add(self, call: Signature) -> None:
        """Record a call whose program JAX now keeps."""
        if call not in self._calls:
            self._calls.append(call)

    def forget(self) -> None:
        """Note that JAX no longer keeps anything of the function."""
        self._calls.clear()

    def why_traced(self, call: Signature) -> str:
        """How a call differs from the nearest earlier one; empty if it does not."""
        if not self._calls:
            return ""
        nearest = min(reversed(self._calls), key=lambda old: _distance(old, call))
        return _list(_differences(nearest, call))

    def why_compiled(self, call: Signature) -> str:
        """Why a call was compiled but not traced."""
        moves = [_moved(old, call) for old in reversed(self._calls) if not _differences(old, call)]
        nearest = _list(min(moves, key=len, default=[]))
        return f"compiled again, not traced; {nearest}" if nearest else "compiled, not traced"


def _list(texts: list[str]) -> str:
    more = f"; {len(texts) - _MOST} more" if len(texts) > _MOST else ""
    return "; ".join(texts[:_MOST]) + more


def from_message(differs: list[str], parameters: list[str]) -> str:
    """What JAX logs as different, worded like the other reasons if it can be parsed.

    Args:
        differs: JAX's sentences.
        parameters: of the function, in order.
    """
    return "; ".join(dict.fromkeys(_reworded(text, parameters) for text in differs))


def _reworded(text: str, parameters: list[str]) -> str:
    if match := re.fullmatch(r"at (?!input path)(.+), now (.+) and before (.+)", text):
        return f"{match[1]}: {_plain(match[3])} → {_plain(match[2])}"
    if match := re.fullmatch(r"(?:jax_)?(\w+) differs: now (.+) and before (.+)", text):
        return f"{match[1]}: {match[3]} → {match[2]}"
    if match := re.fullmatch(r"at input path (\S+), now (.+?) and before (.+), so .*", text):
        name = _at(match[1], parameters)
        was, now = (_node(match[i]) for i in (3, 2))
        return f"{name}: {was} → {now}" if was != now else f"{name}: of another structure"
    return text


def _at(path: str, parameters: list[str]) -> str:
    """The name of a path into a call's arguments, ``(args, kwargs)``."""
    if match := re.fullmatch(r"\[0\]\[(\d+)\](.*)", path):
        number = int(match[1])
        return (parameters[number] if number < len(parameters) else f"args[{number}]") + match[2]
    if match := re.fullmatch(r"\[1\]\['(\w+)'\](.*)", path):
        return match[1] + match[2]
    return {"[0]": "the arguments by position", "[1]": "the arguments by name"}.get(path, path)


def _node(text: str) -> str:
    """A node of a pytree, as JAX writes it: a static value, or a class."""
    if match := re.search(r"Static\(val=(.*)\)$", text):
        return tidy(match[1])
    match = re.match(r"<class '(?:.*\.)?(\w+)'>(?: with (\d+) child)?", text)
    kind = match[1].removesuffix("Type") if match else text
    return f"{kind} of {match[2]}" if match and match[2] else kind


def _plain(text: str) -> str:
    return (
        text.replace("({})", "")
        .replace("{weak_type=True}", " (weak type)")
        .replace("{weak_type=False}", "")
    )


def _differences(old: Signature, new: Signature) -> list[str]:
    """How a call differs from an earlier one, in words; empty if they are the same to JAX."""
    texts = [
        f"{name}: {old.settings[name]} → {value}"
        for name, value in new.settings.items()
        if old.settings.get(name, value) != value
    ]
    for name in [*new.arguments, *(old.arguments.keys() - new.arguments.keys())]:
        before, now = old.arguments.get(name), new.arguments.get(name)
        if before is None or now is None:
            was, after = (a.text if a else "not given" for a in (before, now))
            texts.append(f"{name}: {was} → {after}")
        else:
            texts += _argument_differs(name, before, now)
    return texts


def _distance(old: Signature, new: Signature) -> int:
    """In how many settings, arguments and parts of arguments two calls differ."""
    count = sum(old.settings.get(name, value) != value for name, value in new.settings.items())
    for name in old.arguments.keys() | new.arguments.keys():
        before, now = old.arguments.get(name), new.arguments.get(name)
        if before is None or now is None:
            count += 1
            continue
        count += (before.key, before.is_named) != (now.key, now.is_named)
        for path in before.leaves.keys() | now.leaves.keys():
            count += _leaf_distance(before.leaves.get(path, ""), now.leaves.get(path, ""))
    return count


def _leaf_distance(old: str, new: str) -> int:
    """In how many of dtype, shape and weak type two arrays differ."""
    parts = [re.fullmatch(r"([^\[]*)(\[.*\])?(.*)", text) for text in (old, new)]
    (before, now) = (part.groups() if part else () for part in parts)
    return sum(a != b for a, b in zip(before, now, strict=True))


def _argument_differs(name: str, old: Argument, new: Argument) -> list[str]:
    if replace(new, is_named=old.is_named) == old:
        hows = ("by name" if call.is_named else "by position" for call in (old, new))
        return [f"{name}: {' → '.join(hows)}"] if old.is_named != new.is_named else []
    if old.key != new.key or old.leaves.keys() != new.leaves.keys():
        if old.text == new.text:
            if new.leaves:
                return [f"{name}: {old.text} → of another structure"]
            return [f"{name}: another {old.text}"]
        if len(old.text) + len(new.text) <= _LONGEST or not new.leaves:
            return [f"{name}: {old.text} → {new.text}"]
        if classes := _classes_differ(name, old, new):
            return classes
    return [
        f"{name}{path}: {old.leaves.get(path, 'absent')} → {new.leaves.get(path, 'absent')}"
        for path in dict.fromkeys([*old.leaves, *new.leaves])
        if old.leaves.get(path) != new.leaves.get(path)
    ] or [f"{name}: {old.text} → {new.text}"] * (old.key != new.key)


def _classes_differ(name: str, old: Argument, new: Argument) -> list[str]:
    """Containers whose class has changed, without those inside another such container."""
    paths: list[str] = []
    for path, kind in old.containers.items():
        now = new.containers.get(path, kind)
        is_inner = any(path.startswith(f"{outer}[") for outer in paths)
        if kind != now and {kind, now} & _CONTAINERS and not is_inner:
            paths.append(path)
    return [f"{name}{p}: {old.containers[p]} → {new.containers[p]}" for p in paths]


def _moved(old: Signature, new: Signature) -> list[str]:
    """The arguments on other devices, for which a program is compiled but not traced again."""
    return [
        f"{name}: {before.where or 'not committed'} → {now.where or 'not committed'}"
        for name, now in new.arguments.items()
        if (before := old.arguments.get(name)) and before.where != now.where
    ]
