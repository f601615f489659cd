"""The ways to do a call of the reader's in PyTorch, by the map and by what it is."""

import ast
import copy
from collections.abc import Iterator, Mapping
from typing import Any

import jax.numpy as jnp
import torch

from jaxvstorch._port.filling import node_at
from jaxvstorch._port.from_jax.arguments import arguments_of, to_torch
from jaxvstorch._port.from_jax.candidate import Candidate
from jaxvstorch._port.from_jax.fitting import Argument, Fitted, bind, fit
from jaxvstorch._port.from_jax.layer_calls import of_composed, of_layer
from jaxvstorch._port.from_jax.layers import COMPOSED, is_layer_row, row_of
from jaxvstorch._port.from_jax.translation import (
    accumulated,
    flipped,
    has_negative_step,
    in_torch,
    statement,
    update,
)
from jaxvstorch._port.from_jax.watcher import WatchedCall
from jaxvstorch._port.from_jax.watching import as_expression
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.report_data import Location

NO_LINE = "the map has no line for it in PyTorch"
_TERMS: dict[Any, str] = {ast.Add: "add", ast.Sub: "sub", ast.MatMult: "torch.matmul"}
_DTYPE = type(jnp.float32)


def candidates(
    call: WatchedCall, args: Any, kwargs: Any, weights: Any, known: Any, repeated: bool
) -> Iterator[Candidate]:
    """The ways to do a call in PyTorch, the best first."""
    node = node_at(call.location) if call.is_written else None
    file = call.location.file
    if call.name in ("operator", "index", "iter") or call.name.startswith("."):
        yield from _of_operator(call, args, node, known)
        return
    written = node if isinstance(node, ast.Call) else None
    if written is not None and update(written) is not None:
        yield from _of_update(call, args, written, known, repeated)
        return
    if call.skipped and written is not None:
        written = ast.Call(written.func, written.args[call.skipped :], written.keywords)
    if call.name in COMPOSED:
        yield from of_composed(call, args, kwargs, weights, written, known)
        return
    if call.name.startswith("jnp.") and isinstance(call.function, _DTYPE):
        yield from _of_dtype(call, args, written, known)
        return
    row = row_of(call.name)
    if row is None:
        raise ValueError(NO_LINE)
    if row.expression is None:
        raise ValueError(f"in PyTorch, {row.option('instead')}")
    if call.made is not None:
        yield _of_initializer(call, row, args, kwargs, written, known)
        return
    if row.made is None or (row.called is not None) is not bool(is_layer_row(row)):
        raise ValueError(NO_LINE)
    if is_layer_row(row):
        yield of_layer(call, row, args, kwargs, weights, written, known)
        return
    positional, named = arguments_of(args, kwargs, written, file, known, call.name)
    bound = bind(row.made, row, positional, named)
    failure: Exception | None = None
    fitted_any = False
    for trial in _with_tensors(bound, row):
        try:
            fitted = fit(row.expression, trial)
        except (AttributeError, TypeError) as error:  # of a number, which has no ndim
            failure = error
            continue
        fitted_any = True
        yield Candidate(fitted, _terms_of(row))
    if failure is not None and not fitted_any:
        raise failure


def _of_initializer(
    call: WatchedCall, row: Row, args: Any, kwargs: Any, written: ast.Call | None, known: Any
) -> Candidate:
    """A call such as ``jax.nn.initializers.normal(0.02)(key, shape)``."""
    file = call.location.file
    inner = written.func if written is not None and isinstance(written.func, ast.Call) else None
    made, words = call.made or ((), {})
    bound = bind(row.made or "", row, *arguments_of(made, words, inner, file, known))
    positional, named = arguments_of(args, kwargs, written, file, known)
    return Candidate(
        fit(row.expression or "", bound | bind(row.called or "", row, positional, named))
    )


def _terms_of(row: Row) -> str:
    tree = ast.parse(row.expression or "0", mode="eval").body
    if isinstance(tree, ast.BinOp):
        return _TERMS.get(type(tree.op), "")
    names = [n for n in row.torch_names if n not in ("torch.float32",)]
    sums = "torch.sum" if any("softmax" in n or "logsumexp" in n for n in names) else ""
    return names[0] if names else sums


def _with_tensors(bound: dict[str, Any], row: Row) -> Iterator[dict[str, Any]]:
    """The arguments; then with the first numbers among them as arrays, one after another."""
    yield bound
    trial = dict(bound)
    for name, argument in bound.items():
        required = row.parameters.get(name) is None and isinstance(argument, Argument)
        if required and argument.is_number:
            trial = trial | {name: argument.as_tensor()}
            yield trial


