"""A PyTorch call's arguments, as the map's JAX expression takes them."""

import ast
from typing import Any

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.values import PLACES, to_jax


class RefusedError(Exception):
    """A parameter has another value than its default, and the map does not translate it."""


def jax_arguments(row: Row, call: Call, second: bool = False) -> tuple[list[Any], dict[str, Any]]:
    """A call's arguments for JAX, without those that say where PyTorch keeps an array.

    Args:
        row: of what is called.
        call: in PyTorch.
        second: whether it is the second call of a module's line.

    Raises:
        RefusedError: an argument is named as refused, and is not its default.
    """
    kwargs = {k: v for k, v in call.kwargs.items() if k not in PLACES or k in row.parameters}
    given = dict(zip(row.taken(second), call.args, strict=False)) | kwargs
    for name in row.refused:
        default = row.parameters[name]
        if name in given and default is not None and given[name] != ast.literal_eval(default):
            raise RefusedError(name)
    return to_jax(list(call.args)), to_jax(kwargs)
