"""Layers of flax and equinox: the map's rows for them, their settings and their weights."""

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import torch

from jaxvstorch._port.from_jax.defaults import SCOPE
from jaxvstorch._port.from_jax.fitting import Argument
from jaxvstorch._port.from_jax.names import layer_name, name_of
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import Rows, jax_rows, meaning
from jaxvstorch._port.map.running.namespace import Weights

# Whether a layer draws or averages, by its attributes and by arguments of a call.
MODES = ("deterministic", "use_running_average", "inference")
RANDOM = ("key", "rng", "rngs", "dropout_rng")
_LINEN = {
    "Dense": "nnx.Linear", "MultiHeadDotProductAttention": "nnx.MultiHeadAttention",
    "SelfAttention": "nnx.MultiHeadAttention",
}  # fmt: skip
_ACTIVATIONS = {
    "jax.nn.relu": "torch.nn.ReLU()", "jnp.tanh": "torch.nn.Tanh()",
    "jax.nn.gelu": "torch.nn.GELU(approximate='tanh')", "jax.nn.silu": "torch.nn.SiLU()",
    "jax.nn.sigmoid": "torch.nn.Sigmoid()", "jax.nn.softplus": "torch.nn.Softplus()",
}  # fmt: skip


@cache
def _own_rows() -> Rows:
    return Rows([Path(__file__).with_name("layers.txt")])


def row_of(name: str) -> Row | None:
    """The row for a function or layer of JAX; None where the map lacks the name."""
    library, _, bare = name.rpartition(".")
    name = _LINEN.get(bare, name) if library == "flax.linen" else name
    if name in jax_rows():
        base = meaning(jax_rows()[name])
        return _own_rows().get(base.name, base)
    return _own_rows().get(name)


def is_layer(function: Any) -> bool:
    """Whether a value is a layer of flax or equinox that has a line."""
    name = layer_name(type(function)) if type(function).__module__ else None
    if name == "equinox.nn.MLP":
        return True
    row = row_of(name) if name else None
    return row is not None and row.called is not None


def weights_of(layer: Any) -> dict[str, Any]:
    """The arrays of a layer by their paths; for linen, after it was called."""
    if type(layer).__module__.startswith("flax.linen"):
        if layer.scope is None:
            return {}
        known = layer.variables
        kept = (known.get(name, {}) for name in ("params", "batch_stats"))
        return {path: value for tree in kept for path, value in _flat(tree)}
    return dict(_flat(layer))


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The arrays below a value, through the attributes of modules."""
    nnx = sys.modules.get("flax.nnx")
    if nnx is not None and isinstance(value, nnx.Variable):
        value = None if isinstance(value, nnx.RngState) else value[...]
    if isinstance(value, jax.Array):
        if not jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
            yield path, value
        return
    if isinstance(value, tuple | list):
        items: Any = enumerate(value)
    elif isinstance(value, Mapping):
        items = value.items()
    elif layer_name(type(value)) and hasattr(value, "__dict__"):
        items = vars(value).items()
    else:
        return
    for name, item in items:
        yield from _flat(item, f"{path}.{name}" if path else str(name))


def settings_of(layer: Any, row: Row, weights: Mapping[str, Any], x: Any) -> dict[str, Any]:
    """What a layer was made with, by the row's parameters."""
    settings = {name: getattr(layer, name) for name in row.taken() if hasattr(layer, name)}
    if hasattr(layer, "features"):  # linen's
        settings |= {"out_features": layer.features, "features": layer.features}
    for name in ("in_features", "num_features"):
        if name in row.taken():
            settings.setdefault(name, x.shape[-1])
    if row.name == "nnx.Conv":
        settings |= _of_convolution(layer, settings, weights, x)
    if row.name == "nnx.MultiHeadAttention":
        sizes = weights["query.kernel"].shape[0], weights["out.kernel"].shape[-1]
        heads = weights["query.kernel"].shape[1:]
        if len({*sizes, heads[0] * heads[1]}) > 1:
            raise ValueError("PyTorch's attention has one size for all its projections")
    if row.name.startswith("equinox.nn.Conv"):
        padding = [pair if isinstance(pair, int) else pair[0] for pair in settings["padding"]]
        if any(not isinstance(p, int) and len({*p}) > 1 for p in settings["padding"]):
            raise ValueError("PyTorch pads both sides alike")
        settings["padding"] = tuple(padding)
        for name in ("stride", "padding", "dilation"):
            settings[name] = _one(settings[name])
    if row.name == "equinox.nn.LayerNorm" and len(settings["shape"]) == 1:
        settings["shape"] = settings["shape"][0]
    settings = {n: v for n, v in settings.items() if n in row.taken() and n != "rngs"}
    if (dtype := settings.get("param_dtype")) is not None:
        settings["param_dtype"] = getattr(torch, jnp.dtype(dtype).name)
    return settings


