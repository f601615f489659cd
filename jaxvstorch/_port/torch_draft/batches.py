"""Rewrites ``jax.vmap`` as ``torch.vmap``, without the keys that each element gets."""

import ast
import copy
from collections.abc import Collection
from typing import Any

from jaxvstorch._port.torch_draft.keys import Keys

BATCHES = ("jax.vmap", "nnx.vmap", "equinox.filter_vmap")


class Batches(Keys):
    """Rewrites functions of batches, and their calls."""

    def batched(self, node: ast.Call) -> ast.expr:
        """``jax.vmap(f, in_axes)``, whose call is somewhere else."""
        name = ast.unparse(node.args[0])
        gone, parameters = self.gone.get(name, set()), self.parameters.get(name, [])
        return self._vmap(node, [i for i, p in enumerate(parameters) if p in gone])

    def batched_call(self, node: ast.Call, call: ast.Call) -> ast.expr:
        """``jax.vmap(f)(x, keys)`` as ``torch.vmap(f, randomness="different")(x)``."""
        places = [i for i, part in enumerate(call.args) if self.is_key(part)]
        function = node.args[0]
        if isinstance(function, ast.Lambda):
            args = function.args
            self.keys |= {a.arg for i, a in enumerate(args.args) if i in places}
            args.args = [a for i, a in enumerate(args.args) if i not in places]
        if places and len(places) == len(call.args):
            step: Any = ast.parse("torch.stack([f() for _ in range(n)])", mode="eval").body
            step.args[0].elt.func = self.visit(function)
            step.args[0].generators[0].iter.args = [self.number_of(call.args[0])]
            return step  # type: ignore[no-any-return]
        kept = [self.visit(part) for i, part in enumerate(call.args) if i not in places]
        words = [ast.keyword(w.arg, self.visit(w.value)) for w in call.keywords
                 if not self.is_left_out(w)]  # fmt: skip
        return ast.Call(self._vmap(node, places), kept, words)

    def _vmap(self, node: ast.Call, places: Collection[int]) -> ast.expr:
        named = {w.arg: w.value for w in node.keywords}
        given = dict(zip(("in_axes", "out_axes"), node.args[1:3], strict=False)) | named
        words = list[ast.keyword]()
        for name, new in (("in_axes", "in_dims"), ("out_axes", "out_dims")):
            if name not in given:
                continue
            axes = copy.deepcopy(given[name])
            if name == "in_axes" and isinstance(axes, ast.Tuple | ast.List):
                parts = [self.visit(p) for i, p in enumerate(axes.elts) if i not in places]
                axes = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
            if ast.unparse(axes) != "0":
                words.append(ast.keyword(new, axes))
        if places:
            words.append(ast.keyword("randomness", ast.Constant("different")))
        vmap = ast.parse("torch.vmap", mode="eval").body
        return ast.Call(vmap, [self.visit(node.args[0])], words)
