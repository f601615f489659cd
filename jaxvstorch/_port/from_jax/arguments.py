"""A call's arguments as PyTorch takes them, each with what shows it."""

import ast
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

from jaxvstorch._frameworks.torch import from_numpy
from jaxvstorch._port.from_jax.defaults import SCOPE
from jaxvstorch._port.from_jax.fitting import Argument, is_plain
from jaxvstorch._port.from_jax.layers import COMPOSED, is_layer_row, row_of
from jaxvstorch._port.from_jax.names import name_of
from jaxvstorch._port.from_jax.translation import in_torch
from jaxvstorch._port.map.running.values import DTYPES
from jaxvstorch._port.report_data import Location

_DTYPE = type(jnp.float32)
_PYTHONS = {bool: torch.bool, int: torch.int32, float: torch.float32, complex: torch.complex64}


def arguments_of(
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    node: ast.Call | None,
    file: str,
    known: Mapping[Location, ast.expr],
    name: str = "",
) -> tuple[list[Argument], dict[str, Argument]]:
    """The arguments of a call, each with what a reader wrote, translated."""
    written: list[ast.expr | None] = [None] * len(args)
    named: dict[str, ast.expr] = {}
    if node is not None:
        given = _unpacked(node.args, len(args) - name.startswith("Array."))
        if name.startswith("Array.") and isinstance(node.func, ast.Attribute):
            given = [node.func.value, *given]
        if len(given) == len(args):
            written = list(given)
        for word in node.keywords:
            if word.arg:
                named[word.arg] = word.value
            else:
                named = {k: _item(word.value, k) for k in kwargs if k not in named} | named
    names = _parameter_names(name, len(args))
    positional = [
        _argument(value, part, own, file, known)
        for value, part, own in zip(args, written, names, strict=True)
    ]
    by_name = {
        key: _argument(value, named.get(key), key, file, known) for key, value in kwargs.items()
    }
    return positional, by_name


def _unpacked(written: Sequence[ast.expr], count: int) -> list[ast.expr]:
    """What stands for each of some arguments; for ``*parts``, ``parts[0]`` and so on."""
    starred = [i for i, argument in enumerate(written) if isinstance(argument, ast.Starred)]
    if len(starred) != 1:
        return list(written)
    (i,) = starred
    value = written[i].value  # type: ignore[attr-defined]
    several = [_item(value, n) for n in range(count - len(written) + 1)]
    if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(several):
        several = value.elts
    return [*written[:i], *several, *written[i + 1 :]]


def _item(container: ast.expr, key: int | str) -> ast.expr:
    return ast.Subscript(container, ast.Constant(key), ast.Load())


def _argument(
    value: Any, node: ast.expr | None, name: str, file: str, known: Mapping[Location, ast.expr]
) -> Argument:
    if (function := name_of_function(value)) is not None:
        return function_argument(function)
    if isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        return Argument(None, ast.Name("key", ast.Load()))  # a generator stands for it
    is_dtype = isinstance(value, str) and name in ("dtype", "new_dtype")
    value = to_torch(np.dtype(value) if is_dtype else value)
    if isinstance(value, torch.dtype):
        return Argument(value, ast.parse(str(value), mode="eval").body)
    if node is not None:
        return Argument(value, in_torch(node, file, known))
    if isinstance(value, list | tuple) and is_plain(value):
        return Argument(value, ast.parse(repr(value), mode="eval").body)
    is_number = isinstance(value, bool | int | float | str | None)
    return Argument(value, ast.Constant(value) if is_number else ast.Name(name, ast.Load()))


def name_of_function(value: Any) -> str | None:
    """The name of a function of JAX; a dtype is none."""
    return name_of(value) if callable(value) and not isinstance(value, type | _DTYPE) else None


def function_argument(name: str) -> Argument:
    """A function of JAX as an argument of another, such as ``jnp.add`` in ``jax.tree.map``.

    Raises:
        ValueError: the map has no line for it.
    """
    row = row_of(name)
    if row is None or row.expression is None or row.made is None or row.called is not None:
        raise ValueError(f"the map has no line for {name} in PyTorch")
    tree = ast.parse(row.source(row.expression), mode="eval").body
    match tree:
        case ast.Lambda(args=arguments, body=ast.Call(func=function, args=args, keywords=[])):
            names = [a.arg for a in [*arguments.posonlyargs, *arguments.args]]
            if list(map(ast.unparse, args)) == names and not arguments.kwonlyargs:
                tree = function
    return Argument(eval(ast.unparse(tree), dict(SCOPE)), tree)


def _parameter_names(name: str, count: int) -> list[str]:
    row = row_of(name) if name else None
    given: list[str] = ["x"] if name in COMPOSED else []
    if row is not None and row.made is not None:
        given = row.taken(second=is_layer_row(row))
    return [*given, *(f"x{i}" for i in range(count))][:count]


def to_torch(value: Any) -> Any:
    """A value of JAX's as PyTorch takes it.

    Raises:
        TypeError: a random key, or a function.
    """
    if isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        raise TypeError("a random key")
    if isinstance(value, jax.Array | np.ndarray | np.generic):
        tensor: torch.Tensor = from_numpy(np.asarray(value))
        return tensor
    if isinstance(value, type) and issubclass(value, np.generic):
        return _dtypes()[np.dtype(value)]
    if isinstance(value, np.dtype | _DTYPE):
        return _dtypes()[np.dtype(getattr(value, "dtype", value))]
    if isinstance(value, type) and value in (bool, int, float, complex):
        return _PYTHONS[value]
    if type(value) is list:
        return [to_torch(item) for item in value]
    if isinstance(value, tuple):
        return tuple(to_torch(item) for item in value)
    if isinstance(value, dict):
        return {key: to_torch(item) for key, item in value.items()}
    if isinstance(value, slice):
        return slice(*map(to_torch, (value.start, value.stop, value.step)))
    if callable(value):
        raise TypeError("it takes a function, which is PyTorch's own there")
    return value


@cache
def _dtypes() -> dict[np.dtype, torch.dtype]:
    return {np.dtype(theirs): ours for ours, theirs in DTYPES.items()}
