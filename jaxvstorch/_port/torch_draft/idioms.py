"""What people write in PyTorch where the map's line for each call is longer."""

import ast
from typing import Any

import torch


def as_method(new: ast.expr, written: ast.expr) -> ast.expr:
    """``torch.mean(x)`` as ``x.mean()``, where the program has a method of ``x`` too."""
    match written, new:
        case (
            ast.Call(ast.Attribute(owner)),
            ast.Call(ast.Attribute(ast.Name("torch"), name), [first, *rest]),
        ) if hasattr(torch.Tensor, name) and ast.unparse(first) == ast.unparse(owner):
            return ast.Call(ast.Attribute(first, name, ast.Load()), rest, new.keywords)
    return new


class MeanLosses(ast.NodeTransformer):
    """The mean of the losses of all examples as the loss itself, which is their mean."""

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Attribute(ast.Name("torch"), "mean"), [losses], []):
                return _mean(losses) or node
            case ast.Call(ast.Attribute(losses, "mean"), [], []):
                return _mean(losses) or node
        return node


def _mean(losses: ast.expr) -> ast.expr | None:
    match losses:
        case ast.Call(ast.Attribute(inside, "reshape")):
            return _mean(inside)
        case ast.Call(function, args, words) if "nn.functional." in ast.unparse(function):
            kept = [w for w in words if ast.unparse(w) != "reduction='none'"]
            return ast.Call(function, args, kept) if len(kept) < len(words) else None
    return None
