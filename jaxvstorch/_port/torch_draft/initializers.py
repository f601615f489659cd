"""The first values of weights, by the initializers of JAX and its libraries."""

import ast
import copy
from collections.abc import Mapping

from jaxvstorch._port.from_jax.fitting import Argument, bind, fit
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import jax_rows, meaning
from jaxvstorch._port.map.running.values import RefusedError
from jaxvstorch._port.torch_draft.batches import Batches

_SCALE = 0.02  # of weights by an initializer that the map lacks


class Initializers(Batches):
    """Rewrites what makes the first values of a weight."""

    def initializer(self, node: ast.expr) -> ast.expr | None:
        """What makes first values: ``initializers.zeros``, ``normal(0.1)`` or a name for one."""
        if isinstance(node, ast.Name) and node.id in self.initializers:
            return self.initializers[node.id]
        function = node.func if isinstance(node, ast.Call) else node
        return node if "initializers." in (self.name(function) or "") else None

    def initial(self, maker: ast.expr, shape: ast.expr) -> ast.expr:
        """The tensor that an initializer makes."""
        match maker:
            case ast.Lambda(args=ast.arguments(args=[key, *names])):
                self.keys.add(key.arg)
                given = {a.arg: self.visit(copy.deepcopy(shape)) for a in names[:1]}
                body: ast.expr = Placed(given).visit(self.visit(copy.deepcopy(maker.body)))
                return body
            case ast.Name(id=name) if name in self.functions:
                nothing = ast.Constant(None)  # it goes with the function's parameter
                return ast.Call(ast.Name(name, ast.Load()), [nothing, copy.deepcopy(shape)], [])
            case ast.Call(args=[inner, *_]) if "partitioning" in (self.name(maker.func) or ""):
                return self.initial(inner, shape)
        shape = self.visit(copy.deepcopy(shape))
        function = maker.func if isinstance(maker, ast.Call) else maker
        row = _row(f"{self.name(function)}")
        try:
            new = None if row is None else self._fitted_initial(row, maker, shape)
        except (RefusedError, ValueError, TypeError):
            new = None
        if new is None:
            self.todo.append(f"{ast.unparse(maker)}: it has no counterpart in torch.nn.init")
            text = f"{_SCALE} * torch.randn({ast.unparse(shape)})"
            new = ast.parse(text, mode="eval").body
        return new

    def _fitted_initial(self, row: Row, maker: ast.expr, shape: ast.expr) -> ast.expr:
        given = {"key": Argument(None, ast.Constant(None)), "shape": Argument((), shape)}
        bound = {}
        if row.called is not None:
            call = maker if isinstance(maker, ast.Call) else ast.Call(maker, [], [])
            bound = bind(
                row.made or "", row, [self._setting(part) for part in call.args],
                {f"{w.arg}": self._setting(w.value) for w in call.keywords},
            )  # fmt: skip
        bound |= bind(row.called or row.made or "", row, [*given.values()], {})
        return without_generator(fit(row.expression or "", bound).shown)

    def _setting(self, node: ast.expr) -> Argument:
        new = self.visit(copy.deepcopy(node))
        try:
            return Argument(ast.literal_eval(new), new)
        except ValueError:
            return Argument(1.0, new)


def _row(name: str) -> Row | None:
    bare = name.rpartition(".")[2].removesuffix("_init")
    row = jax_rows().get(f"jax.nn.initializers.{bare}")
    row = row and meaning(row)
    return row if row is not None and row.expression is not None else None


class Placed(ast.NodeTransformer):
    """Expressions in place of names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self.values.get(node.id, node))


class _WithoutGenerator(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.keywords = [w for w in node.keywords if ast.unparse(w) != "generator=generator"]
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Constant(None) if node.id == "generator" else node


def without_generator(tree: ast.expr) -> ast.expr:
    new: ast.expr = _WithoutGenerator().visit(tree)
    return new
