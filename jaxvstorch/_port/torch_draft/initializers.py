"""The first values of weights, by the initializers of JAX and its libraries."""

import ast
import copy
from collections.abc import Mapping
from typing import Any

from jaxvstorch._port.from_jax.fitting import Argument, bind, fit
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import jax_rows, meaning
from jaxvstorch._port.map.running.values import RefusedError
from jaxvstorch._port.torch_draft.batches import Batches

_SCALE = 0.02  # of weights by an initializer that the map lacks
# The weights that initializers are for, in layers of PyTorch and of a draft.
_LINEAR = {"kernel_init": "weight", "bias_init": "bias"}
_WEIGHTS = {
    "Linear": _LINEAR, "Dense": _LINEAR, "Embed": {"embedding_init": "weight"},
    "LayerNorm": {"scale_init": "weight", "bias_init": "bias"},
    "Conv": {"kernel_init": "conv.weight", "bias_init": "conv.bias"},
}  # fmt: skip


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

    def first_weights(self, node: Any, layer: str, target: str) -> list[ast.stmt]:
        """The statements that give a layer the first weights that the program names.

        Args:
            node: the call that makes the layer.
            layer: its name in flax.
            target: the attribute that holds the layer.
        """
        bare, new = layer.rpartition(".")[2], list[ast.stmt]()
        weights = _WEIGHTS.get(bare, {})
        for word in node.keywords:
            if word.arg is None or not word.arg.endswith("_init"):
                continue
            if word.arg not in weights:
                self.todo.append(_own_weights(word))
                continue
            weight = f"{target}.{weights[word.arg]}"
            text = ast.unparse(self.initial(word.value, ast.Name("_shape", ast.Load())))
            filled = _in_place(ast.parse(text, mode="eval").body, weight)
            turned = ".T" * (bare in ("Dense", "Linear") and word.arg == "kernel_init")
            if filled is None and bare == "Conv":
                self.todo.append(_own_weights(word))
            elif filled is None:
                text = text.replace("_shape", f"{weight}{turned}.shape")
                text = f"with torch.no_grad():\n    {weight}.copy_({text}{turned})"
                new += ast.parse(text).body
            else:
                new.append(ast.Expr(filled))
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


def _own_weights(word: ast.keyword) -> str:
    return f"{word.arg}={ast.unparse(word.value)}: the layer begins with PyTorch's own weights"


def _in_place(node: ast.expr, weight: str) -> ast.expr | None:
    """What fills a weight as an initializer does; None where no function of PyTorch does it."""
    filled = ast.parse(weight, mode="eval").body
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr="reshape" | "flatten")):
            return _in_place(inner, weight)
        case ast.Call(func=ast.Attribute(attr="zeros" | "ones" | "full" as name), args=args):
            fill = "constant" if name == "full" else name
            function = ast.parse(f"torch.nn.init.{fill}_", mode="eval").body
            return ast.Call(function, [filled, *args[1:]], [])
        case ast.Call(func=function, args=args) if "torch.nn.init." in ast.unparse(function):
            return ast.Call(function, [filled, *args[1:]], node.keywords)
    return None


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
