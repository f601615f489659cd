"""Hands keys and state through the calls of a function: what draws, and what changes its state."""

import ast
from collections.abc import Callable, Iterable
from typing import Any

from jaxvstorch._port.draft.styles import CannotWriteError
from jaxvstorch._port.draft.styles.program import Effect

KEY = "key_here"  # stands for a random key until it is known how many a function needs
_LOOPS = (ast.For, ast.While)
Classify = Callable[[ast.Call], Effect | None]


class Threading(ast.NodeTransformer):
    """Rewrites the statements of one function.

    Attributes:
        key: whether a key is needed.
        changed: the names that calls return anew, in order.
    """

    def __init__(
        self,
        classify: Classify,
        note: Callable[[ast.stmt], None],
        rewrite: Callable[[ast.stmt], Iterable[ast.stmt]],
        taken: set[str],
        optional: bool = False,
    ) -> None:
        self.rewrite = rewrite
        self.optional = optional  # whether a key can be None
        self.classify, self.note, self.taken = classify, note, set(taken)
        self.key = self.always = False
        self.changed: dict[str, None] = {}
        self.straight: list[ast.Name] = []  # the keys that are needed once
        self.looped = False  # whether loops need a new key each time
        self._depth = self._inside = 0
        self._demands: list[ast.Name] = []
        self._before: list[ast.stmt] = []
        self._whole: ast.AST | None = None

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Statements, each after what hands it keys and state."""
        new = list[ast.stmt]()
        for old in statements:
            try:
                for statement in self.rewrite(old):
                    new += self._statement(statement)
            except CannotWriteError as error:
                error.set_line(old)
                raise
        return new

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        outer = self._before, self._demands, self._whole
        self._before, self._demands, self._whole = [], [], None
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            own = self.visit(node)
            after: list[ast.stmt] = [own]
        elif isinstance(node, ast.For | ast.While | ast.If | ast.With | ast.Try):
            after = self._compound(node)
        else:
            after = self._simple(node)
        if self._demands and self._depth:
            self.looped = True
            n = len(self._demands)
            names = "key, subkey" if n == 1 else "key, *subkeys"
            text = f"{names} = jax.random.split(key{', ' * (n > 1)}{(n + 1) if n > 1 else ''})"
            if self.optional and not self.always:
                text = text.replace("= ", f"= [None] * {n + 1} if key is None else ")
            self._before.insert(0, ast.parse(text).body[0])
            for i, name in enumerate(self._demands):
                name.id = "subkey" if n == 1 else f"subkeys[{i}]"
        else:
            self.straight += self._demands
        new = [*self._before, *after]
        self._before, self._demands, self._whole = outer
        return new

    def _simple(self, node: ast.stmt) -> list[ast.stmt]:
        value = getattr(node, "value", None)
        if isinstance(value, ast.Call):
            self._whole = value
        self._target, self._loads = None, _loads(node)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            self._target = node.targets[0].id
        effect = None
        for field, old in ast.iter_fields(node):
            if old is value and isinstance(value, ast.Call):
                new, effect = self._called(value)
                setattr(node, field, new)
            elif isinstance(old, ast.AST):
                setattr(node, field, self.visit(old))
            elif isinstance(old, list):
                old[:] = [self.visit(part) if isinstance(part, ast.AST) else part for part in old]
        self.note(node)
        if effect is None or not effect.changed:
            return [node]
        whole = getattr(node, "value", None)
        assert isinstance(whole, ast.expr)
        names = [ast.Name(n, ast.Store()) for n in effect.changed]
        if isinstance(node, ast.Assign) and effect.returns and len(node.targets) == 1:
            node.targets = [ast.Tuple([node.targets[0], *names], ast.Store())]
            return [node]
        if isinstance(node, ast.Expr):
            first = [ast.Name("_", ast.Store())] if effect.returns else []
            return [_assigned([*first, *names], whole)]
        temporary = self._free()
        node.value = ast.Name(temporary, ast.Load())  # type: ignore[attr-defined]
        return [_assigned([ast.Name(temporary, ast.Store()), *names], whole), node]

    def _compound(self, node: Any) -> list[ast.stmt]:
        loops = isinstance(node, _LOOPS)
        for name in ("test", "iter"):
            if (header := getattr(node, name, None)) is not None:
                before = len(self._before)
                setattr(node, name, self.visit(header))
                if isinstance(node, ast.While) and (len(self._before) > before or self._demands):
                    raise CannotWriteError("a while loop whose test draws")
        for item in getattr(node, "items", []):
            item.context_expr = self.visit(item.context_expr)
        self.note(node)
        self._depth += loops
        for name in ("body", "orelse", "finalbody"):
            if part := getattr(node, name, None):
                setattr(node, name, self.body(part))
        for handler in getattr(node, "handlers", []):
            handler.body = self.body(handler.body)
        self._depth -= loops
        return [node]

    def _free(self) -> str:
        names = ("result", "y", "z", *(f"result{i}" for i in range(99)))
        name = next(n for n in names if n not in self.taken)
        self.taken.add(name)
        return name

    def _called(self, node: ast.Call) -> tuple[ast.expr, Effect | None]:
        new = self.generic_visit(node)
        assert isinstance(new, ast.Call)
        effect = self.classify(new)
        if effect is None:
            return new, None
        self.always = self.always or effect.always
        if effect.key:
            new.keywords = [w for w in new.keywords if w.arg != "rngs"]
            new.keywords.append(ast.keyword("key", self._demand()))
        for name in effect.changed:
            self.changed[name] = None
        return new, effect

    def _demand(self) -> ast.Name:
        self.key = True
        name = ast.Name(KEY, ast.Load())
        self._demands.append(name)
        return name

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func) in ("rngs", "rngs.params", "self.rngs", "self.rngs.params"):
            self.always = True
            return self._demand()
        new, effect = self._called(node)
        if effect is None or not effect.changed:
            return new
        if self._inside and effect.evaluates:
            return ast.Subscript(new, ast.Constant(0), ast.Load())  # the state stays as it is
        if self._inside:
            raise CannotWriteError("a call that changes a state each time", ast.unparse(node))
        name = self._target
        if (
            name is None
            or name in self._hoisted()
            or _loads(new).count(name) < self._loads.count(name)
        ):
            name = self._free()
        self.taken.add(name)
        names = [ast.Name(n, ast.Store()) for n in (name, *effect.changed)]
        self._before.append(_assigned(names, new))
        return ast.Name(name, ast.Load())

    _target: str | None = None
    _loads: list[str]

    def _hoisted(self) -> set[str]:
        """The names of results that this statement reads."""
        return {ast.unparse(n.targets[0].elts[0]) for n in self._before
                if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Tuple)}  # fmt: skip

    def _nested(self, node: ast.AST) -> ast.AST:
        self._inside += 1
        before = len(self._demands)
        new = self.generic_visit(node)
        self._inside -= 1
        if len(self._demands) > before:
            raise CannotWriteError("which draws each time", ast.unparse(node))
        return new

    visit_Lambda = visit_DictComp = visit_SetComp = _nested  # noqa: N815

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> ast.AST:
        """Each element of ``[Block(rngs=rngs) for _ in range(n)]`` gets a key of its own."""
        first = node.generators[0]
        first.iter = self.visit(first.iter)
        loop = ast.For(first.target, first.iter, [], [])
        self.note(loop)
        first.target, first.iter = loop.target, loop.iter  # a note can write them anew
        self._inside += 1
        outer, self._demands = self._demands, []
        node.elt = self.visit(node.elt)
        own, self._demands = self._demands, outer
        self._inside -= 1
        if not own:
            return node
        if len(node.generators) > 1 or first.ifs:
            raise CannotWriteError("which draws each time", ast.unparse(node))
        key = next(n for n in ("k", "own_key") if n not in self.taken)
        for i, name in enumerate(own):
            name.id = key if len(own) == 1 else f"jax.random.fold_in({key}, {i})"
        counted = isinstance(first.iter, ast.Call) and ast.unparse(first.iter.func) == "range"
        unread = ast.unparse(first.target) not in {
            n.id for n in ast.walk(node.elt) if isinstance(n, ast.Name)
        }
        length = f"len({ast.unparse(first.iter)})"
        if counted and len(first.iter.args) == 1:  # type: ignore[attr-defined]
            length = ast.unparse(first.iter.args[0])  # type: ignore[attr-defined]
        keys = ast.parse(f"jax.random.split(0, {length})", mode="eval").body
        assert isinstance(keys, ast.Call)
        keys.args[0] = self._demand()
        if counted and unread:
            first.target, first.iter = ast.Name(key, ast.Store()), keys
        else:
            pair = [first.target, ast.Name(key, ast.Store())]
            first.target = ast.Tuple(pair, ast.Store())
            first.iter = ast.Call(ast.Name("zip", ast.Load()), [first.iter, keys], [])
        return node

    visit_ListComp = visit_GeneratorExp = _comprehension  # noqa: N815

    def begin_keys(self, body: list[ast.stmt], at: int, optional: bool = False) -> None:
        """Split the function's key where its statements begin, in as many as it needs.

        Args:
            body: the statements, changed in place.
            at: where they begin.
            optional: whether the key can be None, where nothing is dropped.
        """
        n = len(self.straight)
        if n == 1 and not self.looped:
            self.straight[0].id = "key"
            return
        if not n:
            return
        star, more = ("key, *keys", n + 1) if self.looped else ("keys", n)
        for i, name in enumerate(self.straight):
            name.id = f"keys[{i}]"
        text = f"{star} = jax.random.split(key, {more})"
        if optional:
            text = text.replace("= ", f"= [None] * {more} if key is None else ")
        body.insert(at, ast.parse(text).body[0])


def _loads(node: ast.AST) -> list[str]:
    """The names that a statement or an expression reads."""
    names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return [n.id for n in names if isinstance(n.ctx, ast.Load)]


def _assigned(targets: list[ast.Name], value: ast.expr) -> ast.stmt:
    target: ast.expr = targets[0] if len(targets) == 1 else ast.Tuple([*targets], ast.Store())
    return ast.Assign([target], value, lineno=0)


def first_of(body: list[ast.stmt]) -> int:
    """Where the statements begin, after a docstring."""
    first = body[0] if body else None
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return int(documented and isinstance(first.value.value, str))  # type: ignore[union-attr]
