"""The map of names read from JAX to PyTorch, with the reader's own arguments."""

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

from jaxvstorch._port.filling import node_at, put
from jaxvstorch._port.imports import imported
from jaxvstorch._port.map.lookup import of_jax
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.report import Place

_SHORT = {"jax.numpy.": "jnp.", "jax.lax.": "lax.", "flax.nnx.": "nnx."}
_MODULES = {"jax": jax, "jnp": jnp, "lax": lax, "optax": optax}
_UPDATES = {"set": "=", "add": "+=", "multiply": "*=", "mul": "*=", "divide": "/=", "power": "**="}
_VALUES = ("input", "other")  # arrays, whose parameters have defaults in torch.where
_OPERATORS = (ast.BinOp, ast.Compare, ast.UnaryOp, ast.Subscript)


def jax_name(place: Place) -> str | None:
    """The JAX function that is called at a place, as the map names it."""
    node = node_at(place)
    if isinstance(node, _OPERATORS):
        return "operator" if not isinstance(node, ast.Subscript) else "index"
    if not isinstance(node, ast.Call):
        return None
    if (update := _update(node)) is not None:
        return f"x.at[i].{update[0]}"
    name = _qualified(place.file, node.func)
    if name is not None:
        return name
    if isinstance(node.func, ast.Attribute):
        return _method(node.func.attr)
    return None


def in_torch(place: Place) -> str | None:
    """The PyTorch for a call at a place, by the first line of the map that fits it."""
    node = node_at(place)
    if isinstance(node, ast.Subscript) and _backwards_in(node.slice):
        return _flipped(node)
    if isinstance(node, _OPERATORS):
        return ast.unparse(node)
    name = jax_name(place)
    if name is None or not isinstance(node, ast.Call):
        return None
    if (update := _update(node)) is not None:
        return update[1]
    given = node
    if _qualified(place.file, node.func) is None and isinstance(node.func, ast.Attribute):
        given = ast.Call(node.func, [node.func.value, *node.args], node.keywords)
    for row in of_jax().get(name, []):
        if row.called is not None or row.name.startswith("Tensor."):
            continue  # a module, or a method, of which a function of the same name says the same
        with suppress(ValueError, TypeError, AttributeError, KeyError, IndexError):
            return _turned(row, name, given)
    return None


def _backwards(part: ast.AST) -> bool:
    """Whether a slice has a negative step, which PyTorch does not take."""
    return isinstance(part, ast.Slice) and isinstance(part.step, ast.UnaryOp)


def _flipped(node: ast.Subscript) -> str | None:
    """``x[:, ::-1]`` as ``torch.flip(x, (1,))``; None where it takes or skips something too."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    texts = [ast.unparse(part) for part in parts]
    if not {*texts} <= {":", "::-1", "..."} or "..." in texts[1:]:
        return None
    first = 1 - len(texts) if texts[0] == "..." else 0
    places = range(first - 1, 0) if first < 0 else range(len(texts))
    axes = tuple(place for place, text in zip(places, texts, strict=True) if text == "::-1")
    return f"torch.flip({ast.unparse(node.value)}, {axes})"


def _update(node: ast.Call) -> tuple[str, str | None] | None:
    """``x.at[i].add(v)``: its method, and the statement in PyTorch, which changes its array."""
    match node:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(value=ast.Attribute(value=x, attr="at"), slice=i), attr=method
            ),
        ):
            if method not in _UPDATES or len(node.args) != 1 or _backwards_in(i):
                return method, None
            place = ast.unparse(ast.Subscript(x, i, ast.Load()))
            return method, f"{place} {_UPDATES[method]} {ast.unparse(node.args[0])}"
    return None


def _backwards_in(places: ast.expr) -> bool:
    return any(map(_backwards, ast.walk(places)))


def accumulated(place: Place) -> str | None:
    """``x.at[i].add(v)`` where a place comes twice; None of what has no such call."""
    match node_at(place):
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(value=ast.Attribute(value=x, attr="at"), slice=i), attr="add"
            ),
            args=[value],
        ) if not isinstance(value, ast.Constant):
            parts = i.elts if isinstance(i, ast.Tuple) else [i]
            if any(isinstance(part, ast.Slice | ast.Constant) for part in parts):
                return None
            places = ast.unparse(ast.Tuple(parts, ast.Load()))
            return f"{ast.unparse(x)}.index_put_({places}, {ast.unparse(value)}, accumulate=True)"
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
    """The function that an array's method is."""
    return f"jnp.{name}" if f"jnp.{name}" in of_jax() else None


@cache
def _signature(name: str) -> inspect.Signature:
    module, *rest = name.split(".")
    return inspect.signature(reduce(getattr, rest, _MODULES[module]))


def _turned(row: Row, name: str, call: ast.Call) -> str:
    """A row's PyTorch call, where its JAX is this call.

    The reader's arguments are put in the places where the row has its parameters. That what comes
    of it is right, the row itself says: filled in again, it must give the reader's call.

    Raises:
        ValueError: it is another one.
        TypeError: the arguments do not fit the JAX function.
    """
    signature = _signature(name)
    given = _all(signature, call)
    for pattern, end in _calls(row, name):
        expected = _all(signature, pattern)
        found: dict[str, ast.expr] = {}
        for parameter, theirs in given.items():
            if ast.unparse(theirs) != "None":  # what is left out here is left out there
                found |= _solved(expected[parameter], theirs, row)
        text = _written(row, found)
        again = put(row.name, _parsed(text))
        again = again.elts[int(end[1:-1])] if isinstance(again, ast.Tuple) else again
        if not isinstance(again, ast.Call) or ast.unparse(again.func) != name:
            continue
        if _dumped(_all(signature, again)) == _dumped(given):
            return text + end
    raise ValueError("the row is another call")


def _calls(row: Row, name: str) -> Iterator[tuple[ast.Call, str]]:
    """Where a row calls a function of JAX, and what takes that out of several results."""
    expression = _parsed(row.expression or "0")
    several = expression.elts if isinstance(expression, ast.Tuple) else [expression]
    for number, node in enumerate(several):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
            yield node, f"[{number}]" * isinstance(expression, ast.Tuple)


def _all(signature: inspect.Signature, call: ast.Call) -> dict[str, ast.expr]:
    """Each argument of a call, and the defaults of those that it leaves out."""
    named = {word.arg: word.value for word in call.keywords if word.arg}
    if len(named) < len(call.keywords) or any(isinstance(a, ast.Starred) for a in call.args):
        raise ValueError("unpacked arguments")
    given = signature.bind(*call.args, **named).arguments
    defaults = {n: _constant(p.default) for n, p in signature.parameters.items()}
    return defaults | given


def _constant(value: Any) -> ast.expr:
    try:
        return _parsed(repr(value))
    except SyntaxError:  # an object that only JAX makes
        return ast.Name("_", ast.Load())


def _solved(expected: ast.expr, theirs: ast.expr, row: Row) -> dict[str, ast.expr]:
    """The parameters of a row that make one of its arguments this one, as far as one can tell."""
    match expected:
        case ast.Name(id=name) if name in row.parameters:
            return {name: theirs}
        case ast.IfExp(body=body, orelse=orelse):
            return _solved(orelse, theirs, row) or _solved(body, theirs, row)
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq()], comparators=[value]):
            return {name: value} if ast.unparse(theirs) == "True" else {}
    return {}


def _written(row: Row, found: dict[str, ast.expr]) -> str:
    """The PyTorch call with these arguments: settings by name, and none that is its default."""
    parts, by_name = [], False
    for parameter, default in row.parameters.items():
        value = found.get(parameter)
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
