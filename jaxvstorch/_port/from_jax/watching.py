"""Has the calls of the reader's code watched while it is traced.

The functions of the reader's files get the same code with each call, operator and index passed
through a ``Watcher``; afterwards they get their own code back.
"""

import ast
import builtins
import copy
import gc
import linecache
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from jaxvstorch._port.filling import span_of
from jaxvstorch._port.report_data import Location

WATCHER = "__jaxvstorch_port__"
# They read the frame that calls them.
_OF_FRAMES = (
    "breakpoint", "dir", "eval", "exec", "globals", "locals", "super", "vars",
    "inspect.currentframe", "inspect.stack", "sys._getframe",
)  # fmt: skip
_ATTRIBUTES = ("T", "mT", "real", "imag")


@contextmanager
def watched(files: Iterable[str], watcher: Any) -> Iterator[None]:
    """A block in which the functions of some files pass their calls through a watcher.

    Args:
        files: the reader's.
        watcher: has the methods ``call``, ``operator``, ``attribute`` and ``slice``.
    """
    new = {file: _instrumented(file) for file in files}
    functions = [
        (function, function.__code__)
        for function in gc.get_objects()
        if type(function) is FunctionType and function.__code__.co_filename in new
    ]
    try:
        setattr(builtins, WATCHER, watcher)
        for function, code in functions:
            function.__code__ = new[code.co_filename].get(code, code)
        yield
    finally:
        for function, code in functions:
            function.__code__ = code
        delattr(builtins, WATCHER)


def is_watched(code: CodeType) -> bool:
    """Whether a function's code is such that its calls are watched."""
    return code in _watched_codes(code.co_filename)


@cache
def _watched_codes(file: str) -> frozenset[CodeType]:
    return frozenset(_instrumented(file).values())


SITES: list[Location] = []  # where each numbered call or operator is


@cache
def _instrumented(file: str) -> dict[CodeType, CodeType]:
    """The code of each function of a file, and the same code with its calls watched."""
    codes: dict[CodeType, CodeType] = {}
    try:
        for own, other in zip(_units(file), _units(file), strict=True):
            old = compile(own, file, "exec", dont_inherit=True)
            instrumented = ast.fix_missing_locations(Instrument(file).visit(other))
            codes |= _pairs(old, compile(instrumented, file, "exec", dont_inherit=True))
    except (SyntaxError, ValueError, RecursionError):
        return {}
    return codes


def _units(file: str) -> Iterator[ast.Module]:
    """What Python compiles of a file: all of it; of a notebook's cell, each statement too.

    What a function's code is depends on the imports that are compiled with it.
    """
    tree = ast.parse("".join(linecache.getlines(file)))
    statements = [] if Path(file).is_file() else tree.body
    yield from (ast.Module([statement], []) for statement in copy.deepcopy(statements))
    yield tree


def _pairs(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    yield old, new
    inside = [[c for c in code.co_consts if isinstance(c, CodeType)] for code in (old, new)]
    for pair in zip(*inside, strict=True):
        yield from _pairs(*pair)


class Instrument(ast.NodeTransformer):
    """Passes each call, operator, index and attribute of arrays through the watcher."""

    def __init__(self, file: str) -> None:
        self.file = file

    def visit_Call(self, node: ast.Call) -> ast.AST:
        site, name = self._site(node), ast.unparse(node.func)
        new = self.generic_visit(node)
        if name in _OF_FRAMES:
            return new
        return self._watched(site, "call", [node.func, *node.args], node.keywords)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        site = self._site(node)
        self.generic_visit(node)
        return self._watched(site, "operator", [node.left, node.right])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        site = self._site(node)
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) or isinstance(node.operand, ast.Constant):
            return node
        return self._watched(site, "operator", [node.operand])

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        site = self._site(node)
        self.generic_visit(node)
        of_arrays = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
        if len(node.ops) > 1 or not isinstance(node.ops[0], of_arrays):
            return node
        return self._watched(site, "operator", [node.left, node.comparators[0]])

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        site = self._site(node)
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return self._watched(
            site, "operator", [node.value, as_expression(node.slice, f"{WATCHER}.slice")]
        )

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        site = self._site(node)
        node.value = self.visit(node.value)
        if not isinstance(node.target, ast.Name):
            return node
        target = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        value = self._watched(site, "operator", [target, node.value])
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        site = self._site(node)
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or node.attr not in _ATTRIBUTES:
            return node
        return self._watched(site, "attribute", [node.value])

    def visit_For(self, node: Any) -> Any:
        node.iter = self._iterated(node.iter)
        node.body, node.orelse = (
            [self.visit(s) for s in part] for part in (node.body, node.orelse)
        )
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self._iterated(node.iter)
        node.ifs = [self.visit(test) for test in node.ifs]
        return node

    def _iterated(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Name | ast.Attribute):  # another has a site of its own
            visited: ast.expr = self.visit(node)
            return visited
        return self._watched(self._site(node), "iterate", [node])

    def visit_FunctionDef(self, node: Any) -> Any:
        """Leave annotations as they are."""
        for part in (node, node.args):
            for name in ("body", "decorator_list", "defaults", "kw_defaults"):
                if isinstance(children := getattr(part, name, None), list):
                    setattr(part, name, [child and self.visit(child) for child in children])
        return node

    def visit_AsyncFunctionDef(self, node: Any) -> Any:
        return self.visit_FunctionDef(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        node.guard = node.guard and self.visit(node.guard)
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def _site(self, node: ast.expr | ast.stmt) -> int:
        line, column, end_line, end_column = span_of(node)
        location = Location(self.file, line, end_line, column, end_column)
        SITES.append(location)
        return len(SITES) - 1

    def _watched(
        self, site: int, method: str, parts: list[ast.expr], keywords: Any = ()
    ) -> ast.expr:
        owner = ast.Name(WATCHER, ast.Load())
        function = ast.Attribute(owner, method, ast.Load())
        call = ast.Call(function, [ast.Constant(site), *parts], list(keywords))
        location = SITES[site]
        for node in (owner, function, call):
            node.lineno, node.col_offset = location.line, location.column or 0
            node.end_lineno, node.end_col_offset = location.line, location.column or 0
        call.end_lineno, call.end_col_offset = location.end_line, location.end_column
        return call


def as_expression(index: ast.expr, function: str) -> ast.expr:
    """An index as an expression, with a call of a function for each slice."""
    if isinstance(index, ast.Tuple):
        index.elts = [as_expression(part, function) for part in index.elts]
    if not isinstance(index, ast.Slice):
        return index
    parts = [part or ast.Constant(None) for part in (index.lower, index.upper, index.step)]
    called = ast.parse(function, mode="eval").body
    for part in ast.walk(called):
        ast.copy_location(part, index)
    call: ast.expr = ast.copy_location(ast.Call(called, parts, []), index)
    return call
