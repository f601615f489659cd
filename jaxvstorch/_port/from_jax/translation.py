"""Writes a JAX call in PyTorch: the map read backwards, with the call's own arguments."""

import ast
import inspect
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, reduce
from typing import Any

import jax
import jax.numpy as jnp
import optax
from jax import lax

from jaxvstorch._port.filling import filled_tree, node_at
from jaxvstorch._port.imports import imported
from jaxvstorch._port.map.lookup import in_expressions
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.report_data import Location

_SHORT = {"jax.numpy.": "jnp.", "jax.lax.": "lax.", "flax.nnx.": "nnx."}
_MODULES = {"jax": jax, "jnp": jnp, "lax": lax, "optax": optax}
_UPDATES = {"set": "=", "add": "+=", "multiply": "*=", "mul": "*=", "divide": "/=", "power": "**="}
_VALUES = ("input", "other")  # arrays, whose parameters have defaults in torch.where
_OPERATORS = (ast.BinOp, ast.Compare, ast.UnaryOp, ast.Subscript)


def jax_name(location: Location) -> str | None:
    """The map's name for the JAX function that is called at a location."""
    node = node_at(location)
    if isinstance(node, _OPERATORS):
        return "operator" if not isinstance(node, ast.Subscript) else "index"
    if not isinstance(node, ast.Call):
        return None
    if (update := _update(node)) is not None:
        return f"x.at[i].{update[0]}"
    name = _qualified(location.file, node.func)
    if name is not None:
        return name
    if isinstance(node.func, ast.Attribute):
        return _method(node.func.attr)
    return None


def in_torch(location: Location) -> str | None:
    """The PyTorch for the call at a location, by the first row of the map that fits it."""
    node = node_at(location)
    if isinstance(node, ast.Subscript) and _has_negative_step(node.slice):
        return _flipped(node)
    if isinstance(node, _OPERATORS):
        return ast.unparse(node)
    name = jax_name(location)
    if name is None or not isinstance(node, ast.Call):
        return None
    if (update := _update(node)) is not None:
        return update[1]
    call = node
    if _qualified(location.file, node.func) is None and isinstance(node.func, ast.Attribute):
        call = ast.Call(node.func, [node.func.value, *node.args], node.keywords)
    for row in in_expressions().get(name, []):
        if row.called is not None or row.name.startswith("Tensor."):
            continue  # a module, or a method, for which there is a function of the same name
        with suppress(ValueError, TypeError, AttributeError, KeyError, IndexError):
            return _torch_call(row, name, call)
    return None


def _has_negative_step(index: ast.expr) -> bool:
    """Whether an index has a slice with a negative step, which PyTorch does not take."""
    return any(
        isinstance(part, ast.Slice) and isinstance(part.step, ast.UnaryOp)
        for part in ast.walk(index)
    )


def _flipped(node: ast.Subscript) -> str | None:
    """``x[:, ::-1]`` as ``torch.flip(x, (1,))``; None where it does more than reverse axes."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    texts = [ast.unparse(part) for part in parts]
    if not {*texts} <= {":", "::-1", "..."} or "..." in texts[1:]:
        return None
    first = 1 - len(texts) if texts[0] == "..." else 0
    axes = range(first - 1, 0) if first < 0 else range(len(texts))
    reversed_axes = tuple(a for a, text in zip(axes, texts, strict=True) if text == "::-1")
    return f"torch.flip({ast.unparse(node.value)}, {reversed_axes})"


def _update(node: ast.Call) -> tuple[str, str | None] | None:
    """``x.at[i].add(v)``: its method, and the statement in PyTorch, which changes its array."""
    match node:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(value=ast.Attribute(value=x, attr="at"), slice=i), attr=method
            ),
        ):
            if method not in _UPDATES or len(node.args) != 1 or _has_negative_step(i):
                return method, None
            target = ast.unparse(ast.Subscript(x, i, ast.Load()))
            return method, f"{target} {_UPDATES[method]} {ast.unparse(node.args[0])}"
    return None


def accumulated(location: Location) -> str | None:
    """``x.at[i].add(v)`` in PyTorch where an index occurs twice; None for any other call."""
    match node_at(location):
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(value=ast.Attribute(value=x, attr="at"), slice=i), attr="add"
            ),
            args=[value],
        ) if not isinstance(value, ast.Constant):
            parts = i.elts if isinstance(i, ast.Tuple) else [i]
            if any(isinstance(part, ast.Slice | ast.Constant) for part in parts):
                return None
            indices = ast.unparse(ast.Tuple(parts, ast.Load()))
            return f"{ast.unparse(x)}.index_put_({indices}, {ast.unparse(value)}, accumulate=True)"
    return None


def _qualified(file: str, node: ast.expr) -> str | None:
    name = imported(file, node)
    if name is None:
        return None
    for long, short in _SHORT.items():
        if name.startswith(long):
            return short + name.removeprefix(long)
    return name


def _method(name: str) -> str | None:
    """The function of the same name as an array's method."""
    return f"jnp.{name}" if f"jnp.{name}" in in_expressions() else None


