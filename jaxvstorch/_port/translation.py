"""Writes a PyTorch call in JAX, as the source would have it."""

import ast
import re
from typing import Any

import torch

from jaxvstorch._port.filling import filled, filled_module, node_at
from jaxvstorch._port.judging import settings_of
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.values import DTYPES
from jaxvstorch._port.report_data import Location, PortCall

_METHODS = {"Add": "add", "Mult": "multiply", "Div": "divide", "Pow": "power"}  # of x.at[i]


def function_in_jax(name: str, location: Location, call: Call, result: Any) -> str | None:
    """The JAX for a function's call, with its arguments as in the source.

    Args:
        name: of the function, in the map or not.
        location: where it is called.
        call: the call, with its values.
        result: PyTorch's result.
    """
    node = node_at(location)
    if name == "Tensor.__getitem__" and isinstance(node, ast.AugAssign):  # of x[i] += v
        node = node.target
    if name == "Tensor.__setitem__":
        return None if node is None else functional_update(node)
    if name in ("Tensor.to", "Tensor.type_as") and isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Attribute):  # a method under another name
            return None
        return _cast(node, call.args[0], result)
    return filled(name, node, argument_types(call)) if name in rows() else None


def module_in_jax(row: Row, location: Location, module: torch.nn.Module) -> str | None:
    """The JAX for a call of a module."""
    defaults = {name: value for name, value in row.parameters.items() if value is not None}
    settings = {name: _literal(value) for name, value in settings_of(row, module).items()}
    text = filled_module(row, location, defaults | settings)
    if text and "BatchNorm" in row.name and getattr(module, "running_mean", None) is not None:
        return text.replace(", None)", f", use_running_average={not module.training})")
    return text


def optimizer_in_jax(row: Row, location: Location, optimizer: torch.optim.Optimizer) -> str | None:
    """The JAX for an optimizer, with the settings of its first group."""
    group = optimizer.param_groups[0].items()
    settings = {name: _literal(value) for name, value in group if name != "params"}
    return filled_module(meaning(row), location, settings)


def argument_types(call: Call) -> tuple[str, ...]:
    """The types of a call's arguments, by the names that they have in the map's expressions."""
    return tuple("tuple" if isinstance(a, tuple) else type(a).__name__ for a in call.args)


def functional_update(node: ast.AST) -> str:
    """``x[i] = v`` as ``x = x.at[i].set(v)``."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=array, slice=index)], value=value):
            method = "set"
        case ast.AugAssign(target=ast.Subscript(value=array, slice=index), value=value):
            name = type(node.op).__name__
            if name == "Sub":
                method, value = "add", ast.UnaryOp(ast.USub(), value)
            elif name in _METHODS:
                method = _METHODS[name]
            else:
                return "x = x.at[i].apply(f)"
        case _:
            return "x = x.at[i].set(v)"
    at = ast.Subscript(ast.Attribute(array, "at", ast.Load()), index, ast.Load())
    return f"{ast.unparse(array)} = {ast.unparse(at)}.{method}({ast.unparse(value)})"


def cast_suffix(call: PortCall) -> str:
    """What a cast adds to its array: ``.astype(…)``, or nothing."""
    match = re.search(r"\.astype\(jnp\.\w+\)$", call.becomes or "")
    return match.group() if match else ""


def _cast(node: ast.Call, before: Any, after: Any) -> str:
    """``x.to(…)``: a cast where the dtype changes, and nothing where only the device does."""
    assert isinstance(node.func, ast.Attribute)
    x = ast.unparse(node.func.value)
    if not isinstance(before, torch.Tensor) or before.dtype == after.dtype:
        return x
    dtype = DTYPES[after.dtype]
    return f"{x}.astype(jnp.{getattr(dtype, '__name__', 'bool_')})"


def _literal(value: Any) -> ast.expr:
    """A value as it would be written."""
    try:
        return ast.parse(repr(value), mode="eval").body
    except SyntaxError:
        return ast.Name("...", ast.Load())
