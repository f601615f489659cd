"""Constants as expressions: literals, and the names of functions and classes."""

import ast
from typing import Any

import torch

_STANDS_FOR = "stands_for"


def written(value: Any) -> ast.expr:
    """A constant as an expression."""
    if value is None or isinstance(value, bool | int | float | str):
        return ast.Constant(value)
    if isinstance(value, torch.dtype | torch.device):
        text = repr(value) if isinstance(value, torch.dtype) else f"torch.{value!r}"
        return ast.parse(text, mode="eval").body
    if isinstance(value, tuple | list | dict):
        return ast.parse(repr(value), mode="eval").body
    name = ast.Name(value.__name__, ast.Load())
    setattr(name, _STANDS_FOR, value)
    return name


def stands_for(node: ast.AST) -> Any:
    """The function or class that a name was written for; None for other expressions."""
    return getattr(node, _STANDS_FOR, None)
