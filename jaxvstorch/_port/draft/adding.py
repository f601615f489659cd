"""Numbers that a loop adds up: arrays until it ends, so that no step waits for the device."""

import ast
from collections.abc import Iterator, Sequence

from jaxvstorch._port.draft.reading import WithoutItem, is_name


def add_arrays(loop: ast.For) -> list[str]:
    """Leave out ``item()`` in ``total += loss.item()``, where the loop reads no total but to print.

    Args:
        loop: changed in place.

    Returns:
        The names that are arrays where the loop ends, and were numbers in the program.
    """
    totals: dict[str, list[ast.AugAssign]] = {}
    for node in loop.body:
        match node:
            case ast.AugAssign(ast.Name(name), ast.Add()) if _takes_item(node.value):
                totals.setdefault(name, []).append(node)
    added = {name: nodes for name, nodes in totals.items() if not _is_read(loop, name, nodes)}
    for node in [n for nodes in added.values() for n in nodes]:
        node.value = WithoutItem().visit(node.value)
    set_in_loop = {n.id for n in _names(loop.body, added) if isinstance(n.ctx, ast.Store)}
    return [name for name in added if name not in set_in_loop]


def read_after(names: Sequence[str]) -> ast.stmt:
    """The statement that reads totals from the device."""
    return ast.parse(f"{', '.join(names)} = {', '.join(f'{n}.item()' for n in names)}").body[0]


def _takes_item(node: ast.expr) -> bool:
    calls = [part.func for part in ast.walk(node) if isinstance(part, ast.Call) and not part.args]
    return any(isinstance(func, ast.Attribute) and func.attr == "item" for func in calls)


def _is_read(loop: ast.For, name: str, added: Sequence[ast.AugAssign]) -> bool:
    """Whether a loop uses a total otherwise: it can be printed, and set to a number."""
    allowed = [id(node.target) for node in added]
    for node in ast.walk(loop):
        match node:
            case ast.Expr(ast.Call(ast.Name("print"))) | ast.Assign([ast.Name()], ast.Constant()):
                allowed += [id(part) for part in ast.walk(node)]
    return any(is_name(n, name) and id(n) not in allowed for n in ast.walk(loop))  # type: ignore[arg-type]


def _names(body: Sequence[ast.stmt], added: dict[str, list[ast.AugAssign]]) -> Iterator[ast.Name]:
    """The names in a list of statements, without the targets of what is added."""
    targets = {id(node.target) for nodes in added.values() for node in nodes}
    for part in (part for node in body for part in ast.walk(node)):
        if isinstance(part, ast.Name) and id(part) not in targets:
            yield part
