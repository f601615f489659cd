"""What a PyTorch call is in JAX, as it would be written in its place."""

import ast
import re
from typing import Any

import torch

from jaxvstorch._port.filling import filled, node_at
from jaxvstorch._port.map.rows import rows
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.values import DTYPES
from jaxvstorch._port.report import Place, PortCall

_METHODS = {"Add": "add", "Mult": "multiply", "Div": "divide", "Pow": "power"}  # of x.at[i]


def becoming(name: str, place: Place, call: Call, result: Any) -> str | None:
    """The JAX for a call, with the arguments as they stand in the source.

    Args:
        name: of the function, in the map or not.
        place: where it is called.
        call: the call, with its values.
        result: what PyTorch gave.
    """
    node = node_at(place)
    if name == "Tensor.__getitem__" and isinstance(node, ast.AugAssign):  # of x[i] += v
        node = node.target
    if name == "Tensor.__setitem__":
        return None if node is None else written(node)
    if name in ("Tensor.to", "Tensor.type_as") and isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Attribute):  # a method that goes by another name
            return None
        return cast(node, call.args[0], result)
    return filled(name, node, kinds(call)) if name in rows() else None


def kinds(call: Call) -> tuple[str, ...]:
    """The types of a call's arguments, by the names that they have in the map's expressions."""
    return tuple("tuple" if isinstance(a, tuple) else type(a).__name__ for a in call.args)


def written(node: ast.AST) -> str:
    """``x[i] = v`` as ``x = x.at[i].set(v)``."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=array, slice=places)], value=value):
            method = "set"
        case ast.AugAssign(target=ast.Subscript(value=array, slice=places), value=value):
            name = type(node.op).__name__
            if name == "Sub":
                method, value = "add", ast.UnaryOp(ast.USub(), value)
            elif name in _METHODS:
                method = _METHODS[name]
            else:
                return "x = x.at[i].apply(f)"
        case _:
            return "x = x.at[i].set(v)"
    at = ast.Subscript(ast.Attribute(array, "at", ast.Load()), places, ast.Load())
    return f"{ast.unparse(array)} = {ast.unparse(at)}.{method}({ast.unparse(value)})"


def cast_text(found: PortCall) -> str:
    """What a cast adds to its array: ``.astype(…)``, or nothing."""
    added = re.search(r"\.astype\(jnp\.\w+\)$", found.becomes or "")
    return added.group() if added else ""


def cast(node: ast.Call, before: Any, after: Any) -> str:
    """``x.to(…)``: a cast where the dtype changes, and nothing where only the device does."""
    assert isinstance(node.func, ast.Attribute)
    x = ast.unparse(node.func.value)
    if not isinstance(before, torch.Tensor) or before.dtype == after.dtype:
        return x
    dtype = DTYPES[after.dtype]
    return f"{x}.astype(jnp.{getattr(dtype, '__name__', 'bool_')})"
