"""A row's expression in PyTorch with the arguments of one call, to run and to show."""

import ast
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

from jaxvstorch._port.from_jax.defaults import SCOPE, WithoutDefaults
from jaxvstorch._port.map.row import PLACEMENT_IN_JAX, Row
from jaxvstorch._port.map.running.values import RefusedError

_COMPUTED = {
    f.__name__: f
    for f in (abs, bool, isinstance, len, list, max, min, range, reversed, sorted, tuple, int,
              float, str)
}  # fmt: skip
_PREFIX = "_argument_"  # no name that a reader writes
_PLAIN = (bool, int, str, type(None))
_VISITED = (ast.Name, ast.Constant, ast.IfExp)
_NARROW = (torch.int8, torch.int16, torch.int32)


@dataclass(frozen=True)
class Argument:
    """An argument of a call: its value in PyTorch, and what shows it."""

    value: Any
    node: ast.expr

    @property
    def is_number(self) -> bool:
        return isinstance(self.value, bool | int | float | complex)

    def converted(self, method: str) -> "Argument":
        """The array after ``long()`` or ``float()``."""
        function = ast.Attribute(self.node, method, ast.Load())
        return Argument(getattr(self.value, method)(), ast.Call(function, [], []))

    def as_tensor(self) -> "Argument":
        """A number as an array: most functions of PyTorch take no numbers."""
        function = ast.parse("torch.tensor", mode="eval").body
        return Argument(torch.tensor(self.value), ast.Call(function, [self.node], []))


class Fitted(NamedTuple):
    """An expression of PyTorch over placeholders, and what they stand for."""

    tree: ast.expr
    arguments: dict[str, Argument]

    def converted(self, method: str) -> "Fitted | None":
        """The same with integers of 64 bits, or as floats; None where no array is narrower."""
        narrow = _NARROW if method == "long" else (*_NARROW, torch.bool, torch.int64)
        new = {
            name: argument.converted(method)
            for name, argument in self.arguments.items()
            if isinstance(argument.value, torch.Tensor) and argument.value.dtype in narrow
        }
        return Fitted(self.tree, self.arguments | new) if new else None

    def run(self, **scope: Any) -> Any:
        """Its value."""
        values = {name: argument.value for name, argument in self.arguments.items()}
        code = compile(ast.fix_missing_locations(ast.Expression(self.tree)), "<port>", "eval")
        return eval(code, SCOPE | scope | values)

    @property
    def shown(self) -> ast.expr:
        """The same with what a reader wrote."""
        nodes = {name: argument.node for name, argument in self.arguments.items()}
        tree: ast.expr = _Placed(nodes).visit(ast.parse(ast.unparse(self.tree), mode="eval").body)
        return tree

    def __str__(self) -> str:
        return ast.unparse(self.shown)


def bind(
    written: str, row: Row, args: Sequence[Argument], kwargs: Mapping[str, Argument]
) -> dict[str, Any]:
    """Each parameter's argument; a tuple of them for ``*args``, the default where none is given.

    Args:
        written: the parameters.
        row: of the map.
        args: positional arguments.
        kwargs: named arguments.

    Raises:
        TypeError: the arguments do not fit the parameters.
        RefusedError: a parameter that PyTorch lacks has another value than its default.
    """
    signature = inspect.signature(eval(f"lambda {written}: 0", dict(SCOPE)))
    known = {n: a for n, a in kwargs.items() if n in signature.parameters or _takes_all(signature)}
    if strange := kwargs.keys() - known.keys() - PLACEMENT_IN_JAX:
        raise RefusedError(", ".join(sorted(strange)))
    given = signature.bind(*args, **known).arguments
    for name in row.refused:
        if name in given and not _is_default(given[name], signature.parameters[name].default):
            raise RefusedError(name)
    bound: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if name in given:
            bound[name] = given[name]
        elif parameter.kind is parameter.VAR_POSITIONAL:
            bound[name] = ()
        elif parameter.kind is parameter.VAR_KEYWORD:
            bound[name] = {}
        else:
            bound[name] = _default(parameter.default, row.parameters.get(name))
    return bound


def _default(value: Any, node: ast.expr | None) -> Argument:
    if isinstance(value, torch.dtype):  # written as JAX's
        node = ast.parse(str(value), mode="eval").body
    return Argument(value, node or ast.Constant(None))


def _takes_all(signature: inspect.Signature) -> bool:
    return any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())


def _is_default(argument: Any, default: Any) -> bool:
    if not isinstance(argument, Argument):
        return not argument
    same = argument.value is default or argument.value == default
    return same is True or (isinstance(same, np.bool_) and bool(same))


def fit(expression: str, bound: Mapping[str, Any]) -> Fitted:
    """An expression of the map with the arguments of a call.

    The values decide its branches, and what depends on numbers of axes alone is computed.
    """
    filler = _Filler(bound)
    tree = filler.visit(ast.parse(expression, mode="eval").body)
    return Fitted(WithoutDefaults().visit(tree), filler.arguments)


