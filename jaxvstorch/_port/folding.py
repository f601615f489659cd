"""Constant folding: the value of an expression whose constants, or known types, decide it."""

import ast
import dis
import math

from jaxvstorch._port.isolation import without_warnings

_CONSTANT = (ast.BinOp, ast.Compare, ast.Constant, ast.List, ast.Load, ast.Subscript, ast.Tuple,
             ast.UnaryOp, ast.cmpop, ast.operator, ast.unaryop)  # fmt: skip
_PYTHON = {"bool": bool, "float": float, "int": int, "isinstance": isinstance, "len": len,
           "list": list, "str": str, "tuple": tuple}  # fmt: skip


def decided(node: ast.expr) -> bool | None:
    """Whether a constant is true; None where it is no constant."""
    value = folded(node)
    return bool(value.value) if isinstance(value, ast.Constant) else None


def folded(node: ast.expr) -> ast.expr:
    """The value of an expression that constants decide; any other as it is."""
    match node:
        case ast.Name() | ast.Constant() | ast.Tuple():
            pass
        case ast.Call(func=ast.Name("len"), args=[ast.Tuple(elts=parts)]) if plain(parts):
            return ast.Constant(len(parts))
        case ast.Subscript(value=ast.Tuple(elts=parts), slice=ast.Constant(value=int(i))):
            return parts[i] if plain(parts) and -len(parts) <= i < len(parts) else node
        case ast.Call(func=ast.Name("isinstance"), args=[value, types]):
            known = _type_name(value)
            names = {n.id for n in ast.walk(types) if isinstance(n, ast.Name)}
            if known and names <= set(_PYTHON):
                return ast.Constant(known in names or (known == "bool" and "int" in names))
            return node
        case ast.Compare(ast.IfExp(test, body, orelse), [ast.Is()], [ast.Constant(None)]):
            if (_is_none(body), _is_none(orelse)) == (True, False):
                return test
        case ast.Compare(
            left=value, ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(None)]
        ):
            none = _is_none(value)
            return node if none is None else ast.Constant(none is isinstance(node.ops[0], ast.Is))
        case ast.IfExp(
            ast.Compare(value, [ast.Is()], [ast.Constant(None)]), ast.Constant(None), same
        ) if ast.unparse(value) == ast.unparse(same):
            return same
        case ast.IfExp(test, body, ast.IfExp() as inner) if ast.dump(test) == ast.dump(inner.test):
            return ast.IfExp(test, body, inner.orelse)
        case ast.Attribute(
            ast.Call(ast.Attribute(ast.Attribute(array, "T"), "astype"), dtype), "T"
        ):
            return ast.Call(ast.Attribute(array, "astype", ast.Load()), dtype, [])
        case ast.Compare(left=value, ops=[ast.In()]) if _type_name(value) == "int":
            # The map asks whether axes are none: `dim in ((), [])`.
            return ast.Constant(False) if _empty(node.comparators[0]) else _computed(node)
        case _:
            return _computed(node)
    return node


def _empty(node: ast.expr) -> bool:
    """Whether an expression is a tuple of empty tuples and lists."""
    containers = (ast.Tuple, ast.List)
    return isinstance(node, ast.Tuple) and all(
        isinstance(part, containers) and not part.elts for part in node.elts
    )


def plain(parts: list[ast.expr]) -> bool:
    """Whether none of some arguments is unpacked."""
    return not any(isinstance(part, ast.Starred) for part in parts)


TYPE = "_type"  # the attribute of a node with the name of its value's type, where a run showed it


def _type_name(node: ast.expr) -> str | None:
    """The name of an expression's type, as far as it is known."""
    if isinstance(node, ast.Tuple | ast.List):
        return type(node).__name__.lower()
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):  # -1
        node = node.operand
    if isinstance(node, ast.Constant):
        return type(node.value).__name__
    return getattr(node, TYPE, None)


def _is_none(node: ast.expr) -> bool | None:
    """Whether an expression is None; None where it is not known."""
    if isinstance(node, ast.Constant):
        return node.value is None
    known = _type_name(node) in ("int", "list", "tuple") or isinstance(
        node, ast.BinOp | ast.UnaryOp
    )
    converted = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "astype"
    return False if known or converted else None


def _computed(node: ast.expr) -> ast.expr:
    for part in ast.walk(node):
        named = isinstance(part, ast.Name) and part.id in _PYTHON
        called = isinstance(part, ast.Call) and not part.keywords
        if not (isinstance(part, _CONSTANT) or named or called):
            return node
    try:
        with without_warnings():  # Python warns of `is` with a constant
            code = compile(ast.Expression(ast.fix_missing_locations(node)), "", "eval")
            # Python has computed what is small, and leaves 9**9**9 to the run.
            if any(step.opname == "BINARY_OP" for step in dis.get_instructions(code)):
                return node
            value = eval(code, {"__builtins__": {}}, dict(_PYTHON))
    except Exception:
        return node
    if isinstance(value, float) and not math.isfinite(value):
        return node
    if isinstance(value, bool | int | float | str | tuple | None):
        return ast.parse(repr(value), mode="eval").body
    return node
