"""What tells two calls apart for ``jax.jit``, in words."""

import re
from dataclasses import replace

from jaxvstorch._explain.jax.signature import Argument, Signature

_LONGEST = 40  # characters of an argument, before and now, that is shown in full
_CONTAINERS = {"dict", "list", "tuple"}


def differences(old: Signature, new: Signature) -> list[str]:
    """How a call differs from an earlier one, in words; empty if they are the same to JAX."""
    found = [
        f"{name}: {old.settings[name]} → {value}"
        for name, value in new.settings.items()
        if old.settings.get(name, value) != value
    ]
    for name in [*new.arguments, *(old.arguments.keys() - new.arguments.keys())]:
        before, now = old.arguments.get(name), new.arguments.get(name)
        if before is None or now is None:
            was, after = (a.text if a else "not given" for a in (before, now))
            found.append(f"{name}: {was} → {after}")
        else:
            found += _argument_differs(name, before, now)
    return found


def distance(old: Signature, new: Signature) -> int:
    """In how many settings, arguments and parts of arguments two calls differ."""
    count = sum(old.settings.get(name, value) != value for name, value in new.settings.items())
    for name in old.arguments.keys() | new.arguments.keys():
        before, now = old.arguments.get(name), new.arguments.get(name)
        if before is None or now is None:
            count += 1
            continue
        count += (before.key, before.is_named) != (now.key, now.is_named)
        for place in before.leaves.keys() | now.leaves.keys():
            count += _leaf_distance(before.leaves.get(place, ""), now.leaves.get(place, ""))
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
    found: list[str] = []
    for place, kind in old.containers.items():
        now = new.containers.get(place, kind)
        is_inner = any(place.startswith(f"{outer}[") for outer in found)
        if kind != now and {kind, now} & _CONTAINERS and not is_inner:
            found.append(place)
    return [f"{name}{p}: {old.containers[p]} → {new.containers[p]}" for p in found]


def moved(old: Signature, new: Signature) -> list[str]:
    """The arguments on other devices, for which a program is compiled but not traced again."""
    return [
        f"{name}: {before.where or 'not committed'} → {now.where or 'not committed'}"
        for name, now in new.arguments.items()
        if (before := old.arguments.get(name)) and before.where != now.where
    ]