class _Filler(ast.NodeTransformer):
    def __init__(self, bound: Mapping[str, Any]) -> None:
        self.bound = bound
        self.arguments: dict[str, Argument] = {}

    def visit(self, node: ast.AST) -> Any:
        kept = not isinstance(node, ast.expr) or isinstance(node, _VISITED)
        computed = None if kept else self._computed(node)  # type: ignore[arg-type]
        return super().visit(node) if computed is None else computed

    def _computed(self, node: ast.expr) -> ast.expr | None:
        """The value of what depends on constants and numbers of axes; None of anything else."""
        inside = {id(n.value) for n in ast.walk(node)
                  if isinstance(n, ast.Attribute) and n.attr == "ndim"}  # fmt: skip
        bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _is_stored(n)}
        names = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id not in bound]
        for name in names:
            known = self.bound.get(name.id)
            if name.id in _COMPUTED and known is None:
                continue
            if not isinstance(known, Argument) and not is_plain(known):
                return None
            arrays = isinstance(known, Argument) and not is_plain(known.value)
            if known is None or (arrays and id(name) not in inside):
                return None
            if not arrays and not _is_constant(known):  # it has other values at other calls
                return None
        if not names:
            return None
        try:
            value = self._value(node)
        except Exception:
            return None
        return ast.parse(repr(value), mode="eval").body if is_plain(value) else None

    def _value(self, node: ast.expr) -> Any:
        values = {n: _values(argument) for n, argument in self.bound.items()}
        code = compile(ast.fix_missing_locations(ast.Expression(node)), "<port>", "eval")
        return eval(code, SCOPE | values)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        argument = self.bound.get(node.id)
        if argument is None:
            return node
        if isinstance(argument, tuple):
            parts = [self._placed(f"{node.id}_{i}", part) for i, part in enumerate(argument)]
            return ast.Tuple(parts, ast.Load())
        if isinstance(argument, dict):
            return ast.Dict(
                [ast.Constant(name) for name in argument],
                [self._placed(f"{node.id}_{name}", part) for name, part in argument.items()],
            )
        return self._placed(node.id, argument)

    def _placed(self, name: str, argument: Argument) -> ast.expr:
        text = ast.unparse(argument.node)
        if not _is_constant(argument):
            if text.startswith("torch.") and text.replace(".", "").replace("_", "").isalnum():
                return argument.node  # a constant, such as a dtype
            self.arguments[_PREFIX + name] = argument
            return ast.Name(_PREFIX + name, ast.Load())
        return ast.parse(text, mode="eval").body

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        if self._asks_for_values(node.test):  # as that of lax.cond
            return self.generic_visit(node)
        chosen: ast.AST = self.visit(node.body if self._value(node.test) else node.orelse)
        return chosen

    def _asks_for_values(self, test: ast.expr) -> bool:
        """Whether the numbers in an array decide a test, and not its type or shape."""
        if isinstance(test, ast.BoolOp):
            return any(map(self._asks_for_values, test.values))
        if isinstance(test, ast.UnaryOp):
            return self._asks_for_values(test.operand)
        known = self.bound.get(test.id) if isinstance(test, ast.Name) else None
        return isinstance(known, Argument) and isinstance(known.value, torch.Tensor)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        if isinstance(node.op, ast.Or) and isinstance(node.values[0], ast.Name):
            value = self._value(node.values[0])
            if not isinstance(value, torch.Tensor):
                chosen: ast.AST = self.visit(node.values[0] if value else node.values[1])
                return chosen
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.args = [part for argument in node.args for part in _unpacked(argument)]
        keywords = []
        for word in node.keywords:
            if word.arg is None and isinstance(word.value, ast.Dict):
                keys = [ast.literal_eval(key) for key in word.value.keys if key]
                keywords += [
                    ast.keyword(k, v) for k, v in zip(keys, word.value.values, strict=True)
                ]
            else:
                keywords.append(word)
        node.keywords = keywords
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """``x[(slice(None),) * 1 + (i,)]`` as ``x[:, i]``."""
        match node.slice:
            case ast.BinOp(
                left=ast.BinOp(left=ast.Tuple(elts=[ast.Call()]), right=times), op=ast.Add(),
                right=ast.Tuple(elts=rest),
            ) if "slice(None)" in ast.unparse(node.slice):  # fmt: skip
                parts = [ast.Slice()] * self._value(times) + [self.visit(part) for part in rest]
                index = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
                return ast.Subscript(self.visit(node.value), index, ast.Load())
        return self.generic_visit(node)


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _is_constant(argument: Any) -> bool:
    """Whether what stands for an argument is a literal of the source."""
    if isinstance(argument, tuple):
        return all(map(_is_constant, argument))
    try:
        ast.literal_eval(ast.unparse(argument.node))
    except (ValueError, TypeError, SyntaxError):
        return False
    return True


def _values(argument: Any) -> Any:
    if isinstance(argument, tuple):
        return tuple(part.value for part in argument)
    if isinstance(argument, dict):
        return {name: part.value for name, part in argument.items()}
    return argument.value


def is_plain(value: Any) -> bool:
    """Whether a value is text, a whole number or nothing, or made of such."""
    if isinstance(value, list | tuple):
        return all(map(is_plain, value))
    return type(value) in _PLAIN


def _unpacked(argument: ast.expr) -> list[ast.expr]:
    several = isinstance(argument, ast.Starred) and isinstance(argument.value, ast.Tuple | ast.List)
    return argument.value.elts if several else [argument]  # type: ignore[attr-defined]


class _Placed(ast.NodeTransformer):
    def __init__(self, nodes: Mapping[str, ast.expr]) -> None:
        self.nodes = nodes

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.nodes.get(node.id, node)
