"""A module's line, run with PyTorch's weights."""

import ast
from collections.abc import Mapping
from functools import reduce
from typing import Any

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.namespace import Weights, namespace
from jaxvstorch._port.map.running.values import jax_arguments


def in_jax(row: Row, text: str, state: Weights, calls: tuple[Call, Call]) -> Any:
    """Evaluate an expression for a module.

    Args:
        row: of the module.
        text: its expression, or its plain one.
        state: PyTorch's weights, as JAX arrays.
        calls: how the module is made, and how it is called.

    Raises:
        RefusedError: an argument is one that the map refuses.
    """
    weights = row.option("weights")
    scope = namespace() | {"w": state}
    if weights:
        values = eval(weights, scope)
        scope["carried"] = lambda module: _carried(module, values)
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


def _carried(module: Any, weights: Mapping[str, Any]) -> Any:
    """A flax module with these weights, each named by its path."""
    for path, value in weights.items():
        if value is None:
            continue
        *owners, name = path.split(".")
        variable = getattr(reduce(getattr, owners, module), name)
        if variable.shape != value.shape:
            raise ValueError(f"{path} is {variable.shape} in flax, and got {value.shape}")
        variable[...] = value
    if hasattr(module, "eval"):
        module.eval()
    return module
