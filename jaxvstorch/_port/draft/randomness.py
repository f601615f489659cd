"""Writes who draws the random numbers of a draft, and where they begin."""

import ast
from typing import Any

from jaxvstorch._port.draft.expressions import KEY, parsed
from jaxvstorch._port.draft.modules import draws

SEEDED = "seeded_here"  # the target of a seed until it is known whether random numbers are drawn


def resolve(node: ast.AST, rngs: str, key: str) -> None:
    """Write who draws the random numbers in a tree.

    Args:
        node: the tree, changed in place.
        rngs: the expression of flax's random numbers there.
        key: what follows it for one key.
    """
    for part in draws(node):
        part.id = f"{rngs}{key}" if part.id == KEY else rngs


def begin_rngs(body: list[ast.stmt], here: bool) -> None:
    """Begin flax's random numbers where a body seeds PyTorch's, or at its first statement.

    Args:
        body: changed in place.
        here: whether they begin in it; or else its seeds are left out.
    """

    class Seeds(ast.NodeTransformer):
        found = False

        def visit_Assign(self, node: ast.Assign) -> Any:
            if ast.unparse(node.targets[0]) != SEEDED:
                return node
            made = ast.parse(f"rngs = nnx.Rngs({ast.unparse(node.value)})").body[0]
            first, self.found = not self.found, True
            return made if here and first else ast.Pass()

    seeds = Seeds()
    body[:] = [seeds.visit(part) for part in body]
    kept = without_pass(body)
    body[:] = kept or body[:1]
    if here and not seeds.found:
        body.insert(0, ast.parse("rngs = nnx.Rngs(0)").body[0])


def take_rngs(function: ast.FunctionDef) -> None:
    """Give a function flax's random numbers as an argument."""
    function.args.kwonlyargs.append(ast.arg("rngs", parsed("nnx.Rngs")))
    function.args.kw_defaults.append(None)


def keep_rngs(node: ast.ClassDef) -> None:
    """Let the objects of a class that draws keep flax's random numbers; it is not a module."""
    methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
    constructor = next((m for m in methods if m.name == "__init__"), None)
    kept = any(any(draws(method)) for method in methods if method is not constructor)
    for method in methods:
        resolve(method, "rngs" if method is constructor else "self.rngs", "()")
    first = int(ast.get_docstring(node) is not None)
    if constructor is None:
        text = "def __init__(self, *args, **options):\n    super().__init__(*args, **options)"
        (constructor,) = ast.parse(text).body  # type: ignore[assignment]
        assert isinstance(constructor, ast.FunctionDef)
        node.body.insert(first, constructor)
    take_rngs(constructor)
    if kept:
        first = int(ast.get_docstring(constructor) is not None)
        constructor.body.insert(first, ast.parse("self.rngs = rngs").body[0])


def without_pass(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements that are not ``pass``."""
    return [part for part in body if not isinstance(part, ast.Pass)]
