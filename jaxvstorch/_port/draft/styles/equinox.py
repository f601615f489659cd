"""Writes a draft in Equinox: modules with fields, and functions that return what they change."""

import ast
import re
from collections.abc import Iterator, Set

import torch

from jaxvstorch._port.draft.styles import CannotWriteError
from jaxvstorch._port.draft.styles.program import Effect, Modules
from jaxvstorch._port.draft.styles.reads import Reads, ReadsBuffers, as_layer
from jaxvstorch._port.draft.styles.steps import Steps
from jaxvstorch._port.draft.styles.threading import first_of
from jaxvstorch._port.draft.styles.writing import Function

# Equinox's layer, or the draft's own over batches, for each of NNX's: its name, whether it takes
# a key, and the names of its settings.
_EPS = {"epsilon": "eps", "use_scale": "use_weight"}
LAYERS: dict[str, tuple[str, bool, dict[str, str]]] = {
    "nnx.Linear": ("paste.Linear", True, {}),
    "nnx.Embed": ("paste.Embedding", True, {}),
    "paste.PaddedEmbed": ("paste.PaddedEmbedding", True, {}),
    "nnx.LayerNorm": ("paste.LayerNorm", False, _EPS),
    "nnx.RMSNorm": ("paste.RMSNorm", False, _EPS),
    "nnx.Dropout": ("eqx.nn.Dropout", False, {}),
    "nnx.Sequential": ("eqx.nn.Sequential", False, {}),
    "nnx.List": ("list", False, {}),
    "nnx.Dict": ("dict", False, {}),
    "paste.Conv": ("paste.Conv", True, {"kernel_dilation": "dilation", "strides": "stride",
                                        "feature_group_count": "groups"}),
    "paste.BatchNorm": ("paste.BatchNorm", False, {"epsilon": "eps"}),
    "paste.GroupNorm": ("paste.GroupNorm", False, {"epsilon": "eps", "num_groups": "groups"}),
    "paste.PReLU": ("paste.PReLU", False, {}),
    "paste.ConvTranspose2d": ("paste.ConvTranspose2d", True, {}),
    "paste.LSTM": ("paste.LSTM", True, {}),
    "paste.GRU": ("paste.GRU", True, {}),
}  # fmt: skip
_DEFAULTS = {"eps": "1e-05", "momentum": "0.9"}


