"""Writes what makes the weights of modules: functions that return dictionaries of arrays."""

import ast
import re
from collections.abc import Iterator

import torch

from jaxvstorch._port.draft.styles import CannotWriteError
from jaxvstorch._port.draft.styles.function_layers import INITS, init_call
from jaxvstorch._port.draft.styles.function_reads import Places, Reads
from jaxvstorch._port.draft.styles.program import Effect
from jaxvstorch._port.draft.styles.resolving import Resolving
from jaxvstorch._port.draft.styles.steps import Steps
from jaxvstorch._port.draft.styles.threading import first_of
from jaxvstorch._port.draft.styles.writing import Function

_NOTHING = "paste.nothing"  # stands for the weights of a layer without any
EXPRESSION = "paste.expression"  # around what a call becomes that is none itself
FUNCTION = "function_"  # before the name of a module's function, which can be a variable's too


class Inits(Places, Steps):
    """Rewrites constructors.

    Attributes:
        in_init: whether a constructor is being rewritten.
        init_names: the functions that make weights, by class.
    """

    in_init = False
    init_names: dict[str, str]

    def init_function(self, owner: str, method: Function) -> Function:
        """The function that makes the weights of a class of modules."""
        self.owner, self.in_init = owner, True
        self.resolving = Resolving(
            {"self": self.program.instances.get(owner, [])}, self.program.instances
        )
        self.roots, self.taken = {"self": ("params", "params")}, set()
        self._tied = self.tied(owner)
        self._read = {
            n.attr for n in ast.walk(method)
            if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)
            and isinstance(n.value, ast.Name) and n.value.id == "self"
        }  # fmt: skip
        threading = self.threading(method)
        body = threading.body(method.body)
        threading.begin_keys(body, first_of(body))
        arguments = method.args
        arguments.args = [ast.arg("key"), *arguments.args[1:]]
        arguments.kwonlyargs = [a for a in arguments.kwonlyargs if a.arg != "rngs"]
        arguments.kw_defaults = [None] * len(arguments.kwonlyargs)
        method.name, self.in_init = self.init_names[owner], False
        method.body = _returned(body)
        return method

    def tied(self, owner: str) -> dict[str, str]:
        """The embeddings whose rows linear layers of a class have for weights, by the layers."""
        found = dict[str, str]()
        made = self.program.methods.get(owner, {}).get("__init__")
        for node in ast.walk(made) if made else ():
            match node:
                case ast.Assign(
                    [ast.Attribute(_, layer)], ast.Call(func, [ast.Attribute(_, name)])
                ):
                    if ast.unparse(func) == "paste.TiedLinear":
                        found[layer] = name
        return found

    def init_statement(self, node: ast.stmt) -> Iterator[ast.stmt]:
        """A statement of a constructor."""
        if re.fullmatch(
            r"self\.(rngs = rngs(\.fork\(\))?|deterministic = False)", ast.unparse(node)
        ):
            return
        match node:
            case ast.Assign([ast.Attribute(ast.Name("self"), name)], value):
                instances = self.program.instances.get(self.owner, [])
                held = [getattr(m, name, None) for m in instances]
                modules = [h for h in held if isinstance(h, torch.nn.Module)]
                if name in self._tied:
                    return
                if any(m.state_dict() for m in modules) or any(
                    isinstance(h, torch.Tensor) for h in held
                ):
                    line = ast.parse(f"params[{name!r}] = 0").body[0]
                    line.value = Reads(self).visit(value)  # type: ignore[attr-defined]
                    yield line
                elif not modules and name in self._read:
                    yield ast.Assign(
                        [ast.Name(name, ast.Store())], Reads(self).visit(value), lineno=0
                    )
            case ast.Assign([ast.Subscript(ast.Attribute() as weight, ast.Constant())], value):
                line = ast.parse(f"{ast.unparse(Reads(self).visit(weight))} = 0").body[0]
                line.value = Reads(self).visit(value)  # type: ignore[attr-defined]
                yield line
            case ast.For() | ast.If() | ast.While() | ast.With():
                yield node
            case _:
                yield Reads(self).visit(node)

    def constructed(self, call: ast.Call, name: str) -> Effect | None:
        if self.owner and not self.in_init:
            raise CannotWriteError("a layer that a method makes", ast.unparse(call))
        call.keywords = [w for w in call.keywords if w.arg != "rngs"]
        if name in self.program.classes:
            if name not in self.init_names:
                call.func, call.args, call.keywords = _parsed(_NOTHING), [], []
                return None
            call.func = ast.Name(self.init_names[name], ast.Load())
            return Effect(True)
        if name == "nnx.Dropout":
            call.func, call.args, call.keywords = _parsed(_NOTHING), [], []
            return None
        if name not in INITS:
            raise CannotWriteError("", ast.unparse(call))
        return Effect(True) if init_call(call, name) else None

    def classify(self, call: ast.Call) -> Effect | None:
        name = ast.unparse(call.func)
        if name == "nnx.Sequential":
            parts: list[ast.expr] = [_or_nothing(a, self.init_names) for a in call.args]
            while parts and _is_nothing(parts[-1]):
                parts.pop()
            call.func, call.args = ast.Name("list", ast.Load()), [ast.List(parts, ast.Load())]
            return None
        if name in ("nnx.List", "nnx.Dict"):
            call.func = ast.Name("list" if name == "nnx.List" else "dict", ast.Load())
            return None
        if name in ("nnx.Param", "paste.Buffer"):
            call.func = _parsed("jnp.asarray")
            return None
        return super().classify(call)


