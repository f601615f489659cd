"""What functions return: their results, and what they changed."""

import ast


def returning(body: list[ast.stmt], names: tuple[str, ...], has_result: bool) -> None:
    """Let a function return what it changed, after its own result."""

    class Returns(ast.NodeTransformer):
        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
            return node

        def visit_Return(self, node: ast.Return) -> ast.AST:
            own = [node.value or ast.Constant(None)] if has_result else []
            every = [*own, *(ast.Name(n, ast.Load()) for n in names)]
            node.value = every[0] if len(every) == 1 else ast.Tuple(every, ast.Load())
            return node

    transformer = Returns()
    body[:] = [transformer.visit(part) for part in body]
    if not isinstance(body[-1], ast.Return):
        body.append(transformer.visit_Return(ast.Return(None)))  # type: ignore[arg-type]


def has_result(function: ast.FunctionDef) -> bool:
    """Whether a function returns something."""
    return any(isinstance(n, ast.Return) and n.value is not None for n in _own_nodes(function))


def _own_nodes(function: ast.FunctionDef) -> list[ast.AST]:
    nodes, pending = list[ast.AST](), list[ast.AST](function.body)
    while pending:
        node = pending.pop()
        nodes.append(node)
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            pending += ast.iter_child_nodes(node)
    return nodes
