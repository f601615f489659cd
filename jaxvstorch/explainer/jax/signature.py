"""What ``jax.jit`` keeps a trace by, of one call: its arguments' types, static values, settings."""

import inspect
import re
from dataclasses import dataclass, replace
from typing import Any

import jax

from jaxvstorch.explainer.jax import traces
from jaxvstorch.explainer.shorthand import describe, kind

_LONGEST = 60  # characters of an argument that is told whole


@dataclass(frozen=True)
class Argument:
    """One argument, as far as it tells calls apart.

    Attributes:
        text: in short.
        key: equal for what JAX takes for the same: the structure, or a static value.
        leaves: types of the arrays and numbers in it, by their places; empty if it is static.
        where: the devices that its arrays lie on.
        is_named: whether it was given by name.
    """

    text: str
    key: Any
    leaves: dict[str, str]
    where: str
    is_named: bool = False


@dataclass(frozen=True)
class Signature:
    """One call, as JAX keeps it: arguments by name, and the settings that it was made under."""

    arguments: dict[str, Argument]
    settings: dict[str, str]


def signature(jitted: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Signature:
    """The signature of a call of a jitted function."""
    static = _static_names(jitted)
    arguments = {
        name: replace(_static(value) if name in static else _traced(value), is_named=name in kwargs)
        for name, value in _named(jitted, args, kwargs).items()
    }
    settings = {
        name.removeprefix("jax_"): describe(value)
        for name, value in traces.trace_settings().items()
        if name not in _OWN_SETTINGS
    }
    return Signature(arguments, settings)


_OWN_SETTINGS = {"jax_xla_profile_version"}  # what explain itself sets to trace anew


def _named(jitted: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    try:
        bound = inspect.signature(jitted).bind(*args, **kwargs)
    except (TypeError, ValueError):  # something built in, or arguments that do not fit
        return {**{f"argument {i}": value for i, value in enumerate(args, 1)}, **kwargs}
    named = dict(bound.arguments)
    for name, parameter in bound.signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            named |= named.pop(name, {})
    return named


def _static_names(jitted: Any) -> set[str]:
    names = set(traces.static_names(jitted) or ())
    positional = parameters(jitted)
    return names | {positional[i] for i in traces.static_positions(jitted) if i < len(positional)}


def parameters(function: Any) -> list[str]:
    """The names of a function's parameters, in order; none where it tells none."""
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _static(value: Any) -> Argument:
    try:
        key = (type(value).__qualname__, hash(value))
    except Exception:  # the call says so too
        key = (type(value).__qualname__, 0)
    return Argument(describe(value), key, {}, "")


def _traced(value: Any) -> Argument:
    try:
        jax.tree.leaves(value)  # raises where a list holds itself; with paths, JAX breaks Python
        leaves, tree = jax.tree_util.tree_flatten_with_path(value, is_leaf=lambda v: v is None)
    except Exception:  # what JAX cannot take apart, the call says
        return Argument(describe(value), None, {}, "")
    types = {_FLAT.sub(r" (leaf \1)", jax.tree_util.keystr(p)): _type(leaf) for p, leaf in leaves}
    places = dict.fromkeys(_place(leaf) for _, leaf in leaves)
    where = ", ".join(filter(None, places))
    return Argument(_told(value, types), str(tree), types, where)


_FLAT = re.compile(r"\[<flat index (\d+)>\]")  # in an object of a class without names


def _told(value: Any, types: dict[str, str]) -> str:
    return types[""] if list(types) == [""] else describe(value)


def _type(leaf: Any) -> str:
    """Such as ``f32[3]``; what JAX makes of a Python number is of a weak type."""
    if leaf is None:
        return "None"
    try:
        aval = jax.typeof(leaf)
        sizes = ",".join(map(str, aval.shape))
        return f"{kind(aval.dtype)}[{sizes}]{' (weak type)' if aval.weak_type else ''}"
    except Exception:  # no array: the call says so
        return describe(leaf)


def _place(leaf: Any) -> str:
    if not isinstance(leaf, jax.Array) or isinstance(leaf, jax.core.Tracer):
        return ""
    if not leaf.committed:
        return ""
    where = leaf.sharding
    one = isinstance(where, jax.sharding.SingleDeviceSharding)
    return f"committed to {next(iter(leaf.devices())) if one else where}"


def differences(old: Signature, new: Signature) -> list[str]:
    """What tells a call from an earlier one, in words; empty where JAX takes them for the same."""
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
            other = "of another structure" if new.leaves else "another that is not equal to it"
            return [f"{name}: {old.text} → {other}"]
        if max(len(old.text), len(new.text)) <= _LONGEST or not new.leaves:
            return [f"{name}: {old.text} → {new.text}"]
    return [
        f"{name}{path}: {old.leaves.get(path, 'absent')} → {new.leaves.get(path, 'absent')}"
        for path in dict.fromkeys([*old.leaves, *new.leaves])
        if old.leaves.get(path) != new.leaves.get(path)
    ]


def moved(old: Signature, new: Signature) -> list[str]:
    """The arguments that lie on other devices, which a program is compiled for, but not traced."""
    return [
        f"{name}: {before.where or 'not committed'} → {now.where or 'not committed'}"
        for name, now in new.arguments.items()
        if (before := old.arguments.get(name)) and before.where != now.where
    ]
