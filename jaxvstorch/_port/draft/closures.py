"""Writes a step with a closure, such as ``optimizer.step(closure)``, as the lines that it runs."""

import ast

from jaxvstorch._port.draft.commenting import is_marker
from jaxvstorch._port.draft.reading import names_in


class WithoutClosures(ast.NodeTransformer):
    """Puts the body of a closure where an optimizer calls it, once in each step."""

    def visit_Module(self, node: ast.Module) -> ast.AST:
        return self._without_closures(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._without_closures(node)

    def _without_closures(self, scope: ast.Module | ast.FunctionDef) -> ast.AST:
        self.generic_visit(scope)
        every = list(ast.walk(scope))
        for function in [n for n in every if isinstance(n, ast.FunctionDef) and n is not scope]:
            reads = [n for n in every if isinstance(n, ast.Name) and n.id == function.name]
            calls = [n for n in every if _steps_with(n, function.name)]
            if len(reads) == len(calls) == 1 and (lines := _lines(function, calls[0], scope)):
                _Putting(function, calls[0], lines).visit(scope)
        return scope


class _Putting(ast.NodeTransformer):
    """Leaves a closure out, and puts its lines where a statement calls it."""

    def __init__(self, closure: ast.FunctionDef, call: ast.AST, lines: list[ast.stmt]) -> None:
        self.closure, self.call, self.lines = closure, call, lines

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt] | None:
        if node is self.closure:
            return None
        return self.lines if node is self.call else self.generic_visit(node)


def _steps_with(node: ast.AST, closure: str) -> bool:
    """Whether a statement takes an optimizer's step with a closure."""
    match node:
        case ast.Expr(call) | ast.Assign(targets=[ast.Name()], value=call):
            pass
        case _:
            return False
    match call:
        case ast.Call(ast.Attribute(ast.Name(), "step"), [ast.Name(id=name)], []):
            return name == closure
        case ast.Call(ast.Attribute(ast.Name(), "step"), [], [ast.keyword("closure", given)]):
            return isinstance(given, ast.Name) and given.id == closure
    return False


def _lines(closure: ast.FunctionDef, statement: ast.AST, scope: ast.AST) -> list[ast.stmt]:
    """What a step with a closure runs; nothing if it cannot stand in the scope around."""
    body = list(closure.body)
    while is_marker(body[-1]):
        body.pop()
    last = body.pop()
    returns = [n for n in ast.walk(closure) if isinstance(n, ast.Return)]
    own = names_in(closure, ast.Store)
    outside = names_in(scope, ast.Load, [closure]) & own
    outside -= names_in(statement, ast.Store)
    arguments = closure.args
    takes = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    if not isinstance(last, ast.Return) or len(returns) > 1 or outside or takes:
        return []
    assert isinstance(statement, ast.Expr | ast.Assign)
    call = statement.value
    assert isinstance(call, ast.Call)
    call.args, call.keywords = [], []
    lines = [n for n in body if not isinstance(n, ast.Nonlocal | ast.Global)]
    lines.append(ast.copy_location(ast.Expr(call), statement))
    value = last.value
    if isinstance(statement, ast.Assign) and value is not None:
        target = statement.targets[0]
        if ast.unparse(target) != ast.unparse(value):
            lines.append(ast.copy_location(ast.Assign([target], value), last))
    return lines
