"""Reads weights, states and settings of modules as a draft in functions has them."""

import ast
from typing import Any

import torch

from jaxvstorch._port.draft.styles import CannotWriteError
from jaxvstorch._port.draft.styles.resolving import Resolving

_WEIGHTS = {
    "kernel": ("weight", "w"), "embedding": ("weight", "table"), "scale": ("weight", "scale"),
    "mean": ("running_mean", "running_mean"), "var": ("running_var", "running_var"),
}  # fmt: skip
_MOVED = "(-1, -2), (0, 1))"  # the axes of a convolution's kernel, from flax's to PyTorch's


class Places:
    """Where the arrays of modules are, as expressions of a draft.

    Attributes:
        resolving: the modules that expressions stand for.
        roots: the texts for the weights and the state of the modules that are variables.
        taken: what a method takes, of its module's weights and state, and of the mode.
    """

    resolving: Resolving
    roots: dict[str, tuple[str, str]]
    taken: set[str]

    def place(self, node: ast.expr, part: str) -> str:
        """The text for the weights of modules, or for their state."""
        match node:
            case ast.Name(name) if name in self.roots:
                if name == "self":
                    self.taken.add(part)
                return self.roots[name][part == "state"]
            case ast.Name(name):
                return "params" if part == "params" else "state"
            case ast.Attribute(of, name):
                within = self.place(of, part)
                layers = name == "layers" and any(
                    isinstance(m, torch.nn.Sequential) for m in self.resolving.modules(of)
                )
                return within if layers else f"{within}[{name!r}]"
            case ast.Subscript(of, ast.Constant(int(i))):
                names = {tuple(m._modules) for m in self.resolving.modules(of)}
                named = [keys[i] for keys in names]
                index = i if all(key.isdigit() for key in named) else repr(named[0])
                return f"{self.place(of, part)}[{index}]"
            case ast.Subscript(of, index):
                return f"{self.place(of, part)}[{ast.unparse(index)}]"
        raise CannotWriteError("a module that is no attribute", ast.unparse(node))


class Reads(ast.NodeTransformer):
    """Reads of one statement; calls of modules stay as they are."""

    def __init__(self, writer: Any) -> None:
        self.writer, self.resolving = writer, writer.resolving

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not self.writer.is_called(node.func):
            node.func = self.visit(node.func)
        node.args = [self.visit(a) for a in node.args]
        node.keywords = [self.visit(w) for w in node.keywords]
        text = ast.unparse(node)
        if text.startswith("jnp.moveaxis(") and text.endswith(f"['w'], {_MOVED}"):
            return node.args[0]
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        if not any(self.resolving.modules(n) for n in ast.walk(node.iter)
                   if isinstance(n, ast.Attribute)):  # fmt: skip
            node.iter = self.visit(node.iter)
        node.ifs = [self.visit(test) for test in node.ifs]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        whole = isinstance(node.slice, ast.Constant) and node.slice.value is ...
        new = self.visit(node.value)
        if whole and new is not node.value:
            return new  # type: ignore[no-any-return]
        node.value, node.slice = new, self.visit(node.slice)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr == "rngs":
            return node  # a key stands there in the end
        if self.resolving.modules(node):
            return _parsed(self.writer.place(node, "params"))
        path, of = [node.attr], node.value
        while not (modules := self.resolving.modules(of)) and isinstance(of, ast.Attribute):
            path, of = [of.attr, *path], of.value
        if not modules or self.writer.is_called(node):
            return self.generic_visit(node)
        held, name = _held(modules, path[0])
        if isinstance(held, torch.Tensor):
            kept = isinstance(held, torch.nn.Parameter) or self.writer.in_init
            text = f"{self.writer.place(of, 'params' if kept else 'state')}[{name!r}]"
            return _parsed(".".join([text, *path[1:]]))
        if isinstance(node.ctx, ast.Store):
            raise CannotWriteError("which changes a module", f"{ast.unparse(node)} = ...")
        if path == ["deterministic"]:
            return _parsed(f"(not {self.writer.in_training()})")
        return self.writer.setting(of, modules, path)  # type: ignore[no-any-return]

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        new = self.generic_visit(node)
        twice = isinstance(node.op, ast.Not) and isinstance(node.operand, ast.UnaryOp)
        return node.operand.operand if twice else new  # type: ignore[attr-defined]


def _held(modules: list[torch.nn.Module], name: str) -> tuple[Any, str]:
    """What modules have under a name of flax's or the program's, and its name in the draft."""
    first = modules[0]
    if type(first).__module__.startswith("torch.nn."):
        theirs, own = _WEIGHTS.get(name, (name, name))
        if name == "bias" and isinstance(first, torch.nn.Linear | torch.nn.Conv1d
                                         | torch.nn.Conv2d | torch.nn.Conv3d):  # fmt: skip
            own = "b"
        return getattr(first, theirs, None), own
    return getattr(first, name, None), name


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
