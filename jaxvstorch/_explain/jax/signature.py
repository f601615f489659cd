"""What identifies a trace in ``jax.jit``'s cache: argument types, static values, settings."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import numpy as np

from jaxvstorch._explain.jax import traces
from jaxvstorch._explain.jax.static import Static, Structure
from jaxvstorch._explain.shorthand import describe, kind
from jaxvstorch._frameworks.private import jax as private


@dataclass(frozen=True)
class Argument:
    """One argument, as JAX identifies it.

    Attributes:
        text: a short description.
        key: equal for arguments that are the same to JAX: a ``Structure``, or a ``Static``.
        leaves: types of the arrays and numbers in it, by their paths; empty if it is static.
        where: the devices of its arrays.
        is_named: whether it was given by name.
        containers: classes of the argument and the containers in it, by their paths.
    """

    text: str
    key: Any
    leaves: dict[str, str]
    where: str
    is_named: bool = False
    containers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Signature:
    """One call, as JAX identifies it: its arguments by name, and the settings at the call."""

    arguments: dict[str, Argument]
    settings: dict[str, str]


def signature(jitted: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Signature:
    """The signature of a call of a jitted function."""
    jitted = getattr(jitted, private.FLAX_JITTED, jitted)
    static = _static_names(jitted)
    is_equinox = type(jitted).__module__.startswith("equinox")
    arguments = {
        name: replace(
            _static(value) if name in static else _traced(value, is_equinox),
            is_named=name in kwargs,
        )
        for name, value in _named(jitted, args, kwargs).items()
    }
    settings = {
        name.removeprefix("jax_"): describe(value)
        for name, value in traces.trace_settings().items()
        if name not in _OWN_SETTINGS
    }
    return Signature(arguments, settings)


_OWN_SETTINGS = {"jax_xla_profile_version"}  # what explain itself sets to trace again


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
    """The names of a function's parameters, in order; empty if it has no signature."""
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _static(value: Any) -> Argument:
    return Argument(describe(value), Static(value), {}, "")


def _traced(value: Any, is_equinox: bool) -> Argument:
    try:
        jax.tree.leaves(value)  # raises if a list holds itself; with paths, JAX crashes Python
        leaves, tree = jax.tree_util.tree_flatten_with_path(value, is_leaf=lambda v: v is None)
    except Exception:  # the call reports what JAX cannot flatten
        return Argument(describe(value), None, {}, "")
    paths = [_FLAT.sub(r" (leaf \1)", jax.tree_util.keystr(path)) for path, _ in leaves]
    static, types = {}, {}
    for path, (_, leaf) in zip(paths, leaves, strict=True):
        if is_equinox and not isinstance(leaf, jax.Array | np.ndarray | np.generic):
            static[path] = Static(leaf)
        types[path] = describe(leaf) if path in static else _type(leaf)
    devices = dict.fromkeys(_device(leaf) for _, leaf in leaves)
    where = ", ".join(filter(None, devices))
    containers = dict(_containers(value, ""))
    return Argument(
        _in_short(value, types), Structure(tree, static), types, where, containers=containers
    )


def _containers(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """The classes of lists, tuples, dictionaries and what is inside, by their paths."""
    yield path, type(value).__name__
    if type(value) not in (dict, list, tuple):
        return
    for key, item in value.items() if type(value) is dict else enumerate(value):
        yield from _containers(item, f"{path}[{key!r}]")


_FLAT = re.compile(r"\[<flat index (\d+)>\]")  # in an object of a class without names


def _in_short(value: Any, types: dict[str, str]) -> str:
    return types[""] if list(types) == [""] else describe(value)


def _type(leaf: Any) -> str:
    """A short description of a leaf, such as ``f32[3]``; JAX gives a Python number a weak type."""
    if leaf is None:
        return "None"
    try:
        aval = jax.typeof(leaf)
        sizes = ",".join(map(str, aval.shape))
        return f"{kind(aval.dtype)}[{sizes}]{' (weak type)' if aval.weak_type else ''}"
    except Exception:  # not an array: the call reports this
        return describe(leaf)


def _device(leaf: Any) -> str:
    if not isinstance(leaf, jax.Array) or isinstance(leaf, jax.core.Tracer):
        return ""
    if not leaf.committed:
        return ""
    where = leaf.sharding
    is_single = isinstance(where, jax.sharding.SingleDeviceSharding)
    return f"committed to {next(iter(leaf.devices())) if is_single else where}"
