"""What an expression of PyTorch can leave out, as PyTorch does it anyway."""

import ast
import inspect
import math
from collections.abc import Mapping
from functools import cache, reduce
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from jaxvstorch._port.map import paste_torch
from jaxvstorch._port.map.running.values import DTYPES

_DTYPES = SimpleNamespace(**{np.dtype(theirs).name: ours for ours, theirs in DTYPES.items()})
SCOPE: dict[str, Any] = {"torch": torch, "paste": paste_torch, "math": math, "jnp": _DTYPES}
# What functions of PyTorch do where these are left out.
_LEFT_OUT = {
    "correction": 1, "descending": False, "diagonal": 0, "keepdim": False, "side": "left",
    "stable": False, "upper": False,
}  # fmt: skip
# The same of single functions, as text.
_OF_FUNCTIONS = {
    ("torch.argsort", "dim"): "-1", ("torch.sort", "dim"): "-1", ("torch.topk", "dim"): "-1",
    ("torch.cat", "dim"): "0", ("torch.stack", "dim"): "0", ("torch.tensor_split", "dim"): "0",
    ("torch.linalg.svd", "full_matrices"): "True", ("torch.nan_to_num", "nan"): "0.0",
    ("torch.nn.functional.gelu", "approximate"): "'none'",
}  # fmt: skip


class WithoutDefaults(ast.NodeTransformer):
    """Leaves out what PyTorch does anyway."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = ast.unparse(node.func)
        if not name.startswith(("torch.", "paste.")):
            return node
        parameters = _parameters(name)
        if name.startswith("torch.optim.") and parameters:  # whose settings people name
            names = list(parameters)[1 : len(node.args)]
            settings = zip(names, node.args[1:], strict=True)
            node.keywords = [*(ast.keyword(*setting) for setting in settings), *node.keywords]
            node.args = node.args[:1]
        node.keywords = [w for w in node.keywords if not _is_needless(name, w, parameters)]
        match name, [ast.unparse(argument) for argument in node.args]:
            case "torch.arange", ["0", _, "1"]:
                node.args = node.args[1:2]
            case "torch.eye", [rows, columns] if rows == columns:
                node.args = node.args[:1]
        by_position = list(parameters.values())
        plain = not any(isinstance(a, ast.Starred) for a in node.args) and not node.keywords
        while plain and parameters and 1 < len(node.args) <= len(by_position):
            if ast.unparse(node.args[-1]) != repr(by_position[len(node.args) - 1].default):
                break
            del node.args[-1]
        return node


def _is_needless(name: str, word: ast.keyword, parameters: Mapping[str, Any]) -> bool:
    text = ast.unparse(word.value)
    if name.startswith("torch.nn.") and (word.arg, text) == ("dtype", "torch.float32"):
        return True
    if word.arg == "lr":
        return False
    if word.arg is not None and word.arg in parameters:
        return text == repr(parameters[word.arg].default)
    if _OF_FUNCTIONS.get((name, word.arg or "")) == text:
        return True
    if text == "None" and not parameters:
        return True
    return word.arg in _LEFT_OUT and text == repr(_LEFT_OUT[word.arg])


@cache
def _parameters(name: str) -> dict[str, inspect.Parameter]:
    """The parameters of a function or module of PyTorch that is written in Python."""
    try:
        root, *path = name.split(".")
        function = reduce(getattr, path, SCOPE[root])
        return dict(inspect.signature(function).parameters)
    except (AttributeError, TypeError, ValueError):
        return {}
