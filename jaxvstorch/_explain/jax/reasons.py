"""Why JAX traced a function again: how a call differs from the earlier ones."""

import re
import weakref
from typing import Any

from jaxvstorch._explain import ledger_cures as cures
from jaxvstorch._explain.jax.signature import Argument, Signature
from jaxvstorch._explain.jax.static import Static, Structure, difference
from jaxvstorch._explain.ledger_cures import Why, shortened
from jaxvstorch._messages import tidy

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

    def why_traced(self, call: Signature) -> list[Why]:
        """How a call differs from the nearest earlier one; empty if it does not."""
        if not self._calls:
            return []
        nearest = min(reversed(self._calls), key=lambda old: _distance(old, call))
        return shortened(_differences(nearest, call))

    def why_compiled(self, call: Signature) -> list[Why]:
        """Why a call was compiled but not traced."""
        moves = [_moved(old, call) for old in reversed(self._calls) if not _differences(old, call)]
        if nearest := min(filter(None, moves), key=len, default=[]):
            return [Why("compiled again, not traced"), *shortened(nearest)]
        return [Why("compiled, not traced")]


def is_among(call: Signature, others: list[Signature]) -> bool:
    """Whether JAX finds the program of one of these other calls."""
    return any(not _differences(other, call) and not _moved(other, call) for other in others)


def from_message(differs: list[str], parameters: list[str]) -> list[Why]:
    """What JAX logs as different, worded like the other reasons if it can be parsed.

    Args:
        differs: JAX's sentences.
        parameters: of the function, in order.
    """
    return [_reworded(text, parameters) for text in differs]


def _reworded(text: str, parameters: list[str]) -> Why:
    if match := re.fullmatch(r"at (?!input path)(.+), now (.+) and before (.+)", text):
        was, now = _plain(match[3]), _plain(match[2])
        return Why(f"{match[1]}: {was} → {now}", _cure_of_leaf(was, now))
    if match := re.fullmatch(r"(?:jax_)?(\w+) differs: now (.+) and before (.+)", text):
        return Why(f"{match[1]}: {match[3]} → {match[2]}", cures.SETTING)
    if match := re.fullmatch(r"at input path (\S+), now (.+?) and before (.+), so .*", text):
        name = _at(match[1], parameters)
        was, now = (_node(match[i]) for i in (3, 2))
        cure = cures.STATIC if "Static(val=" in text else cures.STRUCTURE
        how = f"{was} → {now}" if was != now else "another structure"
        return Why(f"{name}: {how}", cure)
    return Why(text)


def _at(path: str, parameters: list[str]) -> str:
    """The name of a path into a call's arguments, ``(args, kwargs)``."""
    if match := re.fullmatch(r"\[0\]\[(\d+)\](.*)", path):
        number = int(match[1])
        return (parameters[number] if number < len(parameters) else f"args[{number}]") + match[2]
    if match := re.fullmatch(r"\[1\]\['(\w+)'\](.*)", path):
        return match[1] + match[2]
    return {"[0]": "the positional arguments", "[1]": "the keyword arguments"}.get(path, path)


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


def _differences(old: Signature, new: Signature) -> list[Why]:
    """How a call differs from an earlier one, in words; empty if they are the same to JAX."""
    whys = [
        Why(f"{name}: {old.settings[name]} → {value}", cures.SETTING)
        for name, value in new.settings.items()
        if old.settings.get(name, value) != value
    ]
    for name in [*new.arguments, *(old.arguments.keys() - new.arguments.keys())]:
        before, now = old.arguments.get(name), new.arguments.get(name)
        if before is None or now is None:
            was, after = (a.text if a else "not given" for a in (before, now))
            whys.append(Why(f"{name}: {was} → {after}", cures.GIVEN))
        else:
            whys += _argument_differs(name, before, now)
    return whys


def _distance(old: Signature, new: Signature) -> int:
    """In how many settings, arguments and parts of arguments two calls differ."""
    count = sum(old.settings.get(name, value) != value for name, value in new.settings.items())
    for name in old.arguments.keys() | new.arguments.keys():
        before, now = old.arguments.get(name), new.arguments.get(name)
        if before is None or now is None:
            count += 1
            continue
        # By position or by name is the least of the differences.
        count += 2 * (before.key != now.key) or before.is_named != now.is_named
        for path in before.leaves.keys() | now.leaves.keys():
            count += _leaf_distance(before.leaves.get(path, ""), now.leaves.get(path, ""))
    return count