class Equinox(Steps):
    """Rewrites modules as Equinox's, and training steps with its filtered transformations."""

    def module(self, node: ast.ClassDef) -> ast.ClassDef:
        """A class of modules, with annotated fields."""
        name = node.name
        for part in node.body:
            if isinstance(part, Function):
                self._check_writes(part)
        methods = [part for part in node.body if isinstance(part, Function)]
        self._buffers = {
            target
            for m in methods
            for target, value in _assigned(m)
            if self._is_fixed(name, target, value)
        }
        self.has_buffers = self.has_buffers or bool(self._buffers)
        fields = dict[str, str]()
        conditional = set[str]()
        for method in methods:
            for target, value in _assigned(method):
                fields.setdefault(target, self._annotation(name, target, value))
            plain = {t for part in method.body for t, _ in _assigned_in(part)}
            conditional |= {t for t, _ in _assigned(method)} - plain
        conditional -= {t for m in methods for part in m.body for t, _ in _assigned_in(part)}
        fields.pop("rngs", None)
        body = list[ast.stmt]()
        for part in node.body:
            if isinstance(part, Function):
                method = self.method(name, part)
                if method.name == "__init__":
                    self._constructor(method)
                elif method.name == "__call__" and self._in_sequence(name):
                    takes = {a.arg for a in method.args.kwonlyargs}
                    if "key" not in takes:
                        method.args.kwonlyargs.append(ast.arg("key"))
                        method.args.kw_defaults.append(ast.Constant(None))
                body.append(method)
            else:
                body.append(part)
        effect = self.program.effects.get(f"{name}.__call__", Effect())
        base = "eqx.nn.StatefulLayer" if effect.changed else "eqx.Module"
        node.bases = [
            ast.parse(base, mode="eval").body if ast.unparse(b) == "nnx.Module" else b
            for b in node.bases
        ]
        annotated = [
            ast.parse(f"{n}: {kind}" + " = None" * (n in conditional)).body[0]
            for n, kind in fields.items()
        ]
        at = first_of(body)
        while at < len(body) and isinstance(body[at], ast.Expr | ast.Assign):
            at += 1
        body[at:at] = annotated
        node.body = [ReadsBuffers(self._buffers).visit(part) for part in body] or [ast.Pass()]
        return node

    def _is_fixed(self, owner: str, target: str, value: ast.expr) -> bool:
        """Whether an attribute is an array that no optimizer changes."""
        if ast.unparse(value).startswith("paste.Buffer("):
            return True
        held = getattr(next(iter(self.program.instances.get(owner, [])), None), target, None)
        return isinstance(held, torch.Tensor) and not isinstance(held, torch.nn.Parameter)

    def _constructor(self, method: Function) -> None:
        arguments = method.args
        if "key" not in {a.arg for a in arguments.kwonlyargs}:
            arguments.kwonlyargs.append(ast.arg("key"))
            arguments.kw_defaults.append(None)
        at = next(i for i, a in enumerate(arguments.kwonlyargs) if a.arg == "key")
        arguments.kw_defaults[at] = None

    def _in_sequence(self, name: str) -> bool:
        """Whether a module is a layer of a sequence, which hands each layer a key."""
        roots = [m for several in self.program.instances.values() for m in several]
        return any(
            type(part).__name__ == name
            for root in roots
            if isinstance(root, torch.nn.Sequential)
            for part in root
        )

    def _annotation(self, owner: str, target: str, value: ast.expr) -> str:
        text = ast.unparse(value)
        name = text.partition("(")[0]
        if name in LAYERS:
            made = LAYERS[name][0]
            return "Any" if made == "dict" else made
        if name in self.program.classes:
            return name
        if name == "nnx.Param":
            return "Array"
        if target in self._buffers:
            return "paste.Buffer"
        held = getattr(self.program.instances.get(owner, [None])[0], target, None)
        if isinstance(held, torch.nn.Module):
            kinds = {torch.nn.Sequential: "eqx.nn.Sequential", torch.nn.ModuleList: "list"}
            known = type(held).__name__
            return kinds.get(type(held), known if known in self.program.classes else "Any")
        if isinstance(held, torch.Tensor):
            return "Array"
        kind = type(held).__name__
        return kind if kind in ("int", "float", "str", "bool", "tuple", "list") else "Any"

    def _check_writes(self, method: Function) -> None:
        """Refuse what changes a module after it is made: Equinox's are fixed then."""
        for node in ast.walk(method):
            targets = node.targets if isinstance(node, ast.Assign) else []
            for target in targets:
                text = ast.unparse(target)
                if text.endswith("[...]") and not re.fullmatch(r"self\.\w+\.\w+\[\.\.\.\]", text):
                    error = CannotWriteError("a weight that is written again", f"{text} = ...")
                    error.set_line(node)
                    error.set_line(method)
                    raise error

    def statement(self, node: ast.stmt) -> Iterator[ast.stmt]:
        text = ast.unparse(node)
        if re.fullmatch(r"self\.rngs = rngs(\.fork\(\))?", text):
            return
        match node:
            case ast.Assign([ast.Subscript(ast.Attribute(layer, weight), ast.Constant())], value):
                old = {"kernel": "weight", "embedding": "weight", "scale": "weight"}
                held, name = ast.unparse(layer), old.get(weight, weight)
                new = ast.unparse(value)
                yield ast.parse(f"{held} = eqx.tree_at(lambda m: m.{name}, {held}, {new})").body[0]
            case ast.Assign([ast.Attribute(ast.Name("self"), name)], value) if (
                self.owner and name in self._buffers and "paste.Buffer(" not in text
            ):
                buffer = ast.Call(ast.Name("paste.Buffer", ast.Load()), [value], [])
                yield ast.Assign(node.targets, buffer, lineno=0)
            case ast.Assign([ast.Name()], ast.Call(ast.Name(made))) if (
                made in self.program.classes
                and not self.owner
                and self.program.is_stateful(self.program.instances.get(made, []))
            ):
                value = node.value
                value.func = ast.parse(f"eqx.nn.make_with_state({made})", mode="eval").body  # type: ignore[attr-defined]
                target = ast.Tuple([node.targets[0], ast.Name("state", ast.Store())], ast.Store())
                yield ast.Assign([target], value, lineno=0)
            case _ if (mode := self.sets_mode(node)) is not None:
                of, training = mode
                flags = {"True": ", False", "False": ""}
                negated = ast.unparse(ast.UnaryOp(ast.Not(), training))
                off = flags.get(ast.unparse(training), f", {negated}")
                model = ast.unparse(of)
                yield ast.parse(f"{model} = eqx.nn.inference_mode({model}{off})").body[0]
            case _:
                yield from super().statement(node)

    _buffers: Set[str] = frozenset()

    def called(self, call: ast.Call, modules: Modules, method: str, of: ast.expr) -> Effect | None:
        effect = self.program.effect_of(modules)
        if effect.changed:
            call.args.append(ast.Name("state", ast.Load()))
        if ast.unparse(of) in self.resolving.evaluated:
            key = effect.key and effect.always
            effect = Effect(key, effect.changed, True, effect.always, evaluates=True)
        return effect if effect.key or effect.changed else None

    def of_method(self, call: ast.Call, owner: str, method: str) -> Effect | None:
        effect = self.program.effects.get(f"{owner}.{method}", Effect())
        if any(w.arg == "rngs" for w in call.keywords):
            effect = Effect(True, effect.changed)
        if effect.changed:
            node = self.program.methods[owner][method]
            state = ast.Name("state", ast.Load())
            if node.args.defaults:
                call.keywords.append(ast.keyword("state", state))
            else:
                call.args.append(state)
        return effect if effect.key or effect.changed else None

    def constructed(self, call: ast.Call, name: str) -> Effect | None:
        if name in LAYERS:
            made, key, names = LAYERS[name]
            call.func = ast.parse(made, mode="eval").body
            call.keywords = [w for w in call.keywords if w.arg != "rngs"]
            for word in call.keywords:
                word.arg = names.get(word.arg or "", word.arg)
            call.keywords = [
                w for w in call.keywords
                if _DEFAULTS.get(w.arg or "") != ast.unparse(w.value)
                and not (w.arg == "padding" and ast.unparse(w.value) == "0" and "Conv" in made)
            ]  # fmt: skip
            return Effect(True) if key else None
        return Effect(True)

    def classify(self, call: ast.Call) -> Effect | None:
        name = ast.unparse(call.func)
        if name == "nnx.Sequential":
            call.func = ast.parse("eqx.nn.Sequential", mode="eval").body
            layers: list[ast.expr] = [as_layer(a) for a in call.args]
            call.args = [ast.List(layers, ast.Load())]
            return None
        if name == "nnx.List":
            if isinstance(call.args[0], ast.List | ast.ListComp):
                self._replace(call, call.args[0])
            call.func = ast.Name("list", ast.Load())
            return None
        if name == "nnx.Param":
            call.func = ast.Name("jnp.asarray", ast.Load())
            return None
        return super().classify(call)

    def _replace(self, call: ast.Call, new: ast.expr) -> None:
        call.args = [new]

    def rest(self, tree: ast.AST) -> ast.AST:
        """The last changes of a tree, once all else is written."""
        return Reads().visit(tree)  # type: ignore[no-any-return]


def _assigned(method: Function) -> Iterator[tuple[str, ast.expr]]:
    """The attributes that a method sets, with their values."""
    for node in ast.walk(method):
        yield from _assigned_in(node)


def _assigned_in(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            for part in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(part, ast.Attribute) and ast.unparse(part.value) == "self":
                    yield part.attr, node.value
