"""Layers of flax and Equinox as modules of PyTorch, with the arguments that make them the same."""

import ast
import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from jaxvstorch._port.from_jax.fitting import Argument, bind, fit
from jaxvstorch._port.from_jax.layers import MODES, RANDOM
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import Rows
from jaxvstorch._port.map.running.values import RefusedError
from jaxvstorch._port.torch_draft import own_cells, own_layers

_AS_IN_NNX = {
    "Dense": "Linear", "MultiHeadDotProductAttention": "MultiHeadAttention",
    "SelfAttention": "MultiHeadAttention",
}  # fmt: skip
# Settings that change nothing that a draft keeps: precision, sharding, the first weights.
_LEFT_OUT = ("dtype", "param_dtype", "precision", "name", "force_fp32_for_softmax", "promote_dtype",
             "axis_name", "feature_axes", "carry_init", "use_fast_variance", "parent",
             *MODES, *RANDOM)  # fmt: skip


@cache
def _rows() -> Rows:
    return Rows([Path(__file__).with_name("layers.txt")])


def row_for(name: str) -> Row | None:
    """The line of a layer; None where a draft has none."""
    library, _, bare = name.rpartition(".")
    if library == "flax.linen":
        name = name if name in _rows() else f"nnx.{_AS_IN_NNX.get(bare, bare)}"
    return _rows().get(name)


def constructed(
    made: tuple[str, Any, Any, Any],
    node: ast.Call,
    written: Callable[[ast.expr], ast.expr],
    in_features: int | None,
) -> ast.expr:
    """The call that makes a layer in PyTorch.

    Args:
        made: the layer's name, and the arguments of the call in the run.
        node: the call.
        written: translates an argument.
        in_features: of a layer of linen, which takes it from its first call.

    Raises:
        ValueError: a draft has no such layer, or not with these arguments.
    """
    name, args, kwargs, layer = made
    if name.endswith(".Sequential"):
        return _sequential(name, node, written)
    row = row_for(name)
    if row is None or row.made is None or row.expression is None:
        raise ValueError(f"{name}: a draft has no such layer")
    given = [Argument(value, written(part)) for value, part in zip(args, node.args, strict=False)]
    if len(given) < len(args):
        given = [Argument(value, ast.Constant(value)) for value in args]
    named = {
        word.arg: Argument(kwargs[word.arg], written(word.value))
        for word in node.keywords
        if word.arg and word.arg in kwargs and not _is_left_out(word.arg)
    }
    if name.startswith("flax.linen"):
        given, named = _as_in_nnx(row, name, given, named, in_features, layer)
    try:
        bound = bind(row.made, row, given, named)
    except RefusedError as refusal:
        raise ValueError(f"{name}: a draft has no {refusal}=") from None
    return _without_defaults(fit(row.expression, bound).shown)


def _without_defaults(node: ast.expr) -> ast.expr:
    """A call of one of the draft's own layers, without what that does anyway."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        layer = getattr(own_layers, node.func.id, getattr(own_cells, node.func.id, None))
        known = inspect.signature(layer).parameters if layer is not None else {}
        node.keywords = [w for w in node.keywords if w.arg not in known
                         or ast.unparse(w.value) != repr(known[f"{w.arg}"].default)]  # fmt: skip
    return node


def _is_left_out(name: str) -> bool:
    return name in _LEFT_OUT or name.endswith("_init")


def _as_in_nnx(
    row: Row,
    name: str,
    given: list[Argument],
    named: dict[str, Argument],
    in_features: int | None,
    layer: Any,
) -> tuple[list[Argument], dict[str, Argument]]:
    """The arguments of a layer of linen by the names of nnx's, with the size of its input."""
    fields = list(getattr(type(layer), "__dataclass_fields__", {}))
    named = dict(zip(fields, given, strict=False)) | named
    taken = row.taken()
    size = Argument(in_features, ast.Constant(in_features))
    if "features" in named and "features" not in taken:
        cell = "hidden_features" in taken
        named["hidden_features" if cell else "out_features"] = named.pop("features")
        if row.name == "nnx.MultiHeadAttention":
            named.pop("qkv_features", None)
    for key in ("in_features", "num_features"):
        if key in taken:
            if in_features is None:
                raise ValueError(f"{name}: the size of its input is not known")
            named[key] = size
    return [], named


def _sequential(name: str, node: ast.Call, written: Callable[[ast.expr], ast.expr]) -> ast.expr:
    parts: list[ast.expr] = node.args
    if len(parts) == 1 and isinstance(parts[0], ast.List | ast.Tuple):
        parts = parts[0].elts
    modules = [as_module(written(part)) for part in parts]
    return ast.Call(ast.parse("nn.Sequential", mode="eval").body, modules, [])


_MODULES = {
    "torch.relu": "nn.ReLU()", "torch.tanh": "nn.Tanh()", "torch.sigmoid": "nn.Sigmoid()",
    "torch.nn.functional.silu": "nn.SiLU()", "F.silu": "nn.SiLU()", "F.softplus": "nn.Softplus()",
    "torch.nn.functional.softplus": "nn.Softplus()",
}  # fmt: skip


def as_module(node: ast.expr) -> ast.expr:
    """A function as the module that ``nn.Sequential`` takes."""
    text = ast.unparse(node)
    if "gelu" in text and not text.startswith("nn."):
        exact = "'tanh'" not in text
        text = "nn.GELU()" if exact else "nn.GELU(approximate='tanh')"
    return ast.parse(_MODULES.get(text, text), mode="eval").body
