"""The map's expression for one call, without the branches and defaults that it decides."""

import ast
import copy
import inspect
import re
from collections.abc import Mapping, Set
from functools import cache
from importlib.util import find_spec
from typing import Any

from jaxvstorch._port.folding import decided, folded, plain
from jaxvstorch._port.map.rows import meaning, rows

# What JAX takes where an argument is None, by the argument and the functions that have it.
_FOR_NONE = {
    ("keepdims", "False"): r"jnp\..*",
    ("dtype", "float"): r"jax\.random\.(normal|uniform)",
    ("dtype", "int"): r"jax\.random\.randint",
    ("step", "1"): r"jnp\.arange",
}
# Functions that compare dtypes, instead of making arrays of them.
_OF_DTYPES = ("jnp.can_cast", "jnp.iinfo", "jnp.promote_types", "jnp.result_type")
_FLOATS = re.compile(
    r"jax\.random\.(cauchy|exponential|gumbel|laplace|normal|truncated_normal|uniform)\("
)
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_NO_OPS = ("optax.add_decayed_weights(0)", "optax.add_decayed_weights(0.0)")


def simplified(
    expression: ast.expr, values: Mapping[str, ast.expr], settings: Set[str] = frozenset()
) -> ast.expr:
    """The expression with values for names, without the branches that they decide and defaults.

    Args:
        expression: of the map.
        values: of its names.
        settings: the names that are no operands: a term 0, or a factor 1, of one is left out.
    """
    own = _renamed_bound(expression, values)
    new: ast.expr = ast.fix_missing_locations(_Substitution(values, settings).visit(own))
    return new


