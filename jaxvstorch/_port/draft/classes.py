"""Rewrites a program's classes of modules as flax's."""

# ruff: noqa: N802 - ast.NodeVisitor gives the names of the methods.

import ast
import copy
import re
from collections.abc import Sequence
from typing import Any

from jaxvstorch._port.draft.expressions import parsed
from jaxvstorch._port.draft.gradients import FUNCTION, OtherFormError, custom_vjp
from jaxvstorch._port.draft.layers import base_of, is_flax, layer, own_classes
from jaxvstorch._port.draft.modules import Modules, draws
from jaxvstorch._port.draft.randomness import resolve, take_rngs, without_pass
from jaxvstorch._port.map.rows import meaning, rows


class Classes(Modules):
    """Rewrites classes of modules, and hands random numbers and the mode to their methods."""

    other_class: str | None = None  # the class around, if it is not one of modules

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        if FUNCTION in self.bases.get(node.name, ()):
            try:
                return custom_vjp(copy.deepcopy(node), self.visit_body, self._visit_backward)
            except OtherFormError as error:
                self.marks.append(f"{FUNCTION} with {error}: write it with jax.custom_vjp")
                return node
        if not self.is_module(node):
            for base in [b for b in node.bases if self.is_torch(b)]:
                self.marks.append(f"{self.qualified(base)} has no counterpart here")
                node.bases.remove(base)
            outer_class, self.other_class = self.other_class, node.name
            new = self.generic_visit(node)
            self.other_class = outer_class
            return new
        self.marks += [f"@{ast.unparse(d)}" for d in node.decorator_list]
        node.decorator_list, node.keywords = [], []
        outer, self.owner, self.optional = self.owner, node.name, _optional(node)
        node.bases = [self.visit(base) for base in node.bases]
        _lambdas_to_methods(node)
        node.body = self.visit_body(node.body)
        self.owner = outer
        return node

    def _visit_backward(self, body: list[ast.stmt]) -> list[ast.stmt]:
        self.in_backward = True
        try:
            return self.visit_body(body)
        finally:
            self.in_backward = False

    def is_module(self, node: ast.ClassDef) -> bool:
        """Whether a class of the program is one of modules."""
        return node.name in self.seen.instances or any(
            base.startswith("torch.nn.") for base in self.bases.get(node.name, ())
        )

    def finish_module(self, node: ast.ClassDef) -> None:
        """Hand flax's random numbers to the methods, and the mode to those that read it."""
        methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
        constructor = next((m for m in methods if m.name == "__init__"), None)
        later, reads_mode = False, False
        for method in methods:
            if method.name == "forward":
                method.name = "__call__"
            builds = method.name == "__init__" or f"{node.name}.{method.name}" in self.seen.builders
            if builds:
                take_rngs(method)
            later = later or (not builds and any(draws(method)))
            reads_mode = reads_mode or "self.deterministic" in ast.unparse(method)
            resolve(method, "rngs" if builds else "self.rngs", ".params()" if builds else "()")
        if constructor is not None:
            constructor.body = _made_once(constructor.body)
        added = ["self.rngs = rngs.fork()"] * later
        added += ["self.deterministic = False"] * reads_mode
        if constructor is None:
            constructor = _constructor(self.bases.get(node.name, ()))
            if constructor is not None:
                first = 1 if ast.get_docstring(node) is not None else 0
                node.body.insert(first, constructor)
        if added and constructor is not None:
            first = 1 if ast.get_docstring(constructor) is not None else 0
            body = without_pass(constructor.body)
            constructor.body = [*body[:first], *ast.parse("\n".join(added)).body, *body[first:]]


