"""Fills the map's expressions with a call's own arguments."""

import ast
import linecache
from collections.abc import Sequence
from contextlib import suppress
from functools import cache

from jaxvstorch._port.folding import TYPE
from jaxvstorch._port.map.row import PLACEMENT, Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.report_data import Location
from jaxvstorch._port.simplifying import simplified

Span = tuple[int, int, int | None, int | None]  # first and last line from 1, columns in bytes


def filled(name: str, node: ast.AST | None, types: Sequence[str] = ()) -> str | None:
    """The JAX for a call, or the map's expression where the arguments cannot be told apart.

    Args:
        name: of the map.
        node: the call, operator or index.
        types: the types of its positional arguments, as far as they are known.
    """
    expression = meaning(rows()[name]).expression
    if expression is not None and node is not None:
        with suppress(KeyError, ValueError, SyntaxError, RecursionError):
            return ast.unparse(filled_tree(name, node, types))
    return expression


def filled_tree(
    name: str,
    node: ast.AST,
    types: Sequence[str] = (),
    key: ast.expr | None = None,
    row: Row | None = None,
) -> ast.expr:
    """The map's expression for a name with the arguments of a call, an operator or an index.

    Args:
        name: of the map, with an expression.
        node: the call, operator or index.
        types: the types of its positional arguments, as far as they are known.
        key: what stands for the random key, if not ``key``.
        row: of the name, if not the map's.

    Raises:
        KeyError: a parameter that the expression needs is not given.
        ValueError: the arguments cannot be told apart, such as unpacked ones.
    """
    positional, named = _arguments(node, name.startswith("Tensor."))
    for argument, type_name in zip(positional, types, strict=False):
        setattr(argument, TYPE, type_name)
    filled = _filled_row(row or meaning(rows()[name]), positional, named, key)
    return node if isinstance(node, _OPERATOR) and _is_operator(filled, positional) else filled


_OPERATOR = (ast.BinOp, ast.Compare, ast.UnaryOp)
# The functions behind the operators of JAX's arrays.
_OPERATORS = frozenset(
    f"jnp.{name}"
    for name in (
        "add", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or",
        "bitwise_right_shift", "bitwise_xor", "divide", "equal", "floor_divide", "greater",
        "greater_equal", "less", "less_equal", "matmul", "mod", "multiply", "negative",
        "not_equal", "power", "remainder", "subtract", "true_divide", "invert", "left_shift",
        "right_shift",
    )
)  # fmt: skip


def _is_operator(expression: ast.expr, operands: list[ast.expr]) -> bool:
    """Whether an expression is the same operator on the same operands."""
    if isinstance(expression, ast.BinOp):
        return list(map(ast.dump, (expression.left, expression.right))) == list(
            map(ast.dump, operands)
        )
    return (
        isinstance(expression, ast.Call)
        and ast.unparse(expression.func) in _OPERATORS
        and not expression.keywords
        and list(map(ast.dump, expression.args)) == list(map(ast.dump, operands))
    )


def filled_module(row: Row, location: Location, settings: dict[str, ast.expr]) -> str | None:
    """The JAX for a call of a module, by the values that it was made with."""
    text = row.expression
    if text is None:
        return None
    values = dict(settings)
    node = node_at(location)
    if isinstance(node, ast.Call):
        values |= dict(zip(row.taken(second=True), node.args, strict=False))
        values |= {word.arg: word.value for word in node.keywords if word.arg}
    expression = ast.parse(text, mode="eval").body
    return ast.unparse(simplified(expression, values, _with_default(row)))


@cache
def _nodes(file: str) -> dict[Span, ast.AST]:
    source = "".join(linecache.getlines(file))
    if not source:
        return {}
    nodes = list(ast.walk(ast.parse(source)))
    by_span: dict[Span, ast.AST] = {
        span_of(n): n for n in nodes if isinstance(n, ast.expr | ast.AugAssign)
    }
    for node in nodes:  # in bytecode, x[i] = v has the span of x[i]
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript):
                    by_span[span_of(target)] = ast.Assign([target], node.value)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
            by_span[span_of(node.target)] = node
    return by_span


@cache
def _loops(file: str) -> list[ast.For]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.For)]


def is_loop_variable(name: str, file: str, line: int) -> bool:
    """Whether a name is a variable of a loop around a line."""
    return any(
        loop.lineno <= line <= (loop.end_lineno or loop.lineno)
        and any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(loop.target))
        for loop in _loops(file)
    )


