"""Carries constants through a function, and takes out what nothing reads then."""

import ast
import copy
from collections.abc import Mapping
from typing import Any

from jaxvstorch._port.draft.commenting import is_marker
from jaxvstorch._port.library.constants import stands_for

# Methods and functions that change nothing.
_PURE = frozenset({
    "size", "view", "reshape", "unsqueeze", "squeeze", "dim", "type", "to", "transpose", "expand",
    "len", "int", "float", "bool", "max", "min", "range", "tuple", "list", "isinstance", "getattr",
    "hasattr", "shape", "arange", "ones", "zeros", "get", "tensor",
})  # fmt: skip


def propagate(body: list[ast.stmt], known: Mapping[str, ast.expr]) -> list[ast.stmt]:
    """Statements with constants in place of the names that have them.

    Args:
        body: of a function.
        known: the constants of names at the beginning.
    """
    values = dict(known)
    new: list[ast.stmt] = []
    for statement in body:
        stored = _names(statement, ast.Store)
        simple = not hasattr(statement, "body")
        if not simple:
            for name in stored & set(values):  # stored in a branch or loop: a variable from here
                new.insert(0, _assignment(name, values.pop(name)))
        inside = {name: value for name, value in values.items() if simple or name not in stored}
        if (grown := _with_entry(statement, values)) is not None:
            values |= grown
            continue
        replaced = Fold(inside).visit(statement)
        for part in replaced if isinstance(replaced, list) else [replaced] if replaced else []:
            if isinstance(part, ast.Assign) and [ast.unparse(part.value)] == [
                ast.unparse(target) for target in part.targets
            ]:
                continue
            new.append(part)
            for name in stored:
                values.pop(name, None)
            if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
                name = part.targets[0].id
                if len(part.targets) == 1 and (
                    is_constant(part.value) or _only_unpacked(name, part, body)
                ):
                    values[name] = part.value
    return new


def _with_entry(statement: ast.stmt, values: Mapping[str, ast.expr]) -> dict[str, ast.expr] | None:
    """A known dictionary with the entry that a statement puts into it."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=key)], value=value):
            known = values.get(name)
            if isinstance(known, ast.Dict) and _is_literal(key) and _is_literal(value):
                return {name: ast.Dict([*known.keys, key], [*known.values, value])}
    return None


def _only_unpacked(name: str, made: ast.Assign, body: list[ast.stmt]) -> bool:
    """Whether a name is a dictionary of constants that is only unpacked."""
    if not isinstance(made.value, ast.Dict) or None in made.value.keys:
        return False
    if not all(is_constant(part) for part in [*made.value.keys, *made.value.values]):  # type: ignore[arg-type]
        return False
    parts = [part for statement in body for part in ast.walk(statement)]
    unpacked = {id(p.value) for p in parts if isinstance(p, ast.keyword) and p.arg is None}
    literal = [s for s in body if isinstance(s, ast.Assign) and _is_literal(s.value)]
    filled = [t for s in literal for t in s.targets]
    unpacked |= {id(t.value) for t in filled if isinstance(t, ast.Subscript)}
    read = [p for p in parts if isinstance(p, ast.Name) and p.id == name]
    return all(id(p) in unpacked or isinstance(p.ctx, ast.Store) for p in read)


def without_unread(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements without assignments of names that nothing reads."""
    new = list(body)
    for index in reversed(range(len(body))):
        statement = body[index]
        names = _assigned(statement)
        if not names or not is_pure(statement.value):  # type: ignore[attr-defined]
            continue
        if not any(_is_read(name, new[index + 1 :]) for name in names):
            del new[index]
            while (
                index and is_marker(new[index - 1]) and "blank" not in ast.unparse(new[index - 1])
            ):
                index -= 1
                del new[index]
    for statement in new:
        for name in ("body", "orelse"):
            inner = getattr(statement, name, None)
            if isinstance(inner, list) and inner and not isinstance(statement, ast.FunctionDef):
                setattr(statement, name, [s for s in inner if not _is_unread(s, new)] or (
                    [ast.Pass()] if name == "body" else []))  # fmt: skip
    return new


def _is_unread(statement: ast.stmt, whole: list[ast.stmt]) -> bool:
    names = _assigned(statement)
    read = set().union(*(_names(s, ast.Load) for s in whole))
    pure = bool(names) and is_pure(statement.value)  # type: ignore[attr-defined]
    return pure and not read & set(names)


def _assigned(statement: ast.stmt) -> list[str]:
    """The names that a plain assignment stores; none for other statements."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target = statement.targets[0]
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    return names if len(names) == len(parts) else []


def _is_read(name: str, later: list[ast.stmt]) -> bool:
    for statement in later:
        if name in _names(statement, ast.Load):
            return True
        if name in _assigned(statement):
            return False
    return False


def _names(node: ast.AST, context: type) -> set[str]:
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}
    if context is ast.Load:
        names |= {
            n.target.id for n in ast.walk(node)
            if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)
        }  # fmt: skip
    return names


def _assignment(name: str, value: ast.expr) -> ast.stmt:
    return ast.fix_missing_locations(ast.Assign([ast.Name(name, ast.Store())], value, lineno=0))


def _is_literal(node: ast.AST) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def is_constant(node: ast.AST) -> bool:
    """Whether an expression is None, a flag, a text, or a function or class."""
    if isinstance(node, ast.Constant):
        return node.value is None or isinstance(node.value, bool | str)
    return stands_for(node) is not None


def is_pure(node: ast.AST) -> bool:
    """Whether an expression changes nothing, and need not run if its value is not read."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            name = ast.unparse(part.func).rpartition(".")[2]
            if name not in _PURE:
                return False
        if isinstance(part, ast.NamedExpr | ast.Await | ast.Yield):
            return False
    return True


class Fold(ast.NodeTransformer):
    """Puts constants in place of names, and takes the branches that they decide."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if not isinstance(node.ctx, ast.Load) or stands_for(node) is not None:
            return node
        return copy.copy(self.values.get(node.id, node))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        words: list[ast.keyword] = []
        for word in node.keywords:
            if word.arg is None and isinstance(word.value, ast.Dict):
                pairs = zip(word.value.keys, word.value.values, strict=True)
                words += [ast.keyword(_value(key), value) for key, value in pairs]  # type: ignore[arg-type]
            else:
                words.append(word)
        node.keywords = words
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and is_constant(node.left) and is_constant(node.comparators[0]):
            left, right = (_value(n) for n in (node.left, node.comparators[0]))
            if isinstance(node.ops[0], ast.Is | ast.Eq):
                return ast.Constant(left == right)
            if isinstance(node.ops[0], ast.IsNot | ast.NotEq):
                return ast.Constant(left != right)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and is_constant(node.operand):
            return ast.Constant(not _value(node.operand))
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        stops = isinstance(node.op, ast.Or)
        values: list[ast.expr] = []
        for index, value in enumerate(node.values):
            is_last = index == len(node.values) - 1
            if is_constant(value) and bool(_value(value)) is not stops and not is_last:
                continue
            values.append(value)
            if is_constant(value) and bool(_value(value)) is stops:
                break
        node.values = values
        return node if len(values) > 1 else values[0]

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node.body) == ast.unparse(node.orelse) and is_pure(node.test):
            return node.body
        if is_constant(node.test):
            return node.body if _value(node.test) else node.orelse
        return node

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        if is_constant(node.test):
            return node.body if _value(node.test) else node.orelse
        return node


def _value(node: ast.AST) -> Any:
    return node.value if isinstance(node, ast.Constant) else stands_for(node)
