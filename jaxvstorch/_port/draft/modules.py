"""Rewrites a program's modules as flax's: what they are made of, and what reads their weights."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
import copy
from collections.abc import Iterator, Mapping, Set
from typing import Any

from jaxvstorch._port.draft.commenting import UNREACHED
from jaxvstorch._port.draft.expressions import KEY, Expressions, parsed
from jaxvstorch._port.draft.gradients import FUNCTION
from jaxvstorch._port.draft.layers import (
    CONTAINERS,
    SETTINGS,
    NoLayerError,
    base_of,
    is_dtype,
    is_function,
    is_known,
    layer,
    written,
)
from jaxvstorch._port.draft.seen import layer_name
from jaxvstorch._port.imports import path_of, root_of
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.shorter_forms import shorter

RNGS = "rngs_here"  # stands for flax's random numbers until it is known who has them
# flax's names for PyTorch's weights, by flax's layer, and what gives an array as PyTorch has it.
_WEIGHTS = {
    "nnx.Linear": {"weight": ("kernel", "{}.T")},
    "Conv": {"weight": ("kernel", "jnp.moveaxis({}, (-1, -2), (0, 1))")},
    "nnx.Embed": {"weight": ("embedding", "{}")},
    "nnx.LayerNorm": {"weight": ("scale", "{}")},
    "nnx.RMSNorm": {"weight": ("scale", "{}")},
    "GroupNorm": {"weight": ("scale", "{}")},
    "BatchNorm": {
        "weight": ("scale", "{}"), "running_mean": ("mean", "{}"), "running_var": ("var", "{}"),
    },
}  # fmt: skip
_RENAMED = {name for names in _WEIGHTS.values() for name in names}
_PARAMETERS = ("torch.nn.Parameter", "torch.nn.parameter.Parameter", "torch.nn.Buffer")
_ITERATED = {"modules": "nnx.iter_modules", "children": "nnx.iter_children"}
_PLACEMENTS = ("to", "cuda", "cpu")


class Modules(Expressions):
    """Rewrites what makes modules, and what reads their weights."""

    owner: str | None = None  # the class whose methods are being rewritten
    optional: frozenset[str] = frozenset()  # its weights that can be None
    narrowed: Mapping[str, str] = {}  # the layers that variables are, as `isinstance` found

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = self.qualified(node.func) or ""
        made = self.seen.constructions.get(self.span(node), [])
        layers = [full for full in made if is_known(full)]
        if name in _PARAMETERS:
            return self._parameter(name, node)
        bases = ("super().__init__", f"super({self.owner}, self).__init__")
        if self.owner is not None and ast.unparse(node.func) in bases:
            return self._base(node)
        others = [full for full in made if "." in full and full not in layers]
        if others:
            self.marks.append(self.seen.other_package(others[0]))
            return self.generic_visit(node)
        if len(made) == 1 and made[0] in self.seen.extracted:
            node.func = parsed(made[0])
        if len(made) > len(layers) or (not made and self.span(node) in self.seen.passing):
            self.generic_visit(node)
            node.keywords.append(ast.keyword("rngs", ast.Name(RNGS, ast.Load())))
            return node
        if not layers and _is_layer(name) and not self.calls_at(node):
            layers = [name]
            if self._did_not_run(node) and not self.unreached:
                self.marks.append(f"{name} {UNREACHED}")
        match node.func:
            case ast.Call(ast.Name("getattr"), [_, key]) if not isinstance(key, ast.Constant):
                if layers and (chosen := self._chosen(layers, key, node)) is not None:
                    return chosen
        if len(layers) == 1:
            return self._layer(layers[0], node)
        if layers:
            self.marks.append(f"makes {' or '.join(layers)}")
        func = node.func
        method, of = (func.attr, func.value) if isinstance(func, ast.Attribute) else ("", func)
        if method == "apply" and FUNCTION in self.bases.get(ast.unparse(of), ()):
            return ast.Call(of, [self.visit(a) for a in node.args], [])
        if method in ("parameters", "named_parameters") and not name and not node.args:
            weights = f"paste.named_parameters({ast.unparse(self.visit(of))})"
            single = f"(p for _, p in {weights})"
            return parsed(single if method == "parameters" else weights)
        if method == "named_modules" and not name and not node.args:
            return ast.Call(parsed("paste.named_modules"), [self.visit(of)], [])
        if method in ("add_module", "register_module"):
            args = [self.visit(part) for part in (of, *node.args)]
            return ast.Call(parsed("setattr"), args, node.keywords)
        if method in _ITERATED and not name and not node.args:
            owner = ast.unparse(self.visit(of))
            return parsed(f"(m for _, m in {_ITERATED[method]}({owner}))")
        if method in _PLACEMENTS and not name and not self.calls_at(node):
            array = self.visit(of)
            named = [word.value for word in node.keywords if word.arg == "dtype"] or node.args
            if method == "to" and named and is_dtype(named[0], self.qualified(named[0])):
                if not self.unwatched:
                    self.marks.append(f"Tensor.to {UNREACHED}")
                return parsed(f"({ast.unparse(array)}).astype({ast.unparse(self.visit(named[0]))})")
            return array  # type: ignore[no-any-return]
        inner = isinstance(node.func, ast.Call)
        called = inner and self.seen.constructions.get(self.span(node.func))
        if called and len(called) == 1 and is_function(called[0]):  # nn.Softmax(dim=1)(x)
            return self._called_at_once(called[0], node)
        return super().visit_Call(node)

    def _layer(self, name: str, node: ast.Call) -> ast.AST:
        types = self.seen.construction_types.get(self.span(node), {})
        new = self._with_arguments(node)
        assert isinstance(new, ast.Call)
        try:
            short = shorter(name) if self.span(node) in self.seen.shorter else None
            return layer(name, new, ast.Name(RNGS, ast.Load()), types, short)
        except NoLayerError as error:
            self.marks.append(f"{name}: {error}")
        except (KeyError, ValueError):
            self.marks.append(f"{name}: its arguments cannot be matched to its parameters")
        return new

    def _chosen(self, names: list[str], key: ast.expr, node: ast.Call) -> ast.expr | None:
        """``getattr(nn, kind)(n)`` as a choice among the layers that the run made."""
        made: list[Any] = [self._layer(name, copy.deepcopy(node)) for name in names]
        calls = [m for m in made if isinstance(m, ast.Call)]
        given = {ast.dump(ast.Call(parsed("x"), m.args, m.keywords)) for m in calls}
        alike = len(calls) == len(made) and len(given) == 1 and not any(map(is_function, names))
        if not alike and not all(map(is_function, names)):
            return None
        kinds = [ast.Constant(name.rpartition(".")[2]) for name in names]
        values = [m.func for m in made] if alike else made
        choice = ast.Subscript(ast.Dict([*kinds], values), self.visit(key), ast.Load())
        return ast.Call(choice, calls[0].args, calls[0].keywords) if alike else choice

    def _called_at_once(self, name: str, node: ast.Call) -> ast.AST:
        assert isinstance(node.func, ast.Call)
        node.func = self._layer(name, node.func)  # type: ignore[assignment]
        node.args = [self.visit(a) for a in node.args]
        return node

    def _parameter(self, name: str, node: ast.Call) -> ast.AST:
        """``nn.Parameter(x)`` as ``nnx.Param(x)``, or a buffer if it needs no gradient."""
        options = {word.arg: word.value for word in node.keywords}
        values = [self.visit(a) for a in node.args] or [
            self.visit(options[key]) for key in ("data",) if key in options
        ]
        fixed = "requires_grad" in options and ast.unparse(options["requires_grad"]) == "False"
        if "persistent" in options and ast.unparse(options["persistent"]) == "False":
            buffer: ast.AST = values[0]  # in no state_dict: an array, which from_torch leaves
            return buffer
        kind = "paste.Buffer" if fixed or name.endswith("Buffer") else "nnx.Param"
        return ast.Call(parsed(kind), values, [])

    def _base(self, node: ast.Call) -> ast.AST:
        """``super().__init__`` of a class of the program."""
        bases = self.bases.get(self.owner or "", [])
        node.func = parsed("super().__init__")
        name = next((b for b in bases if b.startswith("torch.nn.")), None)
        if name is None:  # of another of the program's classes
            self.generic_visit(node)
            node.keywords.append(ast.keyword("rngs", ast.Name(RNGS, ast.Load())))
            return node
        if name == "torch.nn.Module":
            return node
        new = self._layer(name, node)
        if isinstance(new, ast.Call):
            new.func = parsed("super().__init__")
        return new

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        path = path_of(node)
        if self.owner and path == ["training"]:
            return parsed("(not self.deterministic)")
        if isinstance(node.ctx, ast.Load):
            path = path or path_of(node, self._variables())
            weight = self._weight(path) if path else None
            base, owner = self._holder(path) if path else (None, "")
            weight = weight or SETTINGS.get(base or "", {}).get(node.attr, "").format(owner)
            if weight:
                return parsed(weight)
        if node.attr in _RENAMED and root_of(node) in self._variables() and not self.narrowed:
            self.marks.append(f"flax has another name for {ast.unparse(node)}, and maybe layout")
        name = self.qualified(node) or ""
        if _is_layer(name) and (base := base_of(name)) is not None:
            return parsed(written(base))
        return super().visit_Attribute(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        new = super().visit_UnaryOp(node)
        twice = ast.unparse(new) == "not not self.deterministic"
        return parsed("self.deterministic") if twice else new

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name = self.qualified(node) or ""
        if _is_layer(name) and (base := base_of(name)) is not None:
            return parsed(written(base))
        return super().visit_Name(node)

    def visit_If(self, node: ast.If) -> ast.AST:
        """Inside ``if isinstance(m, nn.Linear):`` a variable is that layer."""
        match node.test:
            case ast.Call(func=ast.Name("isinstance"), args=[ast.Name(id=name), kind]):
                base = base_of(self.qualified(kind) or "")
                if base is not None:
                    outer, self.narrowed = self.narrowed, {**self.narrowed, name: base}
                    node.body = self.visit_body(node.body)
                    self.narrowed = outer
                    node.test = self.visit(node.test)
                    node.orelse = self.visit_body(node.orelse) if node.orelse else []
                    return node
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self.iterated(node.iter)
        return self.generic_visit(node)

    def iterated(self, node: ast.expr) -> ast.expr:
        """What a loop goes over: the layers of a Sequential, which is none of flax's lists."""
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "enumerate":
            node.args = [self.iterated(a) for a in node.args]
        elif self.owner and self.layer_at(node) == "torch.nn.Sequential":
            return ast.copy_location(ast.Attribute(node, "layers", ast.Load()), node)
        return node

    def visit_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements in JAX."""
        raise NotImplementedError

    def layer_at(self, node: ast.expr) -> str | None:
        """The full name of the layer of PyTorch that ``self.a.b`` is; None for others."""
        path = path_of(node)
        return layer_name(self.seen.attribute(self.owner, path)) if path else None

    def place(self, node: ast.expr) -> tuple[str, str, str] | None:
        """How a weight is read and written, and how an array of PyTorch's shape gets there."""
        path = [name for name in path_of(node, self._variables()) if name != "data"]
        if not path:
            return None
        base, owner = self._holder(path)
        name = path[-1]
        if base is not None and (names := _WEIGHTS.get(base, {}).get(name)):
            inverse = names[1].replace("(-1, -2), (0, 1)", "(0, 1), (-1, -2)")
            return names[1].format(f"{owner}.{names[0]}[...]"), f"{owner}.{names[0]}[...]", inverse
        if (base is not None and name in ("weight", "bias")) or self._is_array(path):
            return (f"{owner}.{name}[...]",) * 2 + ("{}",)
        return None

    def _weight(self, path: list[str]) -> str | None:
        """The text that reads a weight of the module, or of a layer of it; None for others."""
        if path[-1] == "data":  # the weight itself, written into
            return self._weight(path[:-1]) if len(path) > 1 else None
        base, owner = self._holder(path)
        if base is not None and (names := _WEIGHTS.get(base, {}).get(path[-1])):
            return names[1].format(f"{owner}.{names[0]}[...]")
        if not self._is_array(path):
            return None
        optional = len(path) == 1 and path[0] in self.optional
        return f"{owner}.{path[-1]}" + "[...]" * (not optional)

    def _holder(self, path: list[str]) -> tuple[str | None, str]:
        """The class of the layer that has a weight, if it is a layer, and the text for it."""
        if path[0] in self.narrowed:
            return self.narrowed[path[0]] if len(path) == 2 else None, ".".join(path[:-1])
        if path[0] in self._variables():
            value: object = self.seen.modules[path[0]]
            for name in path[1:-1]:
                value = getattr(value, name, None)
            known = layer_name(value)
            return base_of(known) if known else None, ".".join(path[:-1])
        known = layer_name(self.seen.attribute(self.owner, path[:-1]))
        if len(path) == 1:  # a weight of the layer that the class is derived from
            bases = self.bases.get(self.owner or "", ())
            known = next((b for b in bases if b in rows() and b not in CONTAINERS), None)
        return base_of(known) if known else None, ".".join(["self", *path[:-1]])

    def _variables(self) -> Set[str]:
        """The names of variables that are modules, as the run or `isinstance` found."""
        return set(self.narrowed) | (set() if self.owner else set(self.seen.modules))

    def _is_array(self, path: list[str]) -> bool:
        """Whether a path leads to a weight or a buffer that is there."""
        if self.owner is None or path[0] in self.narrowed:
            return False
        holder = self.seen.attribute(self.owner, path[:-1])
        held = getattr(holder, "_parameters", {}) | getattr(holder, "_buffers", {})
        return held.get(path[-1]) is not None


def _is_layer(name: str) -> bool:
    """Whether a full name is that of one of PyTorch's layers."""
    row = rows().get(name)
    return name.startswith("torch.nn.") and (
        base_of(name) is not None or (row is not None and meaning(row).called is not None)
    )


def draws(node: ast.AST) -> Iterator[ast.Name]:
    """The places in a tree that need a random key, or flax's random numbers."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in (KEY, RNGS):
            yield part
