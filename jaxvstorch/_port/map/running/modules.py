"""A module's line, run with PyTorch's weights."""

import ast
from collections.abc import Mapping
from functools import reduce
from typing import Any

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.namespace import Weights, namespace
from jaxvstorch._port.map.running.values import jax_arguments


def in_jax(
    row: Row,
    text: str,
    state: Weights,
    calls: tuple[Call, Call],
    training: bool = False,
    made: list[Any] | None = None,
) -> Any:
    """Evaluate an expression for a module.

    Args:
        row: of the module.
        text: its expression, or its plain one.
        state: PyTorch's weights, as JAX arrays.
        calls: how the module is made, and how it is called.
        training: whether flax's modules train; else they infer.
        made: takes each flax module that the expression makes.

    Raises:
        RefusedError: an argument is one that the map refuses.
    """
    weights = row.option("weights")
    scope = namespace() | {"w": state}
    if weights:
        values = eval(weights, scope)

        def carried(module: Any) -> Any:
            if made is not None:
                made.append(module)
            return _carried(module, values, training)

        scope["carried"] = carried
        text = _carrying(text)
    args, kwargs = jax_arguments(row, calls[0])
    inputs, named = jax_arguments(row, calls[1], second=True)
    return eval(row.source(text), scope)(*args, **kwargs)(*inputs, **named)


def _carrying(text: str) -> str:
    """The expression, with each flax module given its weights as soon as it is made."""

    class Wrap(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            if ast.unparse(node.func).startswith("nnx."):
                return ast.Call(ast.Name("carried", ast.Load()), [node], [])
            return node

    return ast.unparse(ast.fix_missing_locations(Wrap().visit(ast.parse(text, mode="eval"))))


def _carried(module: Any, weights: Mapping[str, Any], training: bool) -> Any:
    """A flax module with these weights, each named by its path."""
    for path, value in weights.items():
        if value is None:
            continue
        variable = variable_of(module, path)
        if variable.shape != value.shape:
            raise ValueError(f"{path} is {variable.shape} in flax, and got {value.shape}")
        variable[...] = value
    if training:
        module.train()
    else:
        module.eval()
    return module


def variable_of(module: Any, path: str) -> Any:
    """A flax module's variable, such as ``kernel`` or ``layer.kernel``."""
    return reduce(getattr, path.split("."), module)
