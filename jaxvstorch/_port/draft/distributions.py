"""Rewrites ``torch.distributions`` as the draft's own classes, whose draws take a key."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast

from jaxvstorch._port.draft.expressions import KEY, parsed
from jaxvstorch._port.draft.layers import own_classes, written
from jaxvstorch._port.draft.optimizers import Optimizers

DISTRIBUTIONS = "torch.distributions."


class Distributions(Optimizers):
    """Makes distributions of the draft, and hands keys to what draws from them."""

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
        return super().visit_Call(node)


def is_drafted(name: str) -> bool:
    """Whether a name is of a distribution, or of its functions, that a draft has."""
    return name.startswith(DISTRIBUTIONS) and name.rpartition(".")[2] in own_classes()
