"""Rewrites ``torch.autograd.Function`` as a function with a gradient of its own."""

import ast
from collections.abc import Callable

from jaxvstorch._port.draft.commenting import is_marker

FUNCTION = "torch.autograd.Function"


class OtherFormError(Exception):
    """A function keeps or returns something in a way that is not rewritten."""


def custom_vjp(
    node: ast.ClassDef,
    rewritten: Callable[[list[ast.stmt]], list[ast.stmt]],
    backwards: Callable[[list[ast.stmt]], list[ast.stmt]],
) -> list[ast.stmt]:
    """The functions for a class with ``forward`` and ``backward``: one of the class's name.

    Args:
        node: the class.
        rewritten: writes statements in JAX.
        backwards: does it for ``backward``, which no replay sees.

    Raises:
        OtherFormError: it does more than to save tensors and settings in its context.
    """
    methods = {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
    if not {"forward", "backward"} <= set(methods) or "setup_context" in methods:
        raise OtherFormError("setup_context")
    forward, backward = methods["forward"], methods["backward"]
    context, *inputs = [a.arg for a in forward.args.args]
    if forward.args.vararg or forward.args.kwonlyargs:
        raise OtherFormError("*args")
    body = rewritten(forward.body)
    saved, kept, plain = list[str](), list[str](), list[ast.stmt]()
    for part in body:
        match part:
            case ast.Expr(ast.Call(func=ast.Attribute(ast.Name(id=name), method), args=args)):
                if name == context and method == "save_for_backward":
                    saved = [ast.unparse(a) for a in args]
                    continue
            case ast.Assign(targets=[ast.Attribute(ast.Name(id=name), attr)], value=value):
                if name == context:
                    kept.append(attr)
                    plain.append(ast.parse(f"{attr} = {ast.unparse(value)}").body[0])
                    continue
        plain.append(part)
    while is_marker(plain[-1]):
        plain.pop()
    if not isinstance(plain[-1], ast.Return) or plain[-1].value is None:
        raise OtherFormError("return")
    if any(_reads(part, context) for part in plain):
        raise OtherFormError(context)
    both = ", ".join([*saved, *kept])
    result = ast.unparse(plain[-1].value)
    taken = ", ".join(inputs)
    name = node.name
    of_context, *gradients = [a.arg for a in backward.args.args]
    back = _Saved(of_context, kept).rewrite(backwards(backward.body))
    unpacked = f"*saved_tensors, {', '.join(kept)} = saved" if kept else "saved_tensors = saved"
    text = (
        f"@jax.custom_vjp\ndef {name}({taken}):\n    return {name}_forward({taken})[0]\n\n"
        f"def {name}_forward({taken}):\n    pass\n\n"
        f"def {name}_backward(saved, {', '.join(gradients)}):\n    {unpacked}\n\n"
        f"{name}.defvjp({name}_forward, {name}_backward)\n"
    )
    parts = ast.parse(text).body
    assert isinstance(parts[1], ast.FunctionDef)
    assert isinstance(parts[2], ast.FunctionDef)
    ending = f"return {result}, ({both}{',' * (len(saved + kept) == 1)})"
    parts[1].body = [*plain[:-1], *ast.parse(ending).body]
    parts[2].body += back
    return parts


class _Saved(ast.NodeTransformer):
    """Reads what a context kept: its tensors, and its settings by name."""

    def __init__(self, context: str, kept: list[str]) -> None:
        self.context, self.kept = context, kept

    def rewrite(self, body: list[ast.stmt]) -> list[ast.stmt]:
        new = [self.visit(part) for part in body]
        if any(_reads(part, self.context) for part in new):
            raise OtherFormError(self.context)
        for part in new:
            for inner in ast.walk(part):
                if isinstance(inner, ast.Return) and inner.value is not None:
                    several = isinstance(inner.value, ast.Tuple)
                    if not several:  # a gradient for each input, also for one
                        inner.value = ast.Tuple([inner.value], ast.Load())
        return new

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        of_context = isinstance(node.value, ast.Name) and node.value.id == self.context
        known = node.attr == "saved_tensors" or node.attr in self.kept
        return ast.Name(node.attr, ast.Load()) if of_context and known else node


def _reads(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))
