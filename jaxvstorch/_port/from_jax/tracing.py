"""The jaxpr of a call: its arrays are traced, and what else it is given is what it is."""

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
import numpy as np

_ARRAYS = (jax.Array, np.ndarray, np.generic)


def traced(function: Callable[..., Any], args: Any, kwargs: Any) -> tuple[Any, list[Any]]:
    """The jaxpr of a call, and the arrays that it takes.

    Numbers of Python's, flags and functions stay what they are, whether they are arguments or
    part of one, as of a module of equinox. Of what comes back the arrays are kept.
    """
    function, args = _with_module(function, args)
    leaves, tree = jax.tree.flatten((args, kwargs))
    arrays = [leaf for leaf in leaves if isinstance(leaf, _ARRAYS)]

    @wraps(function)  # an error names it
    def of_arrays(*tracers: Any) -> list[Any]:
        rest = iter(tracers)
        merged = [next(rest) if isinstance(leaf, _ARRAYS) else leaf for leaf in leaves]
        args, kwargs = jax.tree.unflatten(tree, merged)
        result = jax.tree.leaves(function(*args, **kwargs))
        return [leaf for leaf in result if isinstance(leaf, _ARRAYS)]

    try:
        return jax.make_jaxpr(of_arrays)(*arrays), arrays
    except Exception as error:
        if "trace level" in str(error):  # flax's words
            error.add_note("port traces the function: pass the module to it as an argument")
        raise


def _with_module(function: Callable[..., Any], args: Any) -> tuple[Callable[..., Any], Any]:
    """A function of which a flax module is an argument: otherwise its state could not change."""
    nnx = sys.modules.get("flax.nnx")
    owner = getattr(function, "__self__", function)
    if nnx is None or not isinstance(owner, nnx.Module):
        return function, args
    if owner is not function:
        return function.__func__, (owner, *args)  # type: ignore[attr-defined]
    return lambda module, *args, **kwargs: module(*args, **kwargs), (owner, *args)
