"""Writes into the weights of modules: where they begin, are tied, and are changed by hand."""

import ast
from collections.abc import Set

from jaxvstorch._port.draft.classes import Classes
from jaxvstorch._port.draft.expressions import KEY, parsed
from jaxvstorch._port.filling import filled_tree
from jaxvstorch._port.imports import path_of
from jaxvstorch._port.judging import ASSIGN
from jaxvstorch._port.map.rows import meaning, rows

# Initial weights of any axes' order: each number is drawn, or set, as the others are.
_ALIKE = ("normal_", "uniform_", "zeros_", "ones_", "constant_", "trunc_normal_")
_TIED = {"torch.nn.Linear": "kernel", "torch.nn.Embedding": "embedding"}


class Weights(Classes):
    """Turns what sets weights into assignments of flax's variables.

    Attributes:
        weights: the names that loops around give to weights.
    """

    weights: Set[str] = frozenset()

    def tied(self, target: ast.Attribute, value: ast.expr) -> ast.stmt | None:
        """``self.head.weight = self.embed.weight``: the draft's layer reads the embedding's."""
        if target.attr != "weight" or not ast.unparse(value).endswith(".weight"):
            return None
        assert isinstance(value, ast.Attribute)
        old, new = (ast.unparse(part.value) for part in (target, value))
        kinds = [self.layer_at(part.value) for part in (target, value)]
        if kinds[::-1] == ["torch.nn.Linear", "torch.nn.Embedding"]:
            kinds, old, new, target = kinds[::-1], new, old, value
        if kinds == ["torch.nn.Linear", "torch.nn.Embedding"]:
            linear = self.seen.attribute(self.owner, path_of(target.value))
            bias = f", {old}.bias" if getattr(linear, "bias", None) is not None else ""
            return ast.parse(f"{old} = paste.TiedLinear({new}{bias})").body[0]
        if kinds[0] == kinds[1] and (name := _TIED.get(kinds[0] or "")):
            return ast.parse(f"{old}.{name} = {new}.{name}").body[0]
        return None

    def initialized(self, name: str, call: ast.Call) -> ast.stmt:
        """``nn.init.normal_(self.fc.weight)``: the weight is assigned."""
        place = self.place(call.args[0])
        target = place[1] if place else f"{ast.unparse(self.visit(call.args[0]))}[...]"
        alike = name.rpartition(".")[2] in _ALIKE or place is None
        array = parsed(target.removesuffix("[...]") if alike else place[0])  # type: ignore[index]
        new = ast.Call(call.func, [array, *map(self.visit, call.args[1:])], call.keywords)
        row = meaning(rows()[name]) if name in rows() else None
        if row is None or row.expression is None:
            self.marks.append(f"{name} has no counterpart here")
            return ast.Expr(call)
        filled = ast.unparse(filled_tree(name, new, (), ast.Name(KEY, ast.Load())))
        if place is not None:
            filled = filled.replace(f"{place[0]}.dtype", f"{target.removesuffix('[...]')}.dtype")
        written = filled if alike or place is None else place[2].format(f"({filled})")
        return ast.parse(f"{target} = {written}").body[0]

    def registered(self, call: ast.Call, kind: str) -> ast.stmt:
        """``self.register_buffer("name", x)`` as ``self.name = Buffer(x)``."""
        assert isinstance(call.func, ast.Attribute)
        owner, value = ast.unparse(call.func.value), self.visit(call.args[1])
        text = ast.unparse(value)
        options = {w.arg: ast.unparse(w.value) for w in call.keywords}
        persistent = [*map(ast.unparse, call.args[2:3]), options.get("persistent", "True")][0]
        # One that is not in a state_dict is an array of the module, which from_torch leaves.
        plain = text == "None" or text.startswith("nnx.Param(") or persistent == "False"
        text = text if plain else f"{kind}({text})"
        first = call.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            return ast.parse(f"{owner}.{first.value} = {text}").body[0]
        return ast.parse(f"setattr({owner}, {ast.unparse(first)}, {text})").body[0]

    def stored(self, target: ast.expr, value: ast.expr) -> ast.stmt | None:
        """The statement that writes into a weight of a module; None for other targets."""
        if (place := self.place(target)) is None:
            return None
        written = ast.unparse(self.visit(value))
        text = written if place[2] == "{}" else place[2].format(f"({written})")
        return ast.parse(f"{place[1]} = {text}").body[0]

    def weight_written(self, array: ast.expr, call: ast.Call) -> ast.stmt:
        """``p.data.copy_(x)``, where a loop goes over weights: the weight is written into."""
        name = ast.unparse(array).removesuffix(".data")
        outer, self.marks = self.marks, []
        copied = call.args[0] if ast.unparse(call.func).endswith(".copy_") else None
        elementwise = copied is not None and all(
            isinstance(part, ast.BinOp | ast.UnaryOp | ast.Name | ast.Attribute | ast.Constant)
            for part in ast.walk(copied)
            if isinstance(part, ast.expr)
        )
        same_shape = elementwise and any(
            isinstance(part, ast.Name) and part.id == name for part in ast.walk(call.args[0])
        )
        new = self.visit(call.args[0] if same_shape else call)
        # Whoever holds the weight sees what is written, as in PyTorch.
        self.marks = outer + [text for text in self.marks if ASSIGN not in text]
        return ast.parse(f"{name}[...] = {ast.unparse(new)}").body[0]
