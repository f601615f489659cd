"""Tells values that are part of the program from data that the program reads."""

import functools
import logging
import random
import re
import threading
import types
from typing import Any

import numpy as np

from jaxvstorch._explain.python import harmless

_FUNCTIONS = (
    type, types.FunctionType, types.MethodType, types.BuiltinFunctionType, np.ufunc,
    functools.partial,
)  # fmt: skip
# Objects whose methods are called, and whose state does not become part of a program.
_TOOLS = (
    logging.Logger, logging.LoggerAdapter, re.Pattern, random.SystemRandom, type(threading.Lock()),
    type(threading.RLock()),
)  # fmt: skip
_KINDS = (*_FUNCTIONS, types.ModuleType, types.GenericAlias, np.dtype, type(None), *_TOOLS)
_FRAMEWORKS = ("jax", "jaxlib", "torch", "optax")
# Data of the frameworks; all their other objects, such as an optimizer, belong to the program. A
# reference of JAX does too: the program reads and writes what it refers to.
_ARRAYS = {"Array", "Tensor"}
_MOST_INSIDE = 100


def is_code(value: Any) -> bool:
    """Whether a value is part of the program rather than data: a function, an optimizer."""
    kind = type(value)
    if harmless.is_a(value, *_KINDS) or harmless.module_of(kind) == "typing":
        return True
    if harmless.is_container(value):
        return _holds_functions(value)
    if _is_frameworks(kind):
        return True
    return callable(value) and not any(map(_is_array, harmless.everything_in(value, _MOST_INSIDE)))


def _is_frameworks(kind: type) -> bool:
    """Whether a class is a framework's but no array class, or is a kind of optimizer."""
    bases = harmless.bases(kind)
    if any(harmless.module_of(base).startswith("torch.optim") for base in bases):
        return True
    is_theirs = harmless.comes_from(kind, *_FRAMEWORKS)
    return is_theirs and not any(base.__name__.rpartition(".")[2] in _ARRAYS for base in bases)


def _is_array(value: Any) -> bool:
    """Whether it is an array whose numbers ``jax.jit`` builds into the program."""
    kind = type(value)
    return harmless.is_a(value, np.ndarray) or (
        harmless.comes_from(kind, "jax", "jaxlib") and not _is_frameworks(kind)
    )


def _holds_functions(value: Any) -> bool:
    """Whether a container holds only functions; one that cannot change may hold constants too."""
    inside = harmless.contents(value) or []
    if harmless.is_a(value, dict):
        inside = inside[1::2]
    if len(inside) > _MOST_INSIDE or not any(map(is_function, inside)):
        return False
    may_hold = _is_constant if harmless.is_a(value, tuple) else is_function
    return all(map(may_hold, inside))


def is_function(value: Any) -> bool:
    """Whether a value is a function, or a framework's object that can be called."""
    is_theirs = harmless.comes_from(type(value), *_FRAMEWORKS) and callable(value)
    return harmless.is_a(value, *_FUNCTIONS) or is_theirs


def _is_constant(value: Any) -> bool:
    return harmless.is_simple(value) or is_code(value)
