"""Layers of flax and equinox: the map's rows for them, their settings and their weights."""

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import torch

from jaxvstorch._port.from_jax.defaults import SCOPE
from jaxvstorch._port.from_jax.fitting import Argument
from jaxvstorch._port.from_jax.names import layer_name
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import Rows, jax_rows, meaning
from jaxvstorch._port.map.running.namespace import Weights

# Whether a layer draws or averages, by its attributes and by arguments of a call.
MODES = ("deterministic", "use_running_average", "inference")
CALLING = (".Lambda", ".Sequential")  # layers that only call what they hold
RANDOM = ("key", "rng", "rngs", "dropout_rng")
_OF_APPLY = ("method", "mutable")
# Layers that have the line of another one.
_SAME = {
    "flax.linen.Dense": "nnx.Linear", "flax.linen.DenseGeneral": "nnx.LinearGeneral",
    "flax.linen.MultiHeadDotProductAttention": "nnx.MultiHeadAttention",
    "flax.linen.SelfAttention": "nnx.MultiHeadAttention",
}  # fmt: skip
COMPOSED = frozenset({
    "equinox.nn.MLP", "flax.linen.Bidirectional", "flax.linen.RNN", "nnx.Bidirectional", "nnx.RNN",
})  # fmt: skip
_OF_AXES = re.compile(r"^(equinox\.nn\.\w+)[123]d$")  # one line for any number of axes


@cache
def _own_rows() -> Rows:
    return Rows([Path(__file__).with_name("layers.txt")])


def row_of(name: str) -> Row | None:
    """The row for a function or layer of JAX; None where the map lacks the name."""
    known = [name, _SAME.get(name, name), _OF_AXES.sub(r"\1", name)]
    if name in jax_rows():
        known.append(meaning(jax_rows()[name]).name)
    if name.startswith("flax.linen."):
        known.append(f"nnx.{name.removeprefix('flax.linen.')}")
    own = next((one for one in known if one in _own_rows()), None)
    if own is not None:
        return _own_rows()[own]
    return next((meaning(jax_rows()[one]) for one in known[1:] if one in jax_rows()), None)


def is_layer(function: Any) -> bool:
    """Whether a value is a layer of flax or equinox that has a line."""
    name = layer_name(type(function)) if type(function).__module__ else None
    if name in COMPOSED:
        return True
    row = row_of(name) if name else None
    return row is not None and row.called is not None


def method_name(function: Any) -> str | None:
    """The name of a layer's method that has a line, such as ``nnx.Embed.attend``."""
    owner = type(getattr(function, "__self__", None))
    name = layer_name(owner) if owner.__module__.startswith(("flax.", "equinox.")) else None
    name = f"{name}.{function.__name__}" if name else None
    return name if name and row_of(name) is not None else None


class Applied(NamedTuple):
    """A layer of linen that ``apply`` calls: its name, and its weights."""

    name: str
    weights: dict[str, Any]


def applied(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Applied | None:
    """What ``layer.apply(variables, ...)`` calls; None where that has no line."""
    layer = getattr(function, "__self__", None)
    name = layer_name(type(layer)) or ""
    is_apply = getattr(function, "__name__", "") == "apply" and name.startswith("flax.linen.")
    if not is_apply or not args or name.endswith(CALLING):
        return None
    if (method := kwargs.get("method")) is not None:
        name = f"{name}.{getattr(method, '__name__', method)}"
        if row_of(name) is None:
            return None
    return Applied(name, _of_variables(args[0]))


def weights_of(layer: Any) -> dict[str, Any]:
    """The arrays of a layer by their paths; for linen, after it was called."""
    if type(layer).__module__.startswith("flax.linen"):
        if layer.scope is None:
            return {}
        known = layer.variables
        inside = getattr(layer, "cell", None)
        if inside is not None and not known.get("params"):  # the module around both made it
            return {f"cell.{path}": value for path, value in weights_of(inside).items()}
        return _of_variables(known)
    return dict(_flat(layer))


def _of_variables(variables: Mapping[str, Any]) -> dict[str, Any]:
    kept = (variables.get(name, {}) for name in ("params", "batch_stats"))
    return {path: value for tree in kept for path, value in _flat(tree)}


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


def as_arguments(settings: Mapping[str, Any]) -> dict[str, Argument]:
    """Settings as arguments that show their values."""
    return {
        name: Argument(value, ast.parse(repr(value), mode="eval").body)
        for name, value in settings.items()
    }


def state_of(
    row: Row,
    weights: Mapping[str, torch.Tensor],
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """The weights of PyTorch's layer, by those of flax's or equinox's, and its settings."""
    scope = SCOPE | {"w": Weights(weights), **settings}
    state: dict[str, Any] = eval(row.option("weights") or "{}", scope)
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


def is_default(layer: Any, name: str) -> bool:
    """Whether a layer was made without one of its arguments, or with what that is anyway."""
    default = inspect.signature(type(layer).__init__).parameters[name].default
    return getattr(layer, name) is default


def mode_of(layer: Any, kwargs: Mapping[str, Any]) -> tuple[bool, dict[str, Any]]:
    """Whether a layer trains, and the arguments that do not say so."""
    infers = [getattr(layer, name, None) for name in MODES] + [kwargs.get(name) for name in MODES]
    given = [value for value in infers if isinstance(value, bool)]
    left = {n: v for n, v in kwargs.items() if n not in (*MODES, *RANDOM, *_OF_APPLY)}
    return bool(given) and not given[-1], left
