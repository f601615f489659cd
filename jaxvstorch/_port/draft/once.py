"""Fills the map's expressions for a draft: the shorter ones, and no call of the program twice."""

import ast
import copy
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from operator import attrgetter

import torch

from jaxvstorch._port.filling import filled_tree
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.map.running.namespace import namespace
from jaxvstorch._port.report_data import PortCall
from jaxvstorch._port.shorter_forms import PARTS, shorter

_PAIRS = {"torch.max": ("jnp.max", "jnp.argmax"), "torch.min": ("jnp.min", "jnp.argmin")}
ATTENTION = "torch.nn.functional.scaled_dot_product_attention"
_FIELDS = ("values", "indices")  # of the results of these, which are tuples in JAX
_WITH_FIELDS = ("cummax", "cummin", "kthvalue", "max", "median", "min", "mode", "nanmedian", "sort",
                "topk")  # fmt: skip
_PAIR = "_pair"  # the attribute of a call of both, with the names that give one of them alone


def filled_once(
    name: str, node: ast.expr, types: Sequence[str], key: ast.expr, holds: bool, parts: int | None
) -> ast.expr:
    """The JAX for a call of a program, whose own calls it makes once.

    Args:
        name: of the map, with an expression.
        node: the call, operator or index, with its arguments in JAX.
        types: the types of its arguments, as far as they are known.
        key: what stands for the random key.
        holds: whether the run showed that the shorter form computes the same.
        parts: how many names its result is unpacked into, if it is.
    """
    expression = shorter(name) if holds else None
    if expression is not None and (parts or PARTS not in expression):
        expression = expression.replace(PARTS, str(parts))
        row = meaning(rows()[name])
        short = filled_tree(name, node, types, key, replace(row, expression=expression))
        if not _repeated(short, node):
            return short
        if (again := shorter(name, once=True)) is not None:
            return filled_tree(name, node, types, key, replace(row, expression=again))
    filled = filled_tree(name, node, types, key)
    if name == ATTENTION:
        _drop_weights(node, filled, key)
    if (pair := _PAIRS.get(meaning(rows()[name]).name)) and isinstance(node, ast.Call):
        has_axis = types[1:2] == ("int",) or any(word.arg == "dim" for word in node.keywords)
        setattr(filled, _PAIR, pair if has_axis else None)
    repeated = [a for a in _repeated(filled, node) if _is_of_program(a)]
    if not repeated:
        return filled
    taken = {n.id for n in ast.walk(filled) if isinstance(n, ast.Name)}
    free = [n for n in ("x", "y", "z", "a", "b", "c", "d") if n not in taken]
    body: ast.AST = copy.deepcopy(filled)
    for argument, bound in zip(repeated, free, strict=False):
        body = _Named(ast.unparse(argument), bound).visit(body)
    function = ast.parse(f"lambda {', '.join(free[: len(repeated)])}: 0", mode="eval").body
    function.body = body  # type: ignore[attr-defined]
    return ast.Call(function, repeated, [])


def one_of_two(call: ast.AST, index: int) -> ast.expr | None:
    """``torch.max(x, 1)[1]``, or the second of two names that it is unpacked into, alone."""
    pair = getattr(call, _PAIR, None)
    if pair is None:
        return None
    assert isinstance(call, ast.Call)
    array, axis, keeps = call.args
    words = [ast.keyword("axis", axis)]
    words += [ast.keyword("keepdims", keeps)] * (ast.unparse(keeps) != "False")
    return ast.Call(ast.parse(pair[index], mode="eval").body, [array], words)


def index_of(field: str, calls: Sequence[PortCall]) -> int | None:
    """The place of ``values`` or ``indices`` in what calls give, if they give these two."""
    names = {call.name.rpartition(".")[2] for call in calls}
    known = field in _FIELDS and bool(names & {*_WITH_FIELDS})
    return _FIELDS.index(field) if known else None


def _arguments(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        array = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [*array, *node.args, *(word.value for word in node.keywords)]
    return [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]


def _repeated(filled: ast.expr, node: ast.expr) -> list[ast.expr]:
    """The arguments with calls inside that an expression has more than once."""
    text = ast.unparse(filled)
    return [
        a for a in _arguments(node)
        if any(isinstance(part, ast.Call) for part in ast.walk(a))
        and text.count(ast.unparse(a)) > 1
    ]  # fmt: skip


def _is_of_program(node: ast.expr) -> bool:
    """Whether an expression in JAX calls what the program defines, such as its layers."""
    calls = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
    texts = [ast.unparse(f) for f in calls if isinstance(f, ast.Name | ast.Attribute)]
    return any(text.startswith("self.") or text.isidentifier() for text in texts)


class _Named(ast.NodeTransformer):
    """Writes a name for an expression."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr) and ast.unparse(node) == self.text:
            return ast.Name(self.name, ast.Load())
        return self.generic_visit(node)


def is_same_number(name: str, node: ast.Call, filled: ast.expr) -> bool:
    """Whether ``nn.init.calculate_gain("relu")`` and its like give the same number in JAX."""
    with suppress(Exception):  # such as arguments that are no constants
        args = [ast.literal_eval(a) for a in node.args]
        options = {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
        number = attrgetter(name.removeprefix("torch."))(torch)(*args, **options)
        return isinstance(number, int | float) and number == eval(ast.unparse(filled), namespace())
    return False


def _drop_weights(call: ast.expr, filled: ast.expr, key: ast.expr) -> None:
    """Give attention in JAX the rate at which it drops weights, and a key."""
    assert isinstance(call, ast.Call)
    assert isinstance(filled, ast.Call)
    given = [*call.args[4:5], *(w.value for w in call.keywords if w.arg == "dropout_p")]
    if given and not (isinstance(given[0], ast.Constant) and not given[0].value):
        filled.keywords.append(ast.keyword("dropout_p", given[0]))
        filled.keywords.append(ast.keyword("rng", key))