@cache
def _signature(name: str) -> inspect.Signature:
    module, *rest = name.split(".")
    return inspect.signature(reduce(getattr, rest, _MODULES[module]))


def _torch_call(row: Row, name: str, call: ast.Call) -> str:
    """A row's PyTorch call, where its JAX is this call.

    The call's arguments replace the row's parameters. The row itself checks the result: filled in
    again, it must give the same JAX call.

    Raises:
        ValueError: the row is another call.
        TypeError: the arguments do not fit the JAX function.
    """
    signature = _signature(name)
    arguments = _all_arguments(signature, call)
    for pattern, index in _calls(row, name):
        expected = _all_arguments(signature, pattern)
        values: dict[str, ast.expr] = {}
        for parameter, argument in arguments.items():
            if ast.unparse(argument) != "None":  # left out in JAX, it is left out in PyTorch
                values |= _solved(expected[parameter], argument, row)
        text = _written(row, values)
        again = filled_tree(row.name, _parsed(text))
        again = again.elts[int(index[1:-1])] if isinstance(again, ast.Tuple) else again
        if not isinstance(again, ast.Call) or ast.unparse(again.func) != name:
            continue
        if _dumped(_all_arguments(signature, again)) == _dumped(arguments):
            return text + index
    raise ValueError("the row is another call")


def _calls(row: Row, name: str) -> Iterator[tuple[ast.Call, str]]:
    """The calls of a JAX function in a row, and the index of each among several results."""
    expression = _parsed(row.expression or "0")
    several = expression.elts if isinstance(expression, ast.Tuple) else [expression]
    for position, node in enumerate(several):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
            yield node, f"[{position}]" * isinstance(expression, ast.Tuple)


def _all_arguments(signature: inspect.Signature, call: ast.Call) -> dict[str, ast.expr]:
    """Each argument of a call, and the defaults of those that it leaves out."""
    named = {word.arg: word.value for word in call.keywords if word.arg}
    if len(named) < len(call.keywords) or any(isinstance(a, ast.Starred) for a in call.args):
        raise ValueError("unpacked arguments")
    arguments = signature.bind(*call.args, **named).arguments
    defaults = {n: _constant(p.default) for n, p in signature.parameters.items()}
    return defaults | arguments


def _constant(value: Any) -> ast.expr:
    try:
        return _parsed(repr(value))
    except SyntaxError:  # an object that only JAX makes
        return ast.Name("_", ast.Load())


def _solved(expected: ast.expr, argument: ast.expr, row: Row) -> dict[str, ast.expr]:
    """The parameters that turn a row's expression into this argument, as far as they are clear."""
    match expected:
        case ast.Name(id=name) if name in row.parameters:
            return {name: argument}
        case ast.IfExp(body=body, orelse=orelse):
            return _solved(orelse, argument, row) or _solved(body, argument, row)
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq()], comparators=[value]):
            return {name: value} if ast.unparse(argument) == "True" else {}
    return {}


def _written(row: Row, values: dict[str, ast.expr]) -> str:
    """The PyTorch call with these arguments: options by name, and no defaults."""
    parts, by_name = [], False
    for parameter, default in row.parameters.items():
        value = values.get(parameter)
        if value is None and default is None:
            raise ValueError(f"{parameter} is not given")
        if value is None or (default is not None and ast.dump(value) == ast.dump(default)):
            by_name = True
            continue
        by_name = by_name or (default is not None and parameter not in _VALUES)
        text = ast.unparse(value)
        parts.append(f"{parameter}={text}" if by_name else text)
    return f"{row.name}({', '.join(parts)})"


def _dumped(arguments: dict[str, ast.expr]) -> dict[str, str]:
    return {name: ast.dump(value) for name, value in arguments.items()}


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
