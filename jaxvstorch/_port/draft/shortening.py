"""Leaves out of a draft's functions what JAX does without."""

import ast


class ReadDirectly(ast.NodeTransformer):
    """Leaves out ``[...]`` where flax's variables do without: in operators, indices and methods.

    And where a weight that may be None is compared with it: that has no values to read.

    The sum of what a mask selects is one with ``where=``, which can be compiled: it has one shape.
    """

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        match node:
            case ast.Call(
                func, [ast.Call(selecting, [ast.Starred(ast.Call(both, [array, mask]))])]
            ):
                selects = ast.unparse(selecting) == "lambda a, b: a[b]"
                summed = ast.unparse(func) in ("jnp.sum", "jnp.mean") and not node.keywords
                if selects and summed and ast.unparse(both) == "jnp.broadcast_arrays":
                    node.args, node.keywords = [array], [ast.keyword("where", mask)]
        if isinstance(node, ast.BinOp):
            node.left, node.right = _direct(node.left), _direct(node.right)
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
            node.left = _direct(node.left)
        elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Load):
            node.value = _direct(node.value)
        return node


class WithoutDevices(ast.NodeTransformer):
    """Leaves out ``device = x.device`` where nothing in a function reads the name any more."""

    def __init__(self, function: ast.AST) -> None:
        names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
        self.read = {n.id for n in names if isinstance(n.ctx, ast.Load)}

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node:
            case ast.Assign(targets=[ast.Name() as target], value=value):
                return ast.Pass() if self._is_needless(target, value) else node
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                return self._shortened(node, targets, values)
        return node

    def _shortened(
        self, node: ast.Assign, targets: list[ast.expr], values: list[ast.expr]
    ) -> ast.AST:
        """``b, n, device = *x.shape, x.device`` as ``b, n = x.shape``."""
        unpacked = [i for i, value in enumerate(values) if isinstance(value, ast.Starred)]
        if len(unpacked) > 1 or any(isinstance(target, ast.Starred) for target in targets):
            return node
        first, further = (unpacked or [len(values)])[0], len(targets) - len(values)
        for i in reversed(range(len(values))):
            at = i if i < first else i + further
            if i != first and self._is_needless(targets[at], values[i]):
                del targets[at], values[i]
        match values:
            case []:
                return ast.Pass()
            case [ast.Starred(value=only)]:
                node.value = only
            case [only] if len(targets) == 1:
                node.targets, node.value = targets, only
        return node

    def _is_needless(self, target: ast.expr, value: ast.expr) -> bool:
        is_device = isinstance(value, ast.Attribute) and value.attr == "device"
        return is_device and isinstance(target, ast.Name) and target.id not in self.read


def _direct(node: ast.expr) -> ast.expr:
    match node:
        case ast.Subscript(value=ast.Attribute() as variable, slice=ast.Constant(value=index)):
            return variable if index is ... else node
    return node