def span_of(node: ast.expr | ast.stmt) -> Span:
    """A node's span in bytecode: lines from 1, columns in bytes from 0.

    A method's call begins at the method's name if that is not on the line where the object begins.
    """
    match node:
        case ast.Call(func=ast.Attribute(attr=name, end_lineno=int(line), end_col_offset=int(end))):
            if line != node.lineno and len(name) <= end:
                return line, end - len(name), node.end_lineno, node.end_col_offset
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def node_at(location: Location) -> ast.AST | None:
    """The expression or assignment at a location, if its file can be read."""
    if location.column is None:
        return None
    span = (location.line, location.column, location.end_line, location.end_column)
    try:
        return _nodes(location.file).get(span)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _arguments(node: ast.AST, method: bool) -> tuple[list[ast.expr], dict[str, ast.expr]]:
    """The arguments of a call, an operator or an index: positional ones, and those by name."""
    match node:
        case ast.BinOp():
            return [node.left, node.right], {}
        case ast.Compare():
            return [node.left, node.comparators[0]], {}
        case ast.UnaryOp():
            return [node.operand], {}
        case ast.Subscript():
            return [node.value, node.slice], {}
        case ast.AugAssign():
            return [node.target, node.value], {}
        case ast.Call():
            named = {word.arg: word.value for word in node.keywords if word.arg}
            if len(named) < len(node.keywords):
                raise ValueError("**options: their names are not in the source")
            array = [node.func.value] if method and isinstance(node.func, ast.Attribute) else []
            return array + node.args, named
    raise ValueError(f"not a call, an operator or an index: {ast.unparse(node)}")


def matched(row: Row, node: ast.Call) -> tuple[dict[str, ast.expr], frozenset[str]]:
    """The values of a row's parameters in a call that makes a layer, and which have defaults.

    Raises:
        KeyError: an argument is missing.
        ValueError: the arguments cannot be told apart, such as unpacked ones.
    """
    positional, named = _arguments(node, method=False)
    if any(isinstance(value, ast.Starred) for value in positional):
        raise ValueError("*arguments: their number is not in the source")
    values = {name: default for name, default in row.parameters.items() if default is not None}
    values |= dict(zip(row.taken(), positional, strict=False)) | row.own_names(named)
    return values, _with_default(row)


def _filled_row(
    row: Row, positional: list[ast.expr], named: dict[str, ast.expr], key: ast.expr | None
) -> ast.expr:
    arguments = ast.parse(f"lambda {row.made}: 0", mode="eval").body
    assert isinstance(arguments, ast.Lambda)
    order = [argument.arg for argument in arguments.args.args]
    named = row.own_names(named)
    if arguments.args.kwarg is None and (unknown := named.keys() - row.parameters - PLACEMENT):
        raise ValueError(f"the map's line has no parameter {', '.join(sorted(unknown))}")
    values = {name: default for name, default in row.parameters.items() if default is not None}
    values |= dict(zip(order, positional, strict=False)) | named
    rest = positional[len(order) :]
    starred = [i for i, value in enumerate(positional) if isinstance(value, ast.Starred)]
    if starred and starred[0] < len(order):
        # x.permute(*axes): the numbers are one argument; any other could be several.
        if starred[0] != len(order) - 1 or named:
            raise ValueError("*arguments: their number is not in the source")
        rest = rest or [positional[-1]]
    if arguments.args.vararg is not None:
        size = named.get(arguments.args.vararg.arg)  # torch.zeros(size=(2, 3))
        match rest:
            case [ast.Starred(value=only)] if arguments.args.vararg.arg in _SIZES:
                size = only  # torch.zeros(*sizes)
        values[arguments.args.vararg.arg] = ast.Tuple([size] if size else rest, ast.Load())
    elif rest and order:  # x.permute(0, 2, 1): the numbers are one argument
        values[order[-1]] = ast.Tuple(positional[len(order) - 1 :], ast.Load())
    needed = {*order, *(a.arg for a in arguments.args.kwonlyargs)} & _names(row.expression or "0")
    if missing := needed - set(values):
        raise KeyError(", ".join(missing))
    expression = ast.parse(row.expression or "", mode="eval").body
    if key is not None and row.draws:
        values["key"] = key
    return simplified(expression, values, _with_default(row))


_SIZES = ("size", "sizes", "shape")  # parameters that take numbers, or one tuple of them


def _with_default(row: Row) -> frozenset[str]:
    return frozenset(name for name, default in row.parameters.items() if default is not None)


def _names(text: str) -> set[str]:
    return {n.id for n in ast.walk(ast.parse(text, mode="eval")) if isinstance(n, ast.Name)}
