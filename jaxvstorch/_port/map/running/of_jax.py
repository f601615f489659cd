"""What JAX has under a name of the map, and its parameters."""

import ast
import inspect
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from importlib import import_module
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from jax import lax

from jaxvstorch._port.map.row import PLACEMENT_IN_JAX

_ROOTS = {"jax": jax, "jnp": jnp, "lax": lax, "nnx": nnx, "optax": optax, "Array": jax.Array}


def of_jax(name: str) -> Any:
    """What JAX has under a name such as ``jax.nn.relu``, ``Array.sum`` or ``Array.at.set``.

    Raises:
        AttributeError: JAX has no such name.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a deprecated name is a name
        return _of_jax(name)


def _of_jax(name: str) -> Any:
    root, *rest = name.split(".")
    if root == "Array":
        return _of_arrays(rest)
    if root in _ROOTS:
        return reduce(_part, rest, _ROOTS[root])
    return reduce(_part, rest, import_module(root))


def _part(owner: Any, name: str) -> Any:
    """An attribute, or a module that is imported only now."""
    if not hasattr(owner, name) and inspect.ismodule(owner):
        with suppress(ModuleNotFoundError):
            import_module(f"{owner.__name__}.{name}")
    return getattr(owner, name)


def _of_arrays(parts: list[str]) -> Callable[..., Any]:
    if parts[0] == "at" and len(parts) > 1:
        return lambda self, index, *args: getattr(self.at[index], parts[1])(*args)
    value = getattr(type(jnp.zeros(())), parts[0])
    if callable(value):
        return lambda self, *args, **kwargs: getattr(self, parts[0])(*args, **kwargs)
    return lambda self: getattr(self, parts[0])


def parameters(name: str) -> list[inspect.Parameter]:
    """A name's parameters, without those that say where an array is kept.

    What comes behind one of those is given by name alone: its position would count them.

    Raises:
        ValueError: it has no signature.
        TypeError: it is not called.
    """
    value = of_jax(name)
    if isinstance(value, jnp.ufunc):
        names = ["x", "y"][: value.nin]
        return [inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in names]
    if name.startswith("Array."):
        value = getattr(type(jnp.zeros(())), name.removeprefix("Array."))
    given = inspect.signature(value).parameters.values()
    kept: list[inspect.Parameter] = []
    passed = False
    for parameter in given:
        by_position = parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        if parameter.name in PLACEMENT_IN_JAX or parameter.name.startswith("_"):
            passed |= by_position
        elif passed and by_position:
            kept.append(parameter.replace(kind=parameter.KEYWORD_ONLY))
        else:
            kept.append(parameter)
    return kept


def signature(given: list[inspect.Parameter]) -> str:
    """Parameters as a line of the map writes them; a default that has no short text is ``...``."""
    texts, kinds = [], [p.kind for p in given]
    for position, parameter in enumerate(given):
        if parameter.kind is parameter.KEYWORD_ONLY and not {
            parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL,
        } & {*kinds[:position]}:  # fmt: skip
            texts.append("*")
        stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        stars = "**" if parameter.kind is parameter.VAR_KEYWORD else stars
        default = "" if parameter.default is parameter.empty else f"={_text(parameter.default)}"
        texts.append(f"{stars}{parameter.name}{default}")
        last = position + 1 == len(given)
        if parameter.kind is parameter.POSITIONAL_ONLY and (
            last or kinds[position + 1] is not parameter.POSITIONAL_ONLY
        ):
            texts.append("/")
    return ", ".join(texts)


def _text(default: Any) -> str:
    name = getattr(default, "__name__", "")
    if getattr(jnp, name, None) is default and isinstance(default, type(jnp.float32)):
        return f"jnp.{name}"
    try:
        ast.literal_eval(repr(default))
    except (SyntaxError, ValueError):
        return "..."
    return repr(default)
