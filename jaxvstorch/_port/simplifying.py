"""The map's expression for one call, without the branches and defaults that it decides."""

import ast
import copy
import re
from collections.abc import Mapping
from functools import cache

from jaxvstorch._port.folding import decided, folded, plain
from jaxvstorch._port.map.pasting import sources
from jaxvstorch._port.map.rows import rows

# Keywords of JAX functions, with these defaults.
_KEYWORDS = {"axis": None, "keepdims": False, "dtype": None, "n": None, "norm": None, "s": None,
             "descending": False, "use_bias": True, "feature_group_count": 1}  # fmt: skip
# Functions in which one of these keywords has another default.
_OTHER_DEFAULT = {
    "axis": frozenset({
        "jax.nn.glu", "jax.nn.log_softmax", "jax.nn.softmax", "jnp.argsort", "jnp.array_split",
        "jnp.concatenate", "jnp.fft.fft", "jnp.fft.hfft", "jnp.fft.ifft", "jnp.fft.ihfft",
        "jnp.fft.irfft", "jnp.fft.rfft", "jnp.sort", "jnp.stack", "jnp.take_along_axis",
        "jnp.vecdot", "lax.cumlogsumexp",
    }),
    "keepdims": frozenset({"lax.index_in_dim"}),
}  # fmt: skip
# Defaults of the last parameters, in order; those before them have none.
_TRAILING = {
    "jax.random.normal": ("float",),
    "jax.random.randint": ("int",),
    "jax.random.uniform": ("float", "0.0", "1.0"),
    "jnp.arange": ("None", "1"),
    "jnp.array": ("None",),
    "jnp.asarray": ("None",),
    "jnp.diag": ("0",),
    "jnp.diagonal": ("0", "0", "1"),
    "jnp.eye": ("None",),
    "jnp.full": ("None",),
    "jnp.full_like": ("None",),
    "jnp.ones": ("None",),
    "jnp.ones_like": ("None",),
    "jnp.tril": ("0",),
    "jnp.triu": ("0",),
    "jnp.zeros": ("None",),
    "jnp.zeros_like": ("None",),
    "optax.adadelta": ("0.9", "1e-06"),
    "optax.adam": ("0.9", "0.999", "1e-08"),
    "optax.adamax": ("0.9", "0.999", "1e-08"),
    "optax.adamw": ("0.9", "0.999", "1e-08"),
    "optax.radam": ("0.9", "0.999", "1e-08"),
    "optax.sgd": ("None", "False"),
}
_REQUIRED = {"jax.random.normal": 2, "jax.random.randint": 4, "jax.random.uniform": 2,
             "jnp.full": 2, "jnp.full_like": 2}  # fmt: skip
_NO_OPS = ("optax.add_decayed_weights(0)", "optax.add_decayed_weights(0.0)")


def simplified(expression: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
    """The expression with values for names, without the branches that they decide and defaults."""
    new: ast.expr = ast.fix_missing_locations(_Substitution(values).visit(expression))
    return new


class _Substitution(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.values:
            return node
        value: ast.AST = _Constants().visit(copy.deepcopy(self.values[node.id]))
        return value

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        test = self.visit(node.test)
        if not isinstance(test, ast.Constant):
            return ast.IfExp(test, self.visit(node.body), self.visit(node.orelse))
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
        new = self.generic_visit(node)
        match new:
            case (
                ast.BinOp(left=other, op=ast.Add(), right=ast.Constant(value=0 as number))
                | ast.BinOp(left=ast.Constant(value=0 as number), op=ast.Add(), right=other)
                | ast.BinOp(left=other, op=ast.Mult(), right=ast.Constant(value=1 as number))
                | ast.BinOp(left=ast.Constant(value=1 as number), op=ast.Mult(), right=other)
            ):
                # A float would turn integers into floats.
                return other if type(number) is int or "jax.random." in ast.unparse(other) else new
        return new

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        return folded(node) if isinstance(node, ast.expr) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        new = self.generic_visit(node)
        if isinstance(new, ast.Call):
            new.args = [part for argument in new.args for part in _unpacked(argument)]
            name = ast.unparse(new.func)
            new.keywords = [word for word in new.keywords if not _is_default(name, word)]
            return _without_defaults(new)
        return new


class _Constants(ast.NodeTransformer):
    """JAX's dtypes and numbers for PyTorch's, in an argument."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        row = rows().get(ast.unparse(node))
        if row is None or row.made is not None or row.expression is None:
            return self.generic_visit(node)
        if row.expression == "jnp.int64":  # as wide as JAX's integers are
            return ast.Name("int", ast.Load())
        return ast.parse(row.expression, mode="eval").body


def _unpacked(argument: ast.expr) -> list[ast.expr]:
    """``*(2, 3)`` as two arguments."""
    tuples = isinstance(argument, ast.Starred) and isinstance(argument.value, ast.Tuple)
    return argument.value.elts if tuples else [argument]  # type: ignore[attr-defined]


def _is_default(name: str, word: ast.keyword) -> bool:
    value = word.value
    return (
        isinstance(value, ast.Constant)
        and word.arg in _KEYWORDS
        and name not in _OTHER_DEFAULT.get(word.arg, ())
        and value.value is _KEYWORDS[word.arg]
    )


def _without_defaults(call: ast.Call) -> ast.expr:
    """A call without the last arguments that are defaults."""
    name = ast.unparse(call.func)
    if name == "optax.chain":
        call.args = [part for part in call.args if ast.unparse(part) not in _NO_OPS]
        return call.args[0] if len(call.args) == 1 else call
    if not plain(call.args):
        return call
    defaults, first = _trailing(name)
    while len(call.args) > first and len(call.args) - first <= len(defaults):
        if ast.unparse(call.args[-1]) != defaults[len(call.args) - first - 1]:
            break
        del call.args[-1]
    return call


@cache
def _trailing(name: str) -> tuple[tuple[str, ...], int]:
    """The defaults of a function of JAX or one to paste, and how many parameters have none."""
    if not re.fullmatch(r"paste\.\w+", name):  # or a method of its result, such as reshape
        return _TRAILING.get(name, ()), _REQUIRED.get(name, 1)
    bare = name.removeprefix("paste.")
    function = ast.parse(sources([bare])[bare]).body[0]
    assert isinstance(function, ast.FunctionDef)
    arguments = [*function.args.posonlyargs, *function.args.args]
    defaults = tuple(ast.unparse(value) for value in function.args.defaults)
    return defaults, len(arguments) - len(defaults)
