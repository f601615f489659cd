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
    cls: type[torch.nn.Module], module: torch.nn.Module, mark: str, name: str | None = None
) -> str:
    """The source of a class for one of PyTorch's modules.

    Args:
        cls: its class.
        module: an instance.
        mark: what is left to do with it, such as that a call could not be verified.
        name: of the class in the draft, if it is another one.
    """
    if cls is torch.nn.Sequential:
        return SEQUENTIAL
    row = rows().get(full := f"torch.nn.{cls.__name__}")
    name = name or cls.__name__
    if row is None or row.expression is None or row.called is None:
        missing = f"{full} has no counterpart"
        return _class(name, "*args", missing, "raise NotImplementedError")
    text = row.option("plain") or row.expression
    if "nnx.Dropout" in text:
        return _class(name, "input", mark, "return input")
    expression = _ModuleValues(set(row.taken()), module).visit(ast.parse(text, mode="eval").body)
    code = ast.unparse(ast.fix_missing_locations(expression))
    return _class(name, row.called, mark, f"return {code}")


def _class(name: str, inputs: str, mark: str, body: str) -> str:
    comment = f"        # {TODO}{mark}\n" if mark else ""
    return f"class {name}(Module):\n    def __call__(self, {inputs}):\n{comment}        {body}\n"


class _ModuleValues(ast.NodeTransformer):
    """Puts the module's values in place of the names of its parameters and weights."""

    def __init__(self, made: set[str], module: torch.nn.Module) -> None:
        self.made, self.module = made, module

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        new = self.generic_visit(node)
        if ast.unparse(new) == "self.running_mean is None":  # it is not read in training
            return ast.parse("self.training or self.running_mean is None", mode="eval").body
        return new

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "w":
            return ast.Name("self", ast.Load())
        if node.id in self.made and hasattr(self.module, node.id):
            return ast.Attribute(ast.Name("self", ast.Load()), node.id, ast.Load())
        return node
