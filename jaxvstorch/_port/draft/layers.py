"""PyTorch's own modules as small classes of a draft, by the map's expression over their weights."""

import ast

import torch

from jaxvstorch._port.draft.rewriting import TODO
from jaxvstorch._port.map.rows import rows

SEQUENTIAL = """
class Sequential(Module):
    def __iter__(self):
        return iter([value for name, value in vars(self).items() if name.isdecimal()])

    def __getitem__(self, place):
        return list(self)[place]

    def __len__(self):
        return len(list(self))

    def __call__(self, input):
        for layer in self:
            input = layer(input)
        return input
"""


def layer(
    kind: type[torch.nn.Module], module: torch.nn.Module, left: str, name: str | None = None
) -> str:
    """The source of a class for a module of PyTorch's.

    Args:
        kind: its class.
        module: one of these.
        left: what is to be said of it, as that a call of it could not be verified.
        name: of the class in the draft, if not the same.
    """
    if kind is torch.nn.Sequential:
        return SEQUENTIAL
    row = rows().get(full := f"torch.nn.{kind.__name__}")
    name = name or kind.__name__
    if row is None or row.expression is None or row.called is None:
        missing = f"{full} has no counterpart"
        return _class(name, "*args", missing, "raise NotImplementedError")
    text = row.option("plain") or row.expression
    if "nnx.Dropout" in text:
        return _class(name, "input", left, "return input")
    expression = _Own(set(row.taken()), module).visit(ast.parse(text, mode="eval").body)
    code = ast.unparse(ast.fix_missing_locations(expression))
    return _class(name, row.called, left, f"return {code}")


def _class(name: str, called: str, left: str, body: str) -> str:
    mark = f"        # {TODO}{left}\n" if left else ""
    return f"class {name}(Module):\n    def __call__(self, {called}):\n{mark}        {body}\n"


class _Own(ast.NodeTransformer):
    """The module's own values for its parameters and weights."""

    def __init__(self, made: set[str], module: torch.nn.Module) -> None:
        self.made, self.module = made, module

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        new = self.generic_visit(node)
        if ast.unparse(new) == "self.running_mean is None":  # in training it is not read
            return ast.parse("self.training or self.running_mean is None", mode="eval").body
        return new

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "w":
            return ast.Name("self", ast.Load())
        if node.id in self.made and hasattr(self.module, node.id):
            return ast.Attribute(ast.Name("self", ast.Load()), node.id, ast.Load())
        return node