def _made_once(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements without the layer that a tied one replaces."""
    texts = [ast.unparse(node) for node in body]
    replaced = set[int]()
    for place, text in enumerate(texts):
        target, _, value = text.partition(" = ")
        if value.startswith("paste.TiedLinear(") and not re.search(rf"{target}\b", value):
            uses = [i for i in range(place) if re.search(rf"{target}\b", texts[i])]
            if len(uses) == 1 and texts[uses[0]].startswith(f"{target} = "):
                replaced.add(uses[0])
    return [node for place, node in enumerate(body) if place not in replaced]


def _lambdas_to_methods(node: ast.ClassDef) -> None:
    """``self.f = lambda x: self.a(x)`` as a method: flax copies no module that a lambda holds."""
    methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
    constructor = next((m for m in methods if m.name == "__init__"), None)
    if constructor is None:
        return
    aliases = {
        part.targets[0].id: part
        for part in constructor.body
        if isinstance(part, ast.Assign)
        and isinstance(part.targets[0], ast.Name)
        and ast.unparse(part.value).startswith("self.")
        and isinstance(part.value, ast.Attribute)
    }
    names = [n for n in ast.walk(constructor) if isinstance(n, ast.Name)]
    bound = {n.id for n in names if isinstance(n.ctx, ast.Store)}
    bound |= {a.arg for a in ast.walk(constructor.args) if isinstance(a, ast.arg)} - {"self"}
    for part in list(constructor.body):
        match part:
            case ast.Assign(
                targets=[ast.Attribute(ast.Name("self"), name)], value=ast.Lambda() as f
            ):
                own = {a.arg for a in ast.walk(f.args) if isinstance(a, ast.arg)}
                read = {n.id for n in ast.walk(f.body) if isinstance(n, ast.Name)} - own
                used = [alias for key, alias in aliases.items() if key in read]
                if not (used or "self" in read) or (read & bound) - set(aliases):
                    continue
                f.args.args.insert(0, ast.arg("self"))
                body = [*copy.deepcopy(used), ast.Return(f.body)]
                constructor.body.remove(part)
                method = ast.parse(f"def {name}(): ...").body[0]
                method.args, method.body = f.args, body  # type: ignore[attr-defined]
                node.body.insert(node.body.index(constructor) + 1, ast.copy_location(method, f))
    left = [n.id for n in ast.walk(constructor) if isinstance(n, ast.Name)]
    for name, alias in aliases.items():
        if left.count(name) == 1 and sum(n.id == name for n in names) > 1:
            constructor.body.remove(alias)


def _constructor(bases: Sequence[str]) -> ast.FunctionDef | None:
    """The ``__init__`` of a module that has none of its own, if it needs one."""
    name = next((base for base in bases if base.startswith("torch.nn.")), None)
    if name == "torch.nn.Module":
        text = "def __init__(self, *, rngs: nnx.Rngs):\n    pass\n"
    elif name == "torch.nn.Sequential":
        text = "def __init__(self, *layers, rngs=None):\n    super().__init__(*layers)\n"
    elif name is None:
        text = (
            "def __init__(self, *args, rngs: nnx.Rngs, **options):\n"
            "    super().__init__(*args, rngs=rngs, **options)\n"
        )
    elif (base := base_of(name)) is None or (base in own_classes() and not is_flax(name)):
        return None
    else:  # PyTorch's arguments for flax's layer
        row = meaning(rows()[name])
        given = [ast.keyword(p, ast.Name(p, ast.Load())) for p in row.taken() if p != "dtype"]
        made = layer(name, ast.Call(parsed("layer"), [], given), ast.Name("rngs", ast.Load()))
        assert isinstance(made, ast.Call)
        made.func = parsed("super().__init__")
        taken = re.sub(r", \*, dtype=None$|, dtype=None$", "", row.made or "")
        star = "" if "*," in taken else "*, "
        text = f"def __init__(self, {taken}, {star}rngs: nnx.Rngs):\n    {ast.unparse(made)}\n"
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


def _optional(node: ast.ClassDef) -> frozenset[str]:
    """The attributes of ``self`` that a class sets to None, or to something else or None."""
    names = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Attribute):
            values = [part.value]
            if isinstance(part.value, ast.IfExp):
                values = [part.value.body, part.value.orelse]
            if any(isinstance(v, ast.Constant) and v.value is None for v in values):
                names.add(part.targets[0].attr)
        if isinstance(part, ast.Call) and ast.unparse(part.func).endswith(".register_parameter"):
            names |= {str(a.value) for a in part.args[:1] if isinstance(a, ast.Constant)}
    return frozenset(names)
