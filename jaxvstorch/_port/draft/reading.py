"""What statements of a program's training read, store and call."""

import ast
import copy
from collections.abc import Collection, Iterable, Iterator, Sequence

from jaxvstorch._port.draft.commenting import is_marker


class WithoutItem(ast.NodeTransformer):
    """Leaves out ``item()``: inside a compiled function a number stays an array."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[]):
                return value
        return node


def shuffles(tree: ast.AST) -> bool:
    """Whether a file has a loader that draws an order, by PyTorch's own random numbers."""
    names = {getattr(n, "id", None) or getattr(n, "attr", None) for n in ast.walk(tree)}
    words = [n for n in ast.walk(tree) if isinstance(n, ast.keyword | ast.Constant)]
    asked = any("shuffle" in (getattr(w, "arg", None), getattr(w, "value", None)) for w in words)
    return "DataLoader" in names and (asked or not names.isdisjoint(_DRAWN_ORDERS))


_DRAWN_ORDERS = frozenset({"RandomSampler", "WeightedRandomSampler", "random_split"})


class _Removing(ast.NodeTransformer):
    """Leaves statements out; a body without any has ``pass``."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(getattr(node, "body", None), list) and not node.body:  # type: ignore[attr-defined]
            node.body = [ast.Pass()]  # type: ignore[attr-defined]
        return node


class WithoutScaling(_Removing):
    """Trains without a ``GradScaler``: float32 and bfloat16 have the range for small gradients.

    A scaler that the program uses otherwise, as in a checkpoint, is still made.

    Args:
        names: those of the program's scalers.
    """

    def __init__(self, names: Collection[str]) -> None:
        self.names = names

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self.generic_visit(node)
        parts = [n for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)]
        used = {ast.unparse(n) for n in parts if isinstance(n.ctx, ast.Load)}
        return _WithoutAssigned({name for name in self.names if name not in used}).visit(node)  # type: ignore[no-any-return]

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        self.generic_visit(node)
        match node.value:
            case ast.Call(func=ast.Attribute(value=scaler, attr="unscale_" | "update")):
                return None if ast.unparse(scaler) in self.names else node
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=scaler, attr=method), args=[first, *_]):
                if ast.unparse(scaler) in self.names and method == "scale":
                    return first
                if ast.unparse(scaler) in self.names and method == "step":
                    function = ast.copy_location(ast.Attribute(first, "step", ast.Load()), node)
                    return ast.copy_location(ast.Call(function, [], []), node)
        return node


class _WithoutAssigned(_Removing):
    """Leaves out the assignments of names."""

    def __init__(self, names: Collection[str]) -> None:
        self.names = names

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        return None if ast.unparse(node.targets[0]) in self.names else node


class Cloned(ast.NodeTransformer):
    """Reads copies of modules, so that a call leaves them as they are."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.names:
            return node
        return ast.copy_location(ast.Name(f"nnx.clone({node.id})", ast.Load()), node)


def declared_global(tree: ast.Module) -> set[str]:
    """The names of a file's top level that its functions set."""
    declared = (n.names for n in ast.walk(tree) if isinstance(n, ast.Global))
    return set[str]().union(*declared)


def set_again(tree: ast.Module) -> set[str]:
    """The names at the top level of a file that it sets more than once, or in a loop."""
    once, changed = set[str](), set[str]()

    def read(body: Sequence[ast.AST], in_loop: bool) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
                continue
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                again = in_loop or node.id in once
                (changed if again else once).add(node.id)
            if isinstance(node, ast.AugAssign):
                changed.update(names_in(node.target, ast.Store))
            loop = isinstance(node, ast.For | ast.While)
            read(list(ast.iter_child_nodes(node)), in_loop or loop)

    read(tree.body, False)
    return changed


def read_around(tree: ast.Module, body: Sequence[ast.stmt], dropped: Iterable[ast.AST]) -> set[str]:
    """The names that the top level of a file reads after statements, or in a loop around them."""
    names, stored = names_in(ast.Module(list(body), []), ast.Load, dropped), set[str]()
    first, last = body[0].lineno, body[-1].end_lineno or 0
    for node in _top_level(tree):
        if node.lineno > last:
            names |= first_reads(node.body if isinstance(node, ast.For) else [node]) - stored
            stored |= names_in(node, ast.Store)
        elif (node.end_lineno or 0) >= first:
            names |= names_in(node, ast.Load, dropped)
    return names


def _top_level(tree: ast.Module) -> list[ast.stmt]:
    """The statements of a file, those that run as a program too, without definitions."""
    every = [part for node in tree.body
             for part in (node.body if isinstance(node, ast.If) else [node])]  # fmt: skip
    definitions = ast.FunctionDef | ast.ClassDef
    return [n for n in every if not isinstance(n, definitions) and hasattr(n, "lineno")]


def is_name(node: ast.expr, name: str) -> bool:
    """Whether an expression is a name."""
    return isinstance(node, ast.Name) and node.id == name


def names_in(
    node: ast.AST, context: type[ast.expr_context], without: Iterable[ast.AST] = ()
) -> set[str]:
    """The names that a tree reads or stores, outside some parts of it."""
    if any(node is part for part in without):
        return set()
    names = {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, context) else set()
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        names.add(node.target.id)
    return names.union(*(names_in(n, context, without) for n in ast.iter_child_nodes(node)))


