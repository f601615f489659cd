"""Makes flax's layer for one of PyTorch's that is there."""

import ast
from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from flax import nnx

from jaxvstorch._port.draft import own_layers
from jaxvstorch._port.draft.layers import layer
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
    known = {**namespace(), **vars(own_layers), **names}
    return eval(layer_text(module), known | {"partial": partial, "rngs": nnx.Rngs(0)})


def layer_text(module: torch.nn.Module) -> str:
    """The Python that makes flax's layer for one of PyTorch's, with its settings.

    Raises:
        LookupError: it has no counterpart.
    """
    row = rows().get(f"torch.nn.{type(module).__name__}")
    if row is None:
        raise LookupError(f"torch.nn.{type(module).__name__} has no counterpart here")
    settings = [
        ast.keyword(name, ast.parse(repr(value), mode="eval").body)
        for name, value in settings_of(meaning(row), module).items()
    ]
    made_by = ast.Call(ast.Name("layer", ast.Load()), [], settings)
    return ast.unparse(layer(row.name, made_by, ast.Name("rngs", ast.Load())))
