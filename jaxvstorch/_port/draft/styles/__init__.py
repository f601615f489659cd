"""Drafts in another style than flax's NNX: the finished draft, rewritten.

``program`` knows what a draft in NNX defines, and which of its functions need a key or change
state; ``resolving`` which modules expressions stand for; ``threading`` and ``writing`` hand keys
and state through calls; ``steps`` writes training steps, ``equinox`` modules. ``composing`` puts
the draft together, and ``comparing`` compares it with the program.
"""

import ast
import linecache
from collections.abc import Iterable
from pathlib import Path


class CannotWriteError(Exception):
    """A program has something that a style has no words for.

    Args:
        why: it has none, in a few words that follow the line of the program; can be empty.
        text: what the draft in NNX has there, where the program's line is not known.

    Attributes:
        line: of the program, after its file and number; empty as long as it is not known.
    """

    def __init__(self, why: str, text: str = "") -> None:
        super().__init__(why, text)
        self.why, self.text, self.line = why, text, ""

    def __str__(self) -> str:
        text = f"`{self.text}`" if self.text else ""
        return ", ".join(filter(None, [self.line or text, self.why]))

    def set_line(self, node: ast.AST) -> None:
        """Keep the line of the program that a statement of the draft comes from."""
        self.line = self.line or getattr(node, "line", "")


def lines_of(path: str, nodes: Iterable[ast.stmt]) -> dict[str, str]:
    """The line of a program for each statement of a draft, by the text of the statement."""
    source = ast.parse("".join(linecache.getlines(path)))
    every = [n for n in ast.walk(source) if isinstance(n, ast.stmt)]
    begins = {n.lineno: n for n in every}
    found = dict[str, str]()
    for node in (n for top in nodes for n in ast.walk(top) if isinstance(n, ast.stmt)):
        own = _names(node)
        for part in ast.walk(node):
            first = max((n for n in begins if n <= getattr(part, "lineno", 0)), default=0)
            if first and own & _names(begins[first]):  # else a statement that the draft adds
                line = linecache.getline(path, first).strip()
                text = f"{Path(path).name}:{first}: `{line}`"
                found.setdefault(ast.unparse(ast.fix_missing_locations(node)), text)
                break
    return found


def _names(node: ast.AST) -> set[str]:
    """The names that a statement has, its own name among them."""
    nodes = list(ast.walk(node))
    names = {n.id for n in nodes if isinstance(n, ast.Name)} - {"self"}
    names |= {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    return names | {getattr(node, "name", "")} - {""}