def names_in_order(node: ast.AST) -> list[str]:
    """The names that a tree reads, in the order of the source."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    return [n.id for n in sorted(names, key=lambda n: (n.lineno, n.col_offset))]


def first_reads(body: Sequence[ast.AST]) -> set[str]:
    """The names that statements read before they store them, in a branch or a loop too."""
    read, stored = set[str](), set[str]()
    for node in body:
        inner, heads = [list[ast.AST]()], [node]
        if isinstance(node, ast.If | ast.For | ast.While | ast.With):
            inner = [getattr(node, name, []) for name in ("body", "orelse")]
            heads = [n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.stmt)]
        of_heads = set[str]().union(*(names_in(n, ast.Store) for n in heads))
        for head in heads:
            read |= names_in(head, ast.Load) - _of_comprehensions(head) - stored
        read |= set[str]().union(*map(first_reads, inner)) - stored - of_heads
        stored |= names_in(node, ast.Store)
    return read


def _of_comprehensions(node: ast.AST) -> set[str]:
    """The names that only the comprehensions of a tree store."""
    targets = [n.target for n in ast.walk(node) if isinstance(n, ast.comprehension)]
    inside = set[str]().union(*(names_in(target, ast.Store) for target in targets))
    return inside - names_in(node, ast.Store, targets)


def carried(scope: ast.AST, region: Sequence[ast.stmt]) -> set[str]:
    """The names that a loop around statements reads, before it stores them again."""
    loops = [n for n in ast.walk(scope) if isinstance(n, ast.For | ast.While)]
    loops = [n for n in loops if any(part is region[-1] for part in ast.walk(n))]
    return first_reads(loops[-1:])


def stores(node: ast.stmt) -> set[str]:
    """The names that a statement stores, and those whose arrays or lists it writes into."""
    names = names_in(node, ast.Store) - _of_comprehensions(node)
    for part in ast.walk(node):
        match part:
            case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method))):
                in_place = method.endswith("_") and not method.startswith("_")
                if in_place or method in _GROWING:
                    names.add(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                names.add(name)
    return names


_GROWING = ("append", "extend", "insert")


def gradient_call(node: ast.stmt) -> str | None:
    """``"backward"`` or ``"zero_grad"``, if a statement calls one of them."""
    match node:
        case ast.Expr(ast.Call(func=ast.Attribute(attr="backward" | "zero_grad" as method))):
            return str(method)
    return None


def stepped(node: ast.stmt) -> str | None:
    """The name whose ``step`` a statement calls."""
    match node:
        case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="step"))):
            return name
    return None


def changed_by_hand(node: ast.stmt) -> tuple[str, ast.expr] | None:
    """The module whose weights a loop changes, and a weight's new value over ``p`` and ``g``.

    ``g`` is its gradient, as in ``for p in net.parameters(): p.data.add_(p.grad, alpha=-lr)``.
    """
    if isinstance(node, ast.With) and ast.unparse(node.items[0]) == "torch.no_grad()":
        inner = [part for part in node.body if not is_marker(part)]
        node = inner[0] if len(inner) == 1 else node
    match node:
        case ast.For(
            target=ast.Name(id=name),
            iter=ast.Call(
                func=ast.Attribute(value=ast.Name(id=module), attr="parameters"), args=[]
            ),
            body=body,
        ):
            parts = [part for part in body if not is_marker(part)]
            value = _new_value(parts[0], name) if len(parts) == 1 else None
            return None if value is None else (module, _OfWeight(name).visit(copy.deepcopy(value)))
    return None


def _new_value(node: ast.stmt, name: str) -> ast.expr | None:
    """What a statement sets a weight to."""
    weight, data = ast.Name(name, ast.Load()), f"{name}.data"
    match node:
        case ast.AugAssign(target=target, op=op, value=value):
            new: ast.expr = ast.BinOp(weight, op, value)
        case ast.Assign(targets=[target], value=new):
            pass
        case ast.Expr(ast.Call(ast.Attribute(target, "add_" | "sub_" as method), [value], words)):
            alpha = {word.arg: word.value for word in words}.get("alpha")
            op = ast.Add() if method == "add_" else ast.Sub()
            if isinstance(alpha, ast.UnaryOp) and isinstance(alpha.op, ast.USub):
                op = ast.Sub() if method == "add_" else ast.Add()
                alpha = alpha.operand
            term = value if alpha is None else ast.BinOp(alpha, ast.Mult(), value)
            new = ast.BinOp(weight, op, term)
        case _:
            return None
    return new if ast.unparse(target) in (name, data) else None


class _OfWeight(ast.NodeTransformer):
    """Writes ``p`` for a weight and its data, and ``g`` for its gradient."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if is_name(node.value, self.name) and node.attr in ("grad", "data"):
            return ast.Name("g" if node.attr == "grad" else "p", ast.Load())
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name("p", node.ctx) if node.id == self.name else node


def trainers_in(tree: ast.AST) -> set[str]:
    """The names of the functions of a file that call ``backward``."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {
        function.name
        for function in functions
        if any(isinstance(n, ast.Attribute) and n.attr == "backward" for n in ast.walk(function))
    }


def bodies(body: Sequence[ast.stmt]) -> Iterator[Sequence[ast.stmt]]:
    """A list of statements, and those inside of its statements, but not in definitions."""
    yield body
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            for field_name in ("body", "orelse", "finalbody"):
                if inner := getattr(node, field_name, []):
                    yield from bodies(inner)
