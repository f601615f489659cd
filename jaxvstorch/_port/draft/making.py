"""Makes flax's layer for one of PyTorch's that is there, and settings again."""

import ast
from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from importlib import import_module
from typing import Any

import torch
from flax import nnx

from jaxvstorch._port.draft.helpers import helpers_of
from jaxvstorch._port.draft.layers import layer
from jaxvstorch._port.draft.seen import layer_name
from jaxvstorch._port.judging import settings_of
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.map.running.namespace import namespace


def new_layer(module: torch.nn.Module, names: Mapping[str, Any]) -> Any:
    """A layer of flax, or a function for one without weights, with a PyTorch layer's settings.

    Args:
        module: of PyTorch.
        names: of the draft.

    Raises:
        LookupError: it has no counterpart.
    """
    known = {**namespace(), **names, "paste": helpers_of(names)}
    text = layer_text(module)
    if text.startswith("einops."):
        known["einops"] = import_module("einops")
    return eval(text, known | {"partial": partial, "rngs": nnx.Rngs(0)})


def layer_text(module: torch.nn.Module) -> str:
    """The Python that makes flax's layer for one of PyTorch's, with its settings.

    Raises:
        LookupError: it has no counterpart.
    """
    rngs = ast.Name("rngs", ast.Load())
    if (name := layer_name(module) or "").startswith("einops."):
        axes_lengths: Any = module.axes_lengths
        lengths = [ast.keyword(k, ast.Constant(v)) for k, v in axes_lengths.items()]
        given = [getattr(module, key, None) for key in ("pattern", "reduction")]
        constants: list[ast.expr] = [ast.Constant(value) for value in given if value is not None]
        made_by = ast.Call(ast.Name("layer", ast.Load()), constants, lengths)
        return ast.unparse(layer(name, made_by, rngs))
    row = rows().get(f"torch.nn.{type(module).__name__}")
    if row is None:
        raise LookupError(f"torch.nn.{type(module).__name__} has no counterpart here")
    settings = [
        ast.keyword(name, ast.parse(repr(value), mode="eval").body)
        for name, value in settings_of(meaning(row), module).items()
    ]
    made_by = ast.Call(ast.Name("layer", ast.Load()), [], settings)
    return ast.unparse(layer(row.name, made_by, rngs))


def unlike_defaults(value: Any) -> list[str]:
    """The fields of a dataclass that are not as by default."""
    made = {f.name: f.default_factory() for f in fields(value) if callable(f.default_factory)}
    known = {f.name: made.get(f.name, f.default) for f in fields(value)}
    return [name for name, default in known.items() if getattr(value, name) != default]