def _of_operator(
    call: WatchedCall, args: Any, node: Any, known: Mapping[Location, ast.expr]
) -> Iterator[Candidate]:
    file = call.location.file
    if node is None:
        raise ValueError("its source cannot be read")
    values = [to_torch(value) for value in args]
    if call.name == "iter":
        tree = ast.parse("[*_x]", mode="eval").body
        array = Argument(values[0], in_torch(node, file, known))
        yield Candidate(Fitted(tree, {"_x": array}), nests=False)
        return
    parts = _operands(node)
    if isinstance(node, ast.Subscript):
        if has_negative_step(node.slice):
            turned = flipped(node, "_x")
            if turned is None:
                raise ValueError("PyTorch takes no negative step")
            shown = Argument(values[0], in_torch(node.value, file, known))
            yield Candidate(Fitted(turned, {"_x": shown}))
            return
        index = ast.Name("_i", ast.Load())
        tree = ast.Subscript(ast.Name("_x", ast.Load()), index, ast.Load())
        arguments = {
            "_x": Argument(values[0], in_torch(node.value, file, known)),
            "_i": Argument(_as_index(values[1]), in_torch(node.slice, file, known)),
        }
        yield Candidate(Fitted(tree, arguments))
        return
    names = ["_x", "_y"][: len(parts)]
    arguments = {
        name: Argument(value, in_torch(part, file, known))
        for name, value, part in zip(names, values, parts, strict=True)
    }
    nodes = [ast.Name(name, ast.Load()) for name in names]
    tree = _rebuilt(node, nodes)
    op = getattr(node, "op", None)
    for one in [False, True]:
        if one:
            if not any(a.is_number for a in arguments.values()):
                return
            arguments = {n: a.as_tensor() if a.is_number else a for n, a in arguments.items()}
        yield Candidate(Fitted(tree, arguments), _TERMS.get(type(op), ""))


def _operands(node: Any) -> list[ast.expr]:
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.Compare():
            return [node.left, node.comparators[0]]
        case ast.UnaryOp():
            return [node.operand]
        case ast.AugAssign():
            return [ast.Name(node.target.id, ast.Load()), node.value]  # type: ignore[union-attr]
        case ast.Attribute():
            return [node.value]
    return []


def _rebuilt(node: Any, parts: list[Any]) -> ast.expr:
    match node:
        case ast.BinOp() | ast.AugAssign():
            return ast.BinOp(parts[0], node.op, parts[1])
        case ast.Compare():
            return ast.Compare(parts[0], node.ops, [parts[1]])
        case ast.UnaryOp():
            return ast.UnaryOp(node.op, parts[0])
    return ast.Attribute(parts[0], node.attr, ast.Load())


def _as_index(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_as_index, value))
    return value.item() if isinstance(value, torch.Tensor) and _is_position(value) else value


def _is_position(value: torch.Tensor) -> bool:
    return value.ndim == 0 and not value.is_floating_point() and value.dtype is not torch.bool


def _of_update(
    call: WatchedCall, args: Any, node: ast.Call, known: Mapping[Location, ast.expr], repeated: bool
) -> Iterator[Candidate]:
    """``x.at[i].set(v)`` as a statement that changes the array, or as an expression."""
    file = call.location.file
    method, *written = update(node) or ("", node, node)
    values = [to_torch(value) for value in args]
    x, i, *v = [in_torch(part, file, known) for part in [*written, *node.args]]
    row = row_of(f"Array.at.{method}")
    nested = None
    if row is not None and row.expression is not None and row.made is not None:
        index = as_expression(copy.deepcopy(i), "slice")
        parts = [x, index, *v]
        given = [Argument(value, part) for value, part in zip(values, parts, strict=True)]
        nested = fit(row.expression, bind(row.made, row, given, {}))
    if len(v) == 1 and not has_negative_step(i):
        names, texts = ("_x", "_i", "_v"), [ast.unparse(part) for part in (x, v[0])]
        target = ast.unparse(ast.Subscript(x, i, ast.Store()))
        run, shown = statement(method, "_x[_i]", "_v"), statement(method, target, texts[1])
        if repeated and method == "add" and (shown := accumulated(i, v[0], *texts)):
            run = "_x.index_put_(_i if isinstance(_i, tuple) else (_i,), _v, accumulate=True)"
        if run is not None and shown is not None and (method == "add" or not repeated):
            arguments = dict(zip(names, map(Argument, values, (x, i, v[0])), strict=True))
            tree = ast.Name("_x", ast.Load()) if nested is None else nested.shown
            yield Candidate(Fitted(tree, arguments), statement=run, shown=shown)
    if nested is not None:
        yield Candidate(nested)


def _of_dtype(
    call: WatchedCall, args: Any, node: ast.Call | None, known: Mapping[Location, ast.expr]
) -> Iterator[Candidate]:
    """``jnp.float32(2)`` as an array of that dtype."""
    (argument,), _ = arguments_of(args, {}, node, call.location.file, known)
    dtype = str(to_torch(call.function))
    text = f"torch.tensor(_x, dtype={dtype})"
    if isinstance(argument.value, torch.Tensor):
        text = f"_x.to({dtype})"
    yield Candidate(Fitted(ast.parse(text, mode="eval").body, {"_x": argument}))
