"""Leaves out of a function's results what PyTorch changes in place: models and optimizers."""

import ast


def without_unchanged(tree: ast.Module) -> None:
    """``params, state, loss = step(params, state, x)`` as ``loss = step(params, state, x)``.

    Only where the function returns its own parameters as they came, and each call gives the
    results the names that it passed.
    """
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    for name, function in functions.items():
        parameters = [a.arg for a in function.args.args]
        returned = _returned(function)
        calls = _calls(tree, name)
        if returned is None or calls is None:
            continue
        stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)
                  and isinstance(n.ctx, ast.Store)}  # fmt: skip
        places = [
            i
            for i, part in enumerate(returned)
            if part in parameters
            and part not in stored
            and all(_same(call, parameters.index(part), i) for call in calls)
        ]
        if places and calls:
            _leave_out(function, calls, places)


def _returned(function: ast.FunctionDef) -> list[str] | None:
    """The names that a function's only return has."""
    returns = own_returns(function)
    if len(returns) != 1 or returns[0].value is None:
        return None
    value = returns[0].value
    return [ast.unparse(p) for p in (value.elts if isinstance(value, ast.Tuple) else [value])]


def own_returns(function: ast.FunctionDef) -> list[ast.Return]:
    """The returns of a function, without those of functions inside it."""
    inner = [n for part in function.body for n in ast.walk(part)
             if isinstance(n, ast.FunctionDef | ast.Lambda)]  # fmt: skip
    hidden = {id(n) for part in inner for n in ast.walk(part)}
    return [n for n in ast.walk(function) if isinstance(n, ast.Return) and id(n) not in hidden]


def _calls(tree: ast.Module, name: str) -> list[ast.Assign] | None:
    """The assignments of a function's results; None where it is used in another way."""
    uses = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name]
    assigned = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Assign)
        and isinstance(n.value, ast.Call)
        and isinstance(n.value.func, ast.Name)
        and n.value.func.id == name
    ]
    return assigned if len(assigned) == len(uses) else None


def _targets(node: ast.Assign) -> list[ast.expr]:
    target = node.targets[0]
    return target.elts if isinstance(target, ast.Tuple) else [target]


def _same(node: ast.Assign, parameter: int, result: int) -> bool:
    args, targets = node.value.args, _targets(node)  # type: ignore[attr-defined]
    if parameter >= len(args) or result >= len(targets):
        return False
    return ast.unparse(args[parameter]) == ast.unparse(targets[result])


def _leave_out(function: ast.FunctionDef, calls: list[ast.Assign], places: list[int]) -> None:
    for node in own_returns(function):
        if node.value is not None:
            value = node.value
            parts = value.elts if isinstance(value, ast.Tuple) else [value]
            node.value = _several([p for i, p in enumerate(parts) if i not in places if p])
    _returns_nothing(function)
    for call in calls:
        left = [t for i, t in enumerate(_targets(call)) if i not in places]
        target = _several(left)
        call.targets = [target] if target is not None else []


def _returns_nothing(function: ast.FunctionDef) -> None:
    function.body = [
        s for s in function.body if not (isinstance(s, ast.Return) and s.value is None)
    ]


def _several(parts: list[ast.expr]) -> ast.expr | None:
    if len(parts) < 2:
        return parts[0] if parts else None
    return ast.Tuple(parts, parts[0].ctx if hasattr(parts[0], "ctx") else ast.Load())
