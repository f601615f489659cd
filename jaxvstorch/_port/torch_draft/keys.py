"""Leaves out the keys of random numbers: PyTorch keeps its generator to itself."""

# ruff: noqa: N815 - ast.NodeVisitor gives the names of the methods.

import ast
import copy
from typing import Any

from jaxvstorch._port.from_jax.layers import RANDOM
from jaxvstorch._port.torch_draft import kinds
from jaxvstorch._port.torch_draft.naming import Names

_MAKE_KEYS = ("key", "PRNGKey", "split", "fold_in", "wrap_key_data", "key_data", "clone")
_PASS_KEYS = ("iter", "list", "next", "tuple")
_NAMED_AS_KEYS = (*RANDOM, "rng_key", "dropout_key")


class Keys(Names):
    """Knows which expressions are keys, and leaves those out of calls and loops."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.keys: set[str] = set()  # the names of a comprehension that are keys
        # The functions that lax.scan calls, which take as many arguments without keys.
        calls = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        self.looped = {ast.unparse(call.args[0]) for call in calls if self.is_scan(call)}
        self.gone = {name: self.dropped(node) for name, node in self.own.items()}

    def is_key(self, node: ast.AST) -> bool:
        """Whether an expression is a key of random numbers, or several."""
        match node:
            case ast.Call(func=ast.Name(id=name), args=[only]) if name in _PASS_KEYS:
                return self.is_key(only)
            case ast.Call():
                name = self.name(node.func) or ""
                if name.startswith("jax.random.") and name.rpartition(".")[2] in _MAKE_KEYS:
                    return True
                return name == "nnx.Rngs" or self.is_key(node.func)
            case ast.IfExp(body=body, orelse=other):
                return any(map(self.is_key, (body, other)))
            case ast.Dict(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
                return bool(parts) and all(map(self.is_key, parts))
            case ast.Name(id=name) if name in self.keys:
                return True
        return kinds.are_keys(self.kinds_of(node))

    def is_scan(self, node: ast.Call) -> bool:
        """Whether a call is one of ``lax.scan``."""
        return bool(node.args) and (self.name(node.func) or "").endswith("lax.scan")

    def is_left_out(self, word: ast.keyword) -> bool:
        """Whether a keyword argument of a call is a key, or what stands for none."""
        if self.is_key(word.value):
            return True
        of = self.kinds_of(word.value)
        return word.arg in _NAMED_AS_KEYS and of <= {kinds.KEY, kinds.NOTHING}

    def dropped(self, function: Any) -> set[str]:
        """The parameters of a function of the program that go away."""
        known, line = self.recording.kinds, function.lineno
        parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        gone = set[str]()
        for a in parameters:
            of = known.get((line, a.arg), set())
            optimizes = bool(of) and of <= {
                kinds.TRANSFORMATION, kinds.SCHEDULE, kinds.APPLY
            }  # fmt: skip
            named = a.arg in _NAMED_AS_KEYS and of <= {kinds.KEY, kinds.NOTHING}
            if kinds.are_keys(of) or optimizes or named:
                gone.add(a.arg)
        if any(kinds.VARIABLES in known.get((line, a.arg), ()) for a in parameters):
            gone |= {a.arg for a in parameters if a.arg != "self"
                     and known.get((line, a.arg)) == {kinds.MODULE}}  # fmt: skip
        return gone

    # Loops over keys.

    def scanned(self, node: ast.Call) -> ast.expr:
        """A call of ``lax.scan`` with None for keys, and as many steps as there were keys."""
        named = {w.arg: w.value for w in node.keywords if w.arg != "unroll"}
        given = dict(zip(("f", "init", "xs", "length", "reverse"), node.args, strict=False)) | named
        xs = given.get("xs", ast.Constant(None))
        if self.is_key(xs) and ast.unparse(given.get("length", ast.Constant(None))) == "None":
            of = xs.elts[0] if isinstance(xs, ast.Tuple | ast.List) else xs
            given["length"] = self.number_of(of)
        parts = {name: self._none_for_keys(part) for name, part in given.items()}
        first = [parts.pop(name) for name in ("f", "init", "xs") if name in parts]
        words = [ast.keyword(name, part) for name, part in parts.items()]
        return ast.Call(ast.Name("scan", ast.Load()), first, words)

    def _none_for_keys(self, node: ast.expr) -> ast.expr:
        if self.is_key(node):
            return ast.Constant(None)
        if isinstance(node, ast.Tuple):
            return ast.Tuple([self._none_for_keys(part) for part in node.elts], ast.Load())
        new: ast.expr = self.visit(node)
        return new

    def without_keys(self, target: ast.expr, over: ast.expr) -> tuple[ast.expr, ast.expr]:
        """What a loop names and runs over, without the keys of each step."""
        if self.is_key(over):
            self.keys |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
            return ast.Name("_", ast.Store()), self._range(over)
        match target, over:
            case ast.Tuple(elts=[i, inner]), ast.Call(func=ast.Name(id="enumerate"), args=[of]):
                new, of = self.without_keys(inner, of)
                if ast.unparse(new) == "_":
                    return i, of
                return ast.Tuple([i, new], ast.Store()), ast.Call(over.func, [of], [])
            case ast.Tuple(elts=names), ast.Call(func=ast.Name(id="zip"), args=parts):
                pairs = list(zip(names, parts, strict=False))
                kept = [(n, p) for n, p in pairs if not self.is_key(p)]
                for n, p in pairs:
                    if self.is_key(p):
                        self.keys |= {m.id for m in ast.walk(n) if isinstance(m, ast.Name)}
                if len(kept) == 1 < len(pairs):
                    return kept[0]
                if kept and len(kept) < len(pairs):
                    new = ast.Tuple([n for n, _ in kept], ast.Store())
                    return new, ast.Call(over.func, [p for _, p in kept], over.keywords)
        return target, over

    def _range(self, keys: ast.expr) -> ast.expr:
        return ast.Call(ast.Name("range", ast.Load()), [self.number_of(keys)], [])

    def number_of(self, keys: ast.expr) -> ast.expr:
        """How many keys there are: as the program says it, or as its run showed."""
        if isinstance(keys, ast.Call) and keys.args[1:]:
            return copy.deepcopy(keys.args[1])
        if isinstance(keys, ast.Name):
            for node in ast.walk(self.enclosing.get(self.scope, self.tree)):
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                    count = _count(node.targets[0], node.value, keys.id)
                    if count is not None and self.is_key(node.value):
                        return count
            seen = self.recording.lengths.get((self.scope, keys.id))
            if seen is not None:
                return ast.Constant(seen)
        match keys:
            case ast.Subscript(
                value=whole, slice=ast.Slice(lower=ast.Constant(int(first)), upper=None)
            ):
                return _less(self.number_of(whole), first)
        self.todo.append(f"how many keys {ast.unparse(keys)} has")
        return ast.Call(ast.Name("len", ast.Load()), [keys], [])

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        node.target, node.iter = self.without_keys(node.target, node.iter)
        self.generic_visit(node)
        match node.iter:
            case ast.Call(func=ast.Name(id="list"), args=[
                ast.Call(func=ast.Attribute(attr="parameters")) as of
            ]):  # fmt: skip
                node.iter = of
        return node

    def _comprehension(self, node: Any) -> Any:
        before = set(self.keys)
        node.generators = [self.visit(part) for part in node.generators]
        for name in ("elt", "key", "value"):
            if isinstance(part := getattr(node, name, None), ast.expr):
                setattr(node, name, self.visit(part))
        self.keys = before
        return node

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension


def _count(target: ast.expr, call: ast.Call, name: str) -> ast.expr | None:
    """The second argument of ``keys = split(key, n)``; of ``a, *keys = split(key, n + 1)``, n."""
    if len(call.args) < 2:
        return None
    count = copy.deepcopy(call.args[1])
    if isinstance(target, ast.Name):
        return count if target.id == name else None
    if not isinstance(target, ast.Tuple) or f"*{name}" not in map(ast.unparse, target.elts):
        return None
    return _less(count, len(target.elts) - 1)


def _less(count: ast.expr, others: int) -> ast.expr:
    """A number less another one."""
    match count:
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(int(number))):
            rest = number - others
            if rest == 0:
                return left
            op, rest = (ast.Add(), rest) if rest > 0 else (ast.Sub(), -rest)
            return ast.BinOp(left, op, ast.Constant(rest))
        case ast.Constant(int(number)):
            return ast.Constant(number - others)
    return ast.BinOp(count, ast.Sub(), ast.Constant(others))
