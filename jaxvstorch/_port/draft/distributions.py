"""Rewrites what draws by itself: ``torch.distributions``, and PyTorch's generators.

A distribution is one of the draft's own classes, whose draws take a key. A generator is flax's
random numbers; those that PyTorch's loaders and data sets are given stay.
"""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
from collections.abc import Collection
from typing import Any

from jaxvstorch._port.draft.expressions import KEPT, KEY, parsed
from jaxvstorch._port.draft.layers import own_classes, written
from jaxvstorch._port.draft.modules import draws
from jaxvstorch._port.draft.saving import Saving

DISTRIBUTIONS = "torch.distributions."
GENERATOR = "torch.Generator"


class Distributions(Saving):
    """Makes distributions and generators of the draft, and hands keys to what draws from them.

    Attributes:
        loaders_draw: the names of the generators that PyTorch's loaders and data sets are given.
        in_step: whether what is around becomes a compiled step.
    """

    loaders_draw: Collection[str] = ()
    in_step: bool = False

    def visit_Assign(self, node: ast.Assign) -> Any:
        if ast.unparse(node.targets[0]) in self.loaders_draw:
            return node
        return super().visit_Assign(node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        match node.value:
            case ast.Call(ast.Attribute(ast.Name() as of, "manual_seed"), args):
                if of.id in self.loaders_draw:
                    return node
                if self.made.get(of.id) == GENERATOR:
                    made = self._generator(args)
                    return ast.Assign([ast.Name(of.id, ast.Store())], made, lineno=0)
        return super().visit_Expr(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = self.qualified(node.func) or ""
        if is_drafted(name):
            self._with_arguments(node)
            node.func = parsed(written(name.rpartition(".")[2]))
            node.keywords = [word for word in node.keywords if word.arg != "validate_args"]
            return node
        if self.span(node) in self.seen.draws:
            self._with_arguments(node)
            node.keywords.append(ast.keyword("key", ast.Name(KEY, ast.Load())))
            return node
        match node:
            case ast.Call(ast.Attribute(ast.Call(of), "manual_seed"), args):
                if self.qualified(of) == GENERATOR:
                    return self._generator(args)
        if name == GENERATOR:
            return self._generator([])
        given = [ast.unparse(w.value) for w in node.keywords if w.arg == "generator"]
        drawn = [g for g in given if g not in ("None", *self.loaders_draw)]
        new = super().visit_Call(node)
        # A compiled step, and a module in it, draws from the random numbers that it is given.
        if drawn and not (name.startswith(KEPT) or self.in_step or self.owner):
            for part in draws(new):
                part.id = f"{drawn[0]}()"
        return new

    def _generator(self, seeds: list[ast.expr]) -> ast.expr:
        return ast.Call(
            parsed("nnx.Rngs"), [self.visit(seed) for seed in seeds] or [parsed("0")], []
        )


def given_to_loaders(tree: ast.AST, qualified: Any) -> set[str]:
    """The names of the generators that a file gives to PyTorch's loaders and data sets."""
    return {
        ast.unparse(word.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and (qualified(node.func) or "").startswith(KEPT)
        for word in node.keywords
        if word.arg == "generator"
    }


def is_drafted(name: str) -> bool:
    """Whether a name is of a distribution, or of its functions, that a draft has."""
    return name.startswith(DISTRIBUTIONS) and name.rpartition(".")[2] in own_classes()
