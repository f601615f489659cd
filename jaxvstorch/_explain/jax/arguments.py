"""Prepares a call under ``jax.jit``: which arguments are traced, and which are static."""

import functools
import types
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from jaxvstorch._explain.cures import facts
from jaxvstorch._explain.jax import traces
from jaxvstorch._explain.python import harmless
from jaxvstorch._explain.python.unwrap import answers_all, original
from jaxvstorch._explain.shorthand import describe


@dataclass(frozen=True)
class Call:
    """A call of a jitted function.

    Attributes:
        jitted: what ``jax.jit`` returned.
        notes: what had to change so that it compiles.
    """

    jitted: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    notes: tuple[str, ...] = ()


def prepare(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """A jitted function as it is, and any other one as ``jax.jit`` would compile it.

    Arguments that ``jax.jit`` would refuse, such as a string or a function, become static. A module
    of equinox or flax, or a method of one, is an argument too, as with those libraries' own jit.
    """
    if isinstance(function, types.MethodType) and is_jitted(function.__func__):
        function, args = function.__func__, (function.__self__, *args)
    if is_jitted(function):
        return Call(traces.copy_jitted(function, _copy_of), args, kwargs)
    numbers_are_static = _module_of(function).startswith("equinox")
    if _module_of(function).startswith(("equinox._jit", "flax.nnx")) and not _is_tree(function):
        function = original(function)
    if isinstance(function, types.MethodType) and _is_tree(function.__self__):
        function, args = function.__func__, (function.__self__, *args)
    try:
        leaves, tree = jax.tree.flatten((function, args, kwargs))
    except (RecursionError, SystemError):  # JAX's C++ turns the former into the latter
        raise TypeError("an argument holds itself, or is nested too deeply for JAX") from None
    except ValueError as error:  # a dictionary, whose keys JAX sorts
        raise TypeError(f"JAX cannot flatten the arguments: {facts(str(error))}") from error
    first_argument = len(jax.tree.leaves(function))
    traced = [
        is_array(leaf) or (is_number(leaf) and i >= first_argument and not numbers_are_static)
        for i, leaf in enumerate(leaves)
    ]
    if not _is_tree(function) and all(traced[first_argument:]):
        return Call(jax.jit(_copy_of(function)), args, kwargs)
    arrays = [leaf for leaf, is_traced in zip(leaves, traced, strict=True) if is_traced]
    static = [leaf for leaf, is_traced in zip(leaves, traced, strict=True) if not is_traced]

    def call(arrays: list[Any]) -> list[Any]:
        rest, values = iter(static), iter(arrays)
        merged = [next(values) if is_traced else next(rest) for is_traced in traced]
        inner, inner_args, inner_kwargs = jax.tree.unflatten(tree, merged)
        result = jax.tree.leaves(inner(*inner_args, **inner_kwargs))
        return [leaf for leaf in result if is_array(leaf) or is_number(leaf)]

    return Call(
        jax.jit(call), (arrays,), {}, _notes(leaves[first_argument:], traced[first_argument:])
    )


def _copy_of(function: Any) -> Any:
    """A new function that does the same, so that JAX's caches of ``function`` stay as they are."""

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return call


def _notes(leaves: list[Any], traced: list[bool]) -> tuple[str, ...]:
    static = [leaf for leaf, is_traced in zip(leaves, traced, strict=True) if not is_traced]
    if not static:
        return ()
    named = ", ".join(dict.fromkeys(describe(value) for value in static[:5]))
    more = ", …" if len(static) > 5 else ""
    return (
        f"Treated as static, because jax.jit traces only arrays and numbers: {named}{more}. "
        "In your own jax.jit, name these arguments in static_argnames.",
    )


def is_jitted(function: Any) -> bool:
    """Whether ``jax.jit`` made it."""
    is_wrapped = isinstance(function, jax.stages.Wrapped) and hasattr(function, "trace")
    return is_wrapped and not answers_all(function)


_REF: Any = getattr(jax, "Ref", jax.Array)  # which older versions of JAX have not


def is_array(value: Any) -> bool:
    """Whether ``jax.jit`` traces it as an array."""
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind not in "OSUMm"
    turns_into_one = harmless.attribute(type(value), "__jax_array__") is not None
    return turns_into_one or isinstance(value, jax.Array | jax.ShapeDtypeStruct | _REF)


def is_number(value: Any) -> bool:
    """Whether ``jax.jit`` traces it as a weakly typed array without axes."""
    return isinstance(value, bool | int | float | complex)


def _is_tree(value: Any) -> bool:
    """Whether JAX can look inside: a container, or an object of a registered class."""
    return not jax.tree_util.treedef_is_leaf(jax.tree.structure(value))


def _module_of(function: Any) -> str:
    return str(getattr(type(function), "__module__", ""))
