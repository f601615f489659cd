"""Rewrites the expressions of a JAX program in PyTorch, by what its run showed."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
import copy
from typing import Any

import torch

from jaxvstorch._port.from_jax.arguments import function_argument
from jaxvstorch._port.from_jax.layers import MODES
from jaxvstorch._port.map.rows import jax_rows, meaning
from jaxvstorch._port.torch_draft import kinds
from jaxvstorch._port.torch_draft.batches import BATCHES
from jaxvstorch._port.torch_draft.idioms import as_method
from jaxvstorch._port.torch_draft.initializers import Initializers, without_generator
from jaxvstorch._port.torch_draft.layers import constructed

# Functions that only wrap another one.
OF_JAX = ("jax.", "jnp.", "lax.", "nnx.", "flax.", "optax.", "equinox.", "Array.")
_COMPILERS = (
    "jax.jit", "nnx.jit", "equinox.filter_jit", "jax.checkpoint", "nnx.remat", "jax.remat",
    "equinox.filter_checkpoint", "flax.linen.jit",
)  # fmt: skip
_INFERENCE = ("equinox.nn.inference_mode", "equinox.tree_inference")
_SAME = ("jax.device_get", "jax.block_until_ready", "jax.device_put", "jax.lax.stop_gradient_")
_TREES = {f"{module}{name}": f"tree_{name}" for name in ("map", "leaves", "map_with_path")
          for module in ("jax.tree.", "jax.tree_util.tree_", "jax.tree_")}  # fmt: skip
_OWN = {f"{library}.{name}" for library in ("nnx", "flax.linen")
        for name in ("max_pool", "avg_pool", "make_causal_mask")}  # fmt: skip
_OWN |= {f"nnx.{path}{name}" for path in ("", "metrics.")
         for name in ("Accuracy", "Average", "MultiMetric")}  # fmt: skip


class Expressions(Initializers):
    """Rewrites expressions."""

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Call):
            if self.replacing and hasattr(node, "lineno") and self.at(node) in self.replaced:
                return copy.deepcopy(self.replaced[self.at(node)])
            special = self.special_call(node)
            if special is not None:
                return special
        if isinstance(node, ast.expr) and hasattr(node, "lineno") and not self._inside:
            known = self.recording.known.get(self.at(node))
            if known is not None:
                recorded = self.merging.in_place(copy.deepcopy(known), self.file_of(node))
                return self.known(as_method(recorded, node))
        return super().visit(node)

    def known(self, tree: ast.expr) -> ast.expr:
        """What the map has for a call, with the rest of the program's expressions inside it."""
        self._inside += 1
        try:
            new: ast.expr = self.visit(without_generator(tree))
        finally:
            self._inside -= 1
        return new

    def special_call(self, node: ast.Call) -> Any:
        """A call that the values alone do not decide; None of any other."""
        name = self.name(node.func) or ""
        if name in (*_COMPILERS, *_SAME) and node.args:
            return self.visit(node.args[0])
        if name in BATCHES and node.args:
            return self.batched(node)
        match node.func:
            case ast.Call(func=function, args=[_, *_]) if self.name(function) in BATCHES:
                return self.batched_call(node.func, node)
        if name in _TREES:
            if _TREES[name] == "tree_leaves" and self.is_of_model(node.args[0]):
                model = ast.unparse(self.variables(node.args[0]))
                return ast.parse(f"list({model}.parameters())", mode="eval").body
            return self._call(ast.Name(_TREES[name], ast.Load()), node)
        if self.is_scan(node):
            return self.scanned(node)
        is_partial = name in ("functools.partial", "partial") and bool(node.args)
        if is_partial and self.name(node.args[0]) in _COMPILERS:
            return ast.Name("_same", ast.Load())
        if name in ("optax.global_norm", "optax.tree.norm", "optax.tree_utils.tree_l2_norm"):
            leaves = ast.Call(ast.Name("tree_leaves", ast.Load()), [self.visit(node.args[0])], [])
            norm = ast.parse("torch.nn.utils.get_total_norm", mode="eval").body
            return ast.Call(norm, [leaves], [])
        made = self.recording.made.get(self.at(node)) if hasattr(node, "lineno") else None
        if name.startswith("optax.") and (schedule := self.schedule(node)) is not None:
            return ast.parse(schedule, mode="eval").body
        if name in ("nnx.Param", "flax.nnx.Param") and node.args:
            return self._weight(node.args[0])
        if name in _INFERENCE:
            return self._call(ast.Name("inference_mode", ast.Load()), node)
        if name == "equinox.filter" and kinds.MODULE in self.kinds_of(node.args[0]):
            return ast.parse(f"list({ast.unparse(self.visit(node.args[0]))}.parameters())",
                             mode="eval").body  # fmt: skip
        if name in _OWN:
            return self._call(ast.Name(name.rpartition(".")[2], ast.Load()), node)
        maker = self.initializer(node.func)
        if maker is not None and len(node.args) > 1:
            return self.initial(maker, node.args[1])
        if made and made[0][0] not in self.classes and not made[0][0].endswith("Optimizer"):
            return self.made(node)
        if self._is_applied(node):
            return self.applied(node)
        match node.func:
            case ast.Attribute(value=owner, attr="block_until_ready"):
                return self.visit(owner)
            case ast.Call(func=ast.Name(id="_same")):
                return self.visit(node.args[0])
        if self._is_own(node.func) or (
            hasattr(node, "lineno") and self.at(node) in self.recording.own_calls
        ):
            return self._own(node)
        if name in ("optax.apply_updates", "equinox.apply_updates") and node.args:
            return self.visit(node.args[0])  # the step has changed them
        given = [*node.args, *(w.value for w in node.keywords)]
        if not name.startswith(OF_JAX) and any(map(self.is_key, given)):
            return self._call(self.visit(node.func), node)
        return None

    def _weight(self, value: ast.expr) -> ast.expr:
        return ast.Call(ast.parse("nn.Parameter", mode="eval").body, [self.visit(value)], [])

    def _is_applied(self, node: ast.Call) -> bool:
        applied = self.recording.applied.get(self.at(node)) if hasattr(node, "lineno") else None
        return applied is not None and applied[0] == "apply"

    def _is_own(self, node: ast.expr) -> bool:
        """Whether a call is one of a function, class or module of the program."""
        if isinstance(node, ast.Name) and node.id in {*self.functions, *self.classes}:
            return True
        return kinds.MODULE in self.kinds_of(node) or (
            ast.unparse(node).startswith("self.")
            or (
                isinstance(node, ast.Call)
                and hasattr(node, "lineno")
                and self.at(node) in self.replaced
            )
        )

    def made(self, node: ast.Call) -> ast.expr:
        """The layer that a call makes."""
        made = self.recording.made[self.at(node)][0]
        if node is not self.named:
            self.first_weights(node, "", "")  # marks them
        try:
            return constructed(made, node, self.visit, self.input_size(self.attribute))
        except (ValueError, TypeError) as error:
            self.todo.append(str(error))
            return node

    def input_size(self, attribute: str) -> int | None:
        """The size of the input of a layer of linen, where all of its calls agree."""
        sizes = set[int]()
        for (owner, name), found in self.recording.inputs.items():
            in_list = name.rpartition("_")[0] == attribute and name.rpartition("_")[2].isdigit()
            if owner == self.owner and (name == attribute or in_list):
                sizes |= found
        return sizes.pop() if len(sizes) == 1 else None

    def applied(self, node: ast.Call) -> ast.expr:
        """``model.apply(params, x)`` as ``model(x)``."""
        owner, (_, given) = self.variables(node.args[0]), self.recording.applied[self.at(node)]
        words = [w for w in node.keywords if w.arg not in ("rngs", "mutable", "method")]
        method = next((w.value for w in node.keywords if w.arg == "method"), None)
        if method is not None:
            text = ast.unparse(method).strip("'")
            owner = ast.Attribute(owner, text.rpartition(".")[2], ast.Load())
        new = self._call(owner, ast.Call(node.func, node.args[1:], words))
        inputs = [v for a, v in zip(node.args[1:], given, strict=False) if not self.is_key(a)]
        new.args = [*map(self._as_tensor, new.args, inputs), *new.args[len(inputs) :]]
        return new

    def variables(self, node: ast.expr) -> ast.expr:
        """The module that keeps the variables that an expression names."""
        match node:
            case ast.Dict(values=[first, *_]):
                return self.variables(first)
            case ast.Subscript(value=value) | ast.Starred(value=value):
                return self.variables(value)
            case ast.Attribute(value=value, attr="params"):
                return ast.Attribute(self.visit(value), "model", ast.Load())
        new: ast.expr = self.visit(node)
        return new

    def _call(self, function: ast.expr, node: ast.Call) -> ast.Call:
        args = [self.visit(a) for a in node.args if not self.is_key(a)]
        words = [ast.keyword(w.arg, self.visit(w.value)) for w in node.keywords
                 if not self.is_left_out(w)]  # fmt: skip
        return ast.Call(function, args, words)

    def _own(self, node: ast.Call) -> ast.expr:
        given = self.recording.own_calls.get(self.at(node)) if hasattr(node, "lineno") else None
        own = given[0] if given is not None else getattr(node.func, "id", "")
        gone, names = self.gone.get(own, set()), self.parameters.get(own, [])
        values = [v for k, v in given[1].items() if k != "self"] if given else []
        args = []
        for position, part in enumerate(node.args):
            name = names[position] if position < len(names) else ""
            if name in gone or self.is_key(part):
                continue
            value = values[position] if position < len(values) else None
            args.append(self._as_tensor(self.visit(part), value))
        own_layer = own not in self.functions
        is_linen = own in self.classes and self._library(own) == "linen"
        words = []
        for word in node.keywords:
            if word.arg in gone or self.is_left_out(word):
                continue
            if is_linen and word.arg == "name":
                continue
            is_mode = own_layer and word.arg in MODES and isinstance(word.value, ast.Constant)
            if is_mode and not self._takes(node, f"{word.arg}"):
                continue
            words.append(ast.keyword(word.arg, self.visit(word.value)))
        function = self.visit(node.func)
        flags = self.flags.get(ast.unparse(function), [])
        words += [ast.keyword(w.arg, self.visit(copy.deepcopy(w.value))) for w in flags
                  if not isinstance(w.value, ast.Constant)]  # fmt: skip
        return ast.Call(function, args, words)

    def _takes(self, node: ast.Call, name: str) -> bool:
        """Whether a module's own code has such a parameter."""
        given = self.recording.own_calls.get(self.at(node)) if hasattr(node, "lineno") else None
        return given is not None and name in given[1]

    def _as_tensor(self, node: ast.expr, value: Any) -> ast.expr:
        """An array of NumPy's, or several, as a tensor of the dtype that JAX gives it."""
        if isinstance(node, ast.Dict) and isinstance(value, dict):
            parts = zip(node.values, value.values(), strict=False)
            node.values = [self._as_tensor(part, inside) for part, inside in parts]
            return node
        if isinstance(node, ast.Tuple | ast.List) and isinstance(value, tuple | list):
            node.elts = [*map(self._as_tensor, node.elts, value)]
            return node
        if isinstance(value, dict | list | tuple) and kinds.are_of_numpy(value):
            return ast.Call(ast.Name("as_tensors", ast.Load()), [node], [])
        if type(value).__module__ != "numpy" or not getattr(value, "ndim", 0):
            return node
        dtype = {"float64": ", dtype=torch.float32"}.get(value.dtype.name, "")
        call = ast.parse(f"torch.as_tensor(_x{dtype})", mode="eval").body
        call.args = [node]  # type: ignore[attr-defined]
        return call

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        self.generic_visit(node)
        if (self.name(function) or "").startswith(OF_JAX) and not _is_plain_name(node.func):
            node.func = function  # a line of the map for it takes more than another name
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._constant(node) or node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        constant = self._constant(node)
        if constant is not None:
            return constant
        if node.attr == "size" and self.is_tensor(node.value):
            return ast.Call(ast.Attribute(self.visit(node.value), "numel", ast.Load()), [], [])
        if node.attr == "params" and self.kinds_of_state(node.value):
            return ast.Attribute(self.visit(node.value), "model", node.ctx)
        if node.attr == "value" and isinstance(node.ctx, ast.Load) and self._is_weight(node.value):
            return self.visit(node.value)
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        if ast.unparse(node.slice) in ("...", "Ellipsis") and self._is_weight(node.value):
            return self.visit(node.value)
        return self.generic_visit(node)

    def _is_weight(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Attribute) and ast.unparse(node).startswith("self.")

    def _constant(self, node: ast.expr) -> ast.expr | None:
        """A function or constant of JAX that is no call: ``nnx.relu``, ``jnp.pi``."""
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            return None
        name = self.name(node)
        if name in _OWN:
            return ast.Name(name.rpartition(".")[2], ast.Load())
        row = jax_rows().get(name or "")
        row = row and meaning(row)
        if row is None or row.expression is None:
            return None
        if row.made is None:
            return ast.parse(row.expression, mode="eval").body
        try:
            return function_argument(name or "").node
        except Exception:
            return None


def _is_plain_name(node: ast.expr) -> bool:
    """Whether an expression is the name of a function of PyTorch, or of the draft."""
    text = ast.unparse(node)
    dtype = isinstance(getattr(torch, text.removeprefix("torch."), None), torch.dtype)
    return isinstance(node, ast.Name | ast.Attribute) and not dtype
