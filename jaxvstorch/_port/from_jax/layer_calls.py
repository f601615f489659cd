"""A call of a layer of flax or equinox, as a call of PyTorch's with the same weights."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from jaxvstorch._port.from_jax.arguments import arguments_of, to_torch
from jaxvstorch._port.from_jax.candidate import Candidate
from jaxvstorch._port.from_jax.composed import composed
from jaxvstorch._port.from_jax.fitting import Argument, Fitted, bind, fit
from jaxvstorch._port.from_jax.layers import as_arguments, mode_of, state_of
from jaxvstorch._port.from_jax.settings import settings_of
from jaxvstorch._port.from_jax.watcher import WatchedCall
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.report_data import Location


def of_layer(
    call: WatchedCall,
    row: Row,
    args: Any,
    kwargs: Any,
    weights: Any,
    written: ast.Call | None,
    known: Mapping[Location, ast.expr],
) -> Candidate:
    """A layer by its line."""
    training, kwargs = mode_of(call.function, kwargs)
    positional, named = arguments_of(args, kwargs, written, call.location.file, known, call.name)
    inputs = dict(zip(row.taken(second=True), args, strict=False)) | kwargs
    x = inputs.get("inputs", next(iter(inputs.values()), None))
    settings = settings_of(call.function, row, weights, x)
    tensors = {name: to_torch(value) for name, value in weights.items()}
    expression, read = _reading_weights(row, tensors, written)
    made = bind(row.made or "", row, [], as_arguments(settings))
    bound = made | bind(row.called or "", row, positional, named) | read
    state = state_of(row, tensors, settings)
    terms = next(iter(row.torch_names), "")
    nests = call.skipped > 0 or (written is not None and isinstance(written.func, ast.Call))
    return Candidate(fit(expression, bound), terms, state, training, nests=nests)


def _reading_weights(
    row: Row, weights: Mapping[str, torch.Tensor], written: ast.Call | None
) -> tuple[str, dict[str, Argument]]:
    """A line's expression, and the weights that it reads as attributes of the reader's layer."""
    named = {path.replace(".", "_"): path for path in weights}
    owner = written.func if written is not None else None
    read: dict[str, Argument] = {}

    class Read(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
            if not isinstance(node.value, ast.Name) or node.value.id != "w":
                return self.generic_visit(node)
            path = named[node.attr]
            if isinstance(owner, ast.Name | ast.Attribute) and not ast.unparse(owner).endswith(
                ".apply"
            ):
                path = f"{ast.unparse(owner)}.{path}"
            name = f"w_{node.attr}"
            read[name] = Argument(weights[named[node.attr]], ast.parse(path, mode="eval").body)
            return ast.Name(name, ast.Load())

    tree = Read().visit(ast.parse(row.expression or "", mode="eval").body)
    return ast.unparse(tree), read


def of_composed(
    call: WatchedCall,
    args: Any,
    kwargs: Any,
    weights: Any,
    written: ast.Call | None,
    known: Mapping[Location, ast.expr],
) -> Iterator[Candidate]:
    """A layer that is made of others, with the weights of all of them."""
    training, kwargs = mode_of(call.function, kwargs)
    tensors = {name: to_torch(value) for name, value in weights.items()}
    text, state = composed(call.function, tensors, args[0], kwargs)
    file = call.location.file
    (x, *_), named = arguments_of(args, kwargs, written, file, known, call.name)
    given = {"_x": x} | ({"_carry": named["initial_carry"]} if "_carry" in text else {})
    tree = ast.parse(text, mode="eval").body
    yield Candidate(Fitted(tree, given), state=state, training=training, nests=call.skipped > 0)