def _of_convolution(
    layer: Any, settings: dict[str, Any], weights: Mapping[str, Any], x: Any
) -> dict[str, Any]:
    """Flax's padding in PyTorch's words."""
    kernel = settings["kernel_size"]
    kernel = (kernel,) if isinstance(kernel, int) else tuple(kernel)
    strides = _each(settings.get("strides"), len(kernel))
    dilation = _each(settings.get("kernel_dilation"), len(kernel))
    padding, padded = settings["padding"], None
    groups = settings.get("feature_group_count", 1)
    in_features = weights["kernel"].shape[-2] * groups
    if isinstance(padding, str) and padding.upper() in ("SAME", "VALID"):
        padding = padding.lower()
        if padding == "same" and max(strides) > 1:
            sizes = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
            pairs = jax.lax.padtype_to_pads(x.shape[1:-1], sizes, strides, "SAME")
            padding, padded = "valid", _last_axis_first(pairs)
    elif isinstance(padding, int):
        pass
    elif isinstance(padding, list | tuple):
        pairs = [(p, p) if isinstance(p, int) else tuple(p) for p in padding]
        padding, padded = "valid", _last_axis_first(pairs)
        if all(first == last for first, last in pairs):
            padding, padded = tuple(first for first, _ in pairs), None
    else:
        raise ValueError(f"PyTorch has no padding={padding!r}")
    if padding == "valid":
        padding = 0
    if padded is not None and not any(padded):
        padded = None
    return {
        "kernel_size": kernel, "strides": _one(strides), "kernel_dilation": _one(dilation),
        "padding": padding, "padded": padded, "in_features": in_features,
    }  # fmt: skip


def _each(value: Any, count: int) -> tuple[int, ...]:
    return (
        (1 if value is None else value,) * count
        if not isinstance(value, list | tuple)
        else (tuple(value))
    )


def _one(values: tuple[int, ...]) -> Any:
    return values[0] if len({*values}) == 1 else values


def _last_axis_first(pairs: Any) -> tuple[int, ...]:
    return tuple(int(p) for pair in reversed(list(pairs)) for p in pair)


def as_arguments(settings: Mapping[str, Any]) -> dict[str, Argument]:
    """Settings as arguments that show their values."""
    return {
        name: Argument(value, ast.parse(repr(value), mode="eval").body)
        for name, value in settings.items()
    }


def _identity(x: Any) -> Any:
    return x


def mlp(layer: Any, weights: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Equinox's MLP as a ``torch.nn.Sequential``, and the weights of that.

    Raises:
        ValueError: an activation is no module of PyTorch.
    """

    def activation(function: Any) -> str | None:
        name = name_of(function) or ""
        code = getattr(function, "__code__", None)
        if code is not None and code.co_code == _identity.__code__.co_code:
            return None
        if name not in _ACTIVATIONS:
            raise ValueError("its activation is none of PyTorch's modules")
        return _ACTIVATIONS[name]

    parts: list[str] = []
    state: dict[str, Any] = {}
    for number, linear in enumerate(layer.layers):
        bias = "" if linear.use_bias else ", bias=False"
        state |= {
            f"{len(parts)}.{name}": weights[f"layers.{number}.{name}"]
            for name in ("weight", "bias")
            if f"layers.{number}.{name}" in weights
        }
        sizes = [1 if n == "scalar" else n for n in (linear.in_features, linear.out_features)]
        parts.append(f"torch.nn.Linear({sizes[0]}, {sizes[1]}{bias})")
        last = number + 1 == len(layer.layers)
        text = activation(layer.final_activation if last else layer.activation)
        parts += [] if text is None else [text]
    return f"torch.nn.Sequential({', '.join(parts)})", state


def state_of(row: Row, weights: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """The weights of PyTorch's layer, by those of flax's or equinox's."""
    state: dict[str, Any] = eval(row.option("weights") or "{}", SCOPE | {"w": Weights(weights)})
    return state


def carried(module: torch.nn.Module, weights: Mapping[str, Any], training: bool = False) -> Any:
    """A module of PyTorch with these weights; those that it lacks are None."""
    given = {name: value for name, value in weights.items() if value is not None}
    module.load_state_dict(given, strict=False)
    if missing := given.keys() - module.state_dict().keys():
        raise ValueError(f"{', '.join(missing)} are no weights of {module}")
    return module.train(training)


def carrying(tree: ast.expr) -> ast.expr:
    """An expression, with each module of PyTorch given its weights as soon as it is made."""

    class Wrap(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            path = ast.unparse(node.func).split(".")
            made = isinstance(node.func, ast.Attribute | ast.IfExp) and path[:2] == ["torch", "nn"]
            if made and path[-1][0].isupper():
                return ast.Call(ast.Name("carried", ast.Load()), [node], [])
            return self.generic_visit(node)

    wrapped: ast.expr = Wrap().visit(ast.parse(ast.unparse(tree), mode="eval").body)
    return wrapped


def is_layer_row(row: Row) -> bool:
    """Whether a line is that of a layer with weights."""
    return row.called is not None and row.option("weights") is not None


def mode_of(layer: Any, kwargs: Mapping[str, Any]) -> tuple[bool, dict[str, Any]]:
    """Whether a layer trains, and the arguments that do not say so."""
    infers = [getattr(layer, name, None) for name in MODES] + [kwargs.get(name) for name in MODES]
    given = [value for value in infers if isinstance(value, bool)]
    left = {name: value for name, value in kwargs.items() if name not in (*MODES, *RANDOM)}
    return bool(given) and not given[-1], left
