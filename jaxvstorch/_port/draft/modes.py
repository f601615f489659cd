"""Writes ``net.train(mode)`` as flax has it, whose ``train`` and ``eval`` take no mode."""

import ast


class WithoutModes(ast.NodeTransformer):
    """Calls ``train()`` or ``eval()`` where a statement calls ``train`` with a mode.

    Where the program has a method ``train`` of its own, only what is surely PyTorch's changes.
    """

    def __init__(self, tree: ast.AST) -> None:
        classes = [c for c in ast.walk(tree) if isinstance(c, ast.ClassDef)]
        owners = [c for c in classes if any(getattr(n, "name", "") == "train" for n in c.body)]
        self.has_own = bool(owners)
        self.of_module = any("Module" in ast.unparse(base) for c in owners for base in c.bases)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        match node.value:
            case ast.Call(ast.Attribute(of, "train"), [mode], []):
                named = False
            case ast.Call(ast.Attribute(of, "train"), [], [ast.keyword("mode", mode)]):
                named = True
            case _:
                return node
        constant = isinstance(mode, ast.Constant) and isinstance(mode.value, bool)
        own = self.of_module or (self.has_own and not (named or constant))
        if own and ast.unparse(of) != "super()":
            return node
        either = [_called(of, name, node) for name in ("train", "eval")]
        if isinstance(mode, ast.Constant):
            return either[not mode.value]
        return ast.copy_location(ast.If(mode, either[:1], either[1:]), node)


def _called(of: ast.expr, name: str, at: ast.Expr) -> ast.stmt:
    call = ast.Call(ast.Attribute(of, name, ast.Load()), [], [])
    return ast.copy_location(ast.Expr(ast.copy_location(call, at.value)), at)
