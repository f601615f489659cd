"""Decides a branch that takes a program's step, by which of its sides the run reached."""

import ast
from collections.abc import Set

from jaxvstorch._port.draft.commenting import UNVERIFIED, is_marker, mark
from jaxvstorch._port.draft.reading import changed_by_hand, gradient_call, stepped


class WithStepsDecided(ast.NodeTransformer):
    """Leaves the side that ran of ``if`` statements whose sides both step, or set gradients to 0.

    Args:
        lines: of the file, that called something.
    """

    def __init__(self, lines: Set[int]) -> None:
        self.lines = lines

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        sides = [node.body, node.orelse]
        kinds = [_kind(side) for side in sides]
        ran = [side for side in sides if any(map(self._ran, side))]
        if len(ran) != 1 or None in kinds or kinds[0] != kinds[1]:
            return node
        if kinds[0] == "zero_grad":
            return ran[0]
        test = ast.unparse(node.test)
        other = f"the other step, by `{test}`, is not in the draft: it was not reached{UNVERIFIED}"
        return [mark(other), *ran[0]]

    def _ran(self, node: ast.stmt) -> bool:
        first = getattr(node, "lineno", 0)  # of a comment there is none
        return not self.lines.isdisjoint(range(first, (node.end_lineno or 0) + 1 if first else 0))


def _kind(body: list[ast.stmt]) -> str | None:
    """What the statements do alone: take a step, or set gradients to zero."""
    parts = [node for node in body if not is_marker(node)]
    if parts and all(gradient_call(node) == "zero_grad" for node in parts):
        return "zero_grad"
    steps = len(parts) == 1 and (stepped(parts[0]) or changed_by_hand(parts[0]))
    return "step" if steps else None