class Tidied(ast.NodeTransformer):
    """The last changes of a tree: lists as such, keys first, and models by their new names."""

    def __init__(self, inits: set[str], renamed: dict[str, str]) -> None:
        self.inits, self.renamed = inits, renamed

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = ast.unparse(node.func)
        if name in self.inits or name.startswith("paste.init_"):
            keys = [w.value for w in node.keywords if w.arg == "key"]
            node.keywords = [w for w in node.keywords if w.arg != "key"]
            node.args = [*keys, *node.args]
        match node:
            case ast.Call(ast.Name("list"), [ast.List() | ast.ListComp() as inner], []):
                return inner
            case ast.Call(ast.Name("dict"), [ast.Dict() as named], []):
                return named
            case ast.Call(ast.Attribute(ast.Name("jnp"), "asarray"), [ast.Call() as made], []):
                return made
        if name == EXPRESSION:
            return node.args[0]
        return ast.Dict([], []) if name == _NOTHING else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id.startswith(FUNCTION):
            return ast.Name(node.id.removeprefix(FUNCTION), node.ctx)
        return ast.Name(self.renamed.get(node.id, node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self.renamed.get(node.arg, node.arg))

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        self.generic_visit(node)
        return ast.keyword(self.renamed.get(node.arg or "", node.arg), node.value)


def _or_nothing(layer: ast.expr, inits: dict[str, str]) -> ast.expr:
    """A layer of a sequence: one without weights has an empty dictionary."""
    made = isinstance(layer, ast.Call) and ast.unparse(layer.func)
    names = {*inits.values(), "list", "dict"}
    kept = isinstance(layer, ast.Starred) or (
        made and (made.startswith("paste.init_") or made in names)
    )
    return layer if kept else ast.Dict([], [])


def _is_nothing(node: ast.expr) -> bool:
    return isinstance(node, ast.Dict) and not node.keys


def _returned(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements that return ``params``: at once as a dictionary, if they only fill it."""
    items = dict[str, ast.expr]()
    others = list[ast.stmt]()
    for node in body:
        match node:
            case ast.Assign(
                [ast.Subscript(ast.Name("params"), ast.Constant(str(name)))], value
            ) if name not in items:
                items[name] = value
            case _:
                others.append(node)
    whole = ast.Dict([ast.Constant(name) for name in items], list(items.values()))
    texts = " ".join(map(ast.unparse, [*others, whole]))
    late = any(not _before(body, n, items) for n in others)
    if not re.search(r"\bparams\b", texts) and not late:
        return [*others, ast.Return(whole)]
    at = first_of(body)
    return [
        *body[:at],
        *ast.parse("params = {}").body,
        *body[at:],
        *ast.parse("return params").body,
    ]


def _before(body: list[ast.stmt], node: ast.stmt, items: dict[str, ast.expr]) -> bool:
    """Whether a statement can stand before all those that fill the dictionary."""
    return isinstance(node, ast.Assign | ast.Expr) or body.index(node) == 0


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