def _renamed_bound(expression: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
    """The expression whose own variables, such as a lambda's, have no name that a value reads."""
    bound = {node.arg for node in ast.walk(expression) if isinstance(node, ast.arg)}
    for node in ast.walk(expression):
        if isinstance(node, ast.comprehension):
            bound |= {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
    read = {name.id for v in values.values() for name in ast.walk(v) if isinstance(name, ast.Name)}
    new = {}
    for name in bound & read:
        new[name] = f"{name}_"
        while new[name] in read:
            new[name] += "_"
    for node in ast.walk(expression):
        if isinstance(node, ast.arg):
            node.arg = new.get(node.arg, node.arg)
        elif isinstance(node, ast.Name):
            node.id = new.get(node.id, node.id)
    return expression


class _Substitution(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr], settings: Set[str]) -> None:
        self.values = values
        self.settings = settings
        self.of_dtypes = False  # whether the call around is one of _OF_DTYPES

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.values:
            return node
        value: ast.AST = _Constants(self.of_dtypes).visit(copy.deepcopy(self.values[node.id]))
        return value

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        test = self.visit(node.test)
        if not isinstance(test, ast.Constant):
            return folded(ast.IfExp(test, self.visit(node.body), self.visit(node.orelse)))
        chosen: ast.AST = self.visit(node.body if test.value else node.orelse)
        return chosen

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        left = [v for v in node.values[:-1] if decided(v) is not (not decides)]
        for index, value in enumerate(left):
            if decided(value) is decides:
                left = left[: index + 1]
                break
        else:
            left.append(node.values[-1])
        return left[0] if len(left) == 1 else ast.BoolOp(node.op, left)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        neutral = {ast.Add: 0, ast.Mult: 1}.get(type(node.op))
        left, right = self._can_vanish(node.left), self._can_vanish(node.right)
        # A float would turn integers into floats; what a row draws as floats are none.
        floats = _FLOATS.search(ast.unparse(node)) is not None
        new = self.generic_visit(node)
        if neutral is not None and isinstance(new, ast.BinOp):
            for part, other, can in ((new.left, new.right, left), (new.right, new.left, right)):
                if can and _is_number(part, neutral, floats):
                    return other
        return new

    def _can_vanish(self, operand: ast.expr) -> bool:
        """Whether it is no operand of the program, nor a number that the map's line writes."""
        if isinstance(operand, ast.Name):
            return operand.id in self.settings
        return not isinstance(operand, ast.Constant)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        return folded(node) if isinstance(node, ast.expr) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        around, self.of_dtypes = self.of_dtypes, ast.unparse(node.func) in _OF_DTYPES
        new = self.generic_visit(node)
        self.of_dtypes = around
        if isinstance(new, ast.Call):
            new.args = [part for argument in new.args for part in _unpacked(argument)]
            return _without_defaults(new)
        return new


def _is_number(node: ast.expr, number: int, or_float: bool) -> bool:
    kinds = (int, float) if or_float else (int,)
    return isinstance(node, ast.Constant) and type(node.value) in kinds and node.value == number


class _Constants(ast.NodeTransformer):
    """JAX's dtypes and numbers for PyTorch's, in an argument.

    Args:
        exact: whether int64 stays; for an array's dtype it is ``int``, as wide as JAX's are.
    """

    def __init__(self, exact: bool) -> None:
        self.exact = exact

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        row = rows().get(ast.unparse(node))
        row = row and meaning(row)
        if row is None or row.made is not None or row.expression is None:
            return self.generic_visit(node)
        if row.expression == "jnp.int64" and not self.exact:
            return ast.Name("int", ast.Load())
        return ast.parse(row.expression, mode="eval").body


def _unpacked(argument: ast.expr) -> list[ast.expr]:
    """``*(2, 3)`` as two arguments."""
    tuples = isinstance(argument, ast.Starred) and isinstance(argument.value, ast.Tuple)
    return argument.value.elts if tuples else [argument]  # type: ignore[attr-defined]


def _without_defaults(call: ast.Call) -> ast.expr:
    """A call without the keywords, and the last arguments, that are defaults."""
    name = ast.unparse(call.func)
    if name == "optax.chain":
        call.args = [part for part in call.args if ast.unparse(part) not in _NO_OPS]
        return call.args[0] if len(call.args) == 1 else call
    if name == "jnp.moveaxis" and [ast.unparse(axis) for axis in call.args[1:]] == ["0", "0"]:
        return call.args[0]
    if name == "paste.reduced" and isinstance(call.args[1], ast.Constant):
        return _reduced(*call.args)
    taken = parameters(name)
    call.keywords = [
        word
        for word in call.keywords
        if word.arg not in taken or not _is_default(name, taken[word.arg], word.value)
    ]
    by_position = [parameter for parameter in taken.values() if parameter.kind in _POSITIONAL]
    if plain(call.args) and len(call.args) <= len(by_position):
        while call.args and _is_default(name, by_position[len(call.args) - 1], call.args[-1]):
            del call.args[-1]
    return call


def _reduced(loss: ast.expr, reduction: ast.expr) -> ast.expr:
    """A loss whose reduction is written in the call."""
    function = {"'mean'": "jnp.mean", "'sum'": "jnp.sum"}.get(ast.unparse(reduction))
    if function is None:
        return loss
    return ast.Call(ast.parse(function, mode="eval").body, [loss], [])


def _is_default(name: str, parameter: inspect.Parameter, value: ast.expr) -> bool:
    text = ast.unparse(value)
    if parameter.default is None and (functions := _FOR_NONE.get((parameter.name, text))):
        return re.fullmatch(functions, name) is not None
    return text == repr(parameter.default)


@cache
def parameters(name: str) -> dict[str, inspect.Parameter]:
    """The parameters of a function of JAX, or one to paste, or a method of an array.

    Without JAX they are not known: programs are read there too, and defaults stay.
    """
    modules = _modules()
    if not modules:
        return {}
    path = name.split(".")
    function: Any = modules.get(path[0])
    if function is None:
        method = getattr(modules["jax"].Array, path[-1], None) if len(path) > 1 else None
        return _signature(method, bound=True)
    for part in path[1:]:
        function = getattr(function, part, None)
    if inspect.isclass(function):
        return _signature(function.__init__, bound=True)
    return _signature(function)


def _signature(function: Any, bound: bool = False) -> dict[str, inspect.Parameter]:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # no function, or one without a signature
        return {}
    return dict(list(parameters.items())[bound:])


@cache
def _modules() -> dict[str, Any]:
    if find_spec("jax") is None:
        return {}
    from jaxvstorch._port.map.running.namespace import namespace

    return namespace()