def _leaf_distance(old: str, new: str) -> int:
    """In how many of dtype, shape and weak type two arrays differ."""
    return sum(a != b for a, b in zip(_parts(old), _parts(new), strict=True))


def _argument_differs(name: str, old: Argument, new: Argument) -> list[Why]:
    if (old.key, old.leaves) == (new.key, new.leaves):
        hows = ("by name" if call.is_named else "by position" for call in (old, new))
        is_same = old.is_named == new.is_named
        return [] if is_same else [Why(f"{name}: {' → '.join(hows)}", cures.NAMED)]
    if isinstance(old.key, Static) and isinstance(new.key, Static):
        return [difference(name, old.key, new.key, old.text, new.text)]
    if old.key != new.key or old.leaves.keys() != new.leaves.keys():
        return _structure_differs(name, old, new)
    return _leaves_differ(name, old, new)


def _structure_differs(name: str, old: Argument, new: Argument) -> list[Why]:
    cure = cures.NONE if "None" in (old.text, new.text) else cures.STRUCTURE
    if _containers(old) == _containers(new) and old.leaves.keys() == new.leaves.keys():
        if isinstance(old.key, Structure) and (why := old.key.difference(name, new.key)):
            return [why]
        if old.text == new.text:
            return [Why(f"{name}: {old.text} → another structure", cure)]
    if len(old.text) + len(new.text) <= _LONGEST or not new.leaves:
        return [Why(f"{name}: {old.text} → {new.text}", cure)]
    if classes := _classes_differ(name, old, new):
        return [Why(text, cure) for text in classes]
    return _leaves_differ(name, old, new) or [Why(f"{name}: {old.text} → {new.text}", cure)]


def _containers(argument: Argument) -> dict[str, str]:
    return {path: kind for path, kind in argument.containers.items() if kind in _CONTAINERS}


def _leaves_differ(name: str, old: Argument, new: Argument) -> list[Why]:
    whys = []
    for path in dict.fromkeys([*old.leaves, *new.leaves]):
        was, now = old.leaves.get(path, "absent"), new.leaves.get(path, "absent")
        if was != now:
            whys.append(Why(f"{name}{path}: {was} → {now}", _cure_of_leaf(was, now)))
    return whys


def _cure_of_leaf(old: str, new: str) -> str:
    """What to do about an array that has another type."""
    if "absent" in (old, new):
        return cures.STRUCTURE
    if "None" in (old, new):
        return cures.NONE
    if "@" in old + new or "({" in old + new:  # shardings that JAX writes beside the sizes
        return cures.PLACED
    if "key<" in old + new:
        return cures.KEY
    (_, was_shape, was_weak), (_, shape, weak) = _parts(old), _parts(new)
    if shape is None and was_shape is None:  # no arrays: equinox takes such a leaf for static
        return cures.LEAF
    if was_shape != shape:
        is_of_one_rank = str(was_shape).count(",") == str(shape).count(",")
        return cures.SHAPE if is_of_one_rank and "[]" not in (was_shape, shape) else cures.RANK
    return cures.WEAK_TYPE if was_weak or weak else cures.DTYPE


def _parts(leaf: str) -> tuple[str | Any, ...]:
    """The dtype, the shape and the weak type of an array, from its description."""
    match = re.fullmatch(r"([^\[]*)(\[.*\])?(.*)", leaf, re.DOTALL)
    return match.groups() if match else ()


def _classes_differ(name: str, old: Argument, new: Argument) -> list[str]:
    """Containers whose class has changed, without those inside another such container."""
    paths: list[str] = []
    for path, kind in old.containers.items():
        now = new.containers.get(path, kind)
        is_inner = any(path.startswith(f"{outer}[") for outer in paths)
        if kind != now and {kind, now} & _CONTAINERS and not is_inner:
            paths.append(path)
    return [f"{name}{p}: {old.containers[p]} → {new.containers[p]}" for p in paths]


def _moved(old: Signature, new: Signature) -> list[Why]:
    """The arguments on other devices, for which a program is compiled but not traced again."""
    return [
        Why(
            f"{name}: {before.where or 'not committed'} → {now.where or 'not committed'}",
            cures.PLACED,
        )
        for name, now in new.arguments.items()
        if (before := old.arguments.get(name)) and before.where != now.where
    ]
