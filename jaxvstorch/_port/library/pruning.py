"""Reduces a function of a library to what a run of it did."""

import ast
import copy
import dis
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from types import CodeType
from typing import Any

from jaxvstorch._port.draft.commenting import is_blank, is_marker, parsed_with_comments
from jaxvstorch._port.filling import Span, span_of
from jaxvstorch._port.imports import imported_names, qualified
from jaxvstorch._port.library.constants import written
from jaxvstorch._port.library.watching import OTHER, Site, Watch, positions

_LONG = 3  # lines of a comment that is left out
_FALSE = ("torch.jit.is_scripting", "torch.jit.is_tracing", "torch.compiler.is_compiling")
_KEPT_DECORATORS = ("staticmethod", "classmethod", "property")


class SourceFile:
    """One file of the library, and which of its expressions ran."""

    def __init__(self, path: str, watch: Watch) -> None:
        self.path, self.watch = path, watch
        self.tree = parsed_with_comments(Path(path).read_text(encoding="utf-8"), path)
        self.full_names = imported_names(self.tree)
        self.ran: list[Span] = []
        self.counts: dict[CodeType, list[tuple[int, Span, int]]] = defaultdict(list)
        for code, counts in watch.counts.items():
            if code.co_filename == path:
                for offset, span in positions(code):
                    if counts[offset]:
                        self.counts[code].append((offset, span, counts[offset]))
                        self.ran.append(span)
        self.definitions: dict[tuple[int, str], ast.FunctionDef] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef):
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                self.definitions[first, node.name] = node
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef):
                self.classes[node.name] = node

    def function(self, code: CodeType) -> ast.FunctionDef | None:
        """What ran of a function; None if it is not in the source."""
        node = self.definitions.get((code.co_firstlineno, code.co_name))
        if node is None:
            return None
        pruned = Pruning(self, code).visit(copy.deepcopy(node))
        assert isinstance(pruned, ast.FunctionDef)
        return pruned


class Pruning(ast.NodeTransformer):
    """Takes out of one function what a run of it did not do."""

    def __init__(self, file: SourceFile, code: CodeType) -> None:
        self.file, self.code, self.watch = file, code, file.watch

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, decorated = node.name == self.code.co_name, bool(node.decorator_list)
        node.decorator_list = [d for d in node.decorator_list if self._stays(d)]
        if outer and decorated and not node.decorator_list and ast.get_docstring(node):
            del node.body[0]  # a decorator reads it as a list of parameters
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = self._annotation(argument.annotation)
        node.returns = self._annotation(node.returns)
        node.body = self.body(node.body) or [ast.Pass()]
        return node

    def _stays(self, decorator: ast.expr) -> bool:
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = qualified(function, self.file.full_names) or ast.unparse(function)
        return name.startswith("torch.") or name in _KEPT_DECORATORS

    def _annotation(self, node: ast.expr | None) -> ast.expr | None:
        if node is None or isinstance(node, ast.Constant):
            return None
        text = ast.unparse(node).removesuffix(" | None")
        plain = text in ("int", "float", "bool", "str") or text == "torch.Tensor"
        return ast.parse(text, mode="eval").body if plain else None

    def body(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements that ran, and the comments before them."""
        new: list[ast.stmt] = []
        above: list[ast.stmt] = []
        for statement in body:
            if is_marker(statement):
                above.append(statement)
                continue
            visited = self.visit(statement)
            visited = visited if isinstance(visited, list) else [visited] if visited else []
            if visited:
                lines = [part for part in above if not is_blank(part)]
                texts = [ast.unparse(part) for part in lines]
                long = len(lines) > _LONG or any("TODO" in t or "####" in t for t in texts)
                new += [*(part for part in above if is_blank(part) or not long), *visited]
                if isinstance(visited[-1], ast.Return):
                    break  # such as of a branch that is always taken
            above = []
        return new

    # Branches

    def visit_If(self, node: ast.If) -> Any:
        if reads_mode(node.test) and not self.watch.both_modes:
            return self._both(node)
        taken, other = self._ran(node.body), self._ran(node.orelse)
        if taken and not other:
            always = self._count(node.test) == self._count(_first(node.body))
            if node.orelse or always:
                return self.body(node.body)
            node.orelse = []
            return self._both(node)
        if not taken:
            return self.body(node.orelse) if other else None
        return self._both(node)

    def _both(self, node: ast.If) -> ast.AST:
        node.test = self.visit(node.test)
        node.body = self.body(node.body) or [ast.Pass()]
        node.orelse = self.body(node.orelse)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        if reads_mode(node.test) and not self.watch.both_modes:
            return self.generic_visit(node)
        taken, other = self._ran([node.body]), self._ran([node.orelse])
        if taken != other:
            new: ast.AST = self.visit(node.body if taken else node.orelse)
            return new
        return self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        if reads_mode(node) and not self.watch.both_modes:
            return self.generic_visit(node)
        values = [value for value in node.values if self._ran([value])]
        counts = [self._count(value) for value in values]
        kept = [
            value for index, value in enumerate(values)
            if index == len(values) - 1 or counts[index + 1] < counts[index]
        ] or node.values  # fmt: skip
        node.values = [self.visit(value) for value in kept]
        return node if len(node.values) > 1 else node.values[0]

    def visit_For(self, node: ast.For) -> Any:
        if not self._ran(node.body):
            return None
        node.iter, node.body = self.visit(node.iter), self.body(node.body) or [ast.Pass()]
        node.orelse = self.body(node.orelse)
        return node

    def visit_While(self, node: ast.While) -> Any:
        if not self._ran(node.body):
            return None
        node.test, node.body = self.visit(node.test), self.body(node.body) or [ast.Pass()]
        return node

    def visit_Try(self, node: ast.Try) -> Any:
        if any(self._ran(handler.body) for handler in node.handlers):
            return self.generic_visit(node)
        return self.body([*node.body, *node.orelse, *node.finalbody])

    def visit_With(self, node: ast.With) -> Any:
        node.items = [item for item in node.items if not self._site(item.context_expr).callees]
        if not node.items:
            return self.body(node.body)
        node.body = self.body(node.body) or [ast.Pass()]
        return node

    def visit_Assert(self, _: ast.Assert) -> Any:
        return None

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return None
        return self.visit(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_Expr(self, node: ast.Expr) -> Any:
        call = node.value
        if isinstance(call, ast.Call):
            site = self._site(call)
            name = ast.unparse(call.func).rpartition(".")[2]
            if name.endswith("_hook") or name in ("_assert", "_check"):
                return None  # of loading and watching, or that held
            is_base = ast.unparse(call.func).startswith("super(")
            writes = any(map(self._writes_items, site.callees))
            nothing = site.callees and OTHER not in site.returned and not site.made
            if nothing and writes:
                return ast.Expr(self.generic_visit(call))  # type: ignore[arg-type]
            if nothing and not is_base:
                return None  # such as a warning, or a check
        return self.generic_visit(node)

    def _writes_items(self, code: CodeType) -> bool:
        """Whether a function set items, as of a list that it was given."""
        counts = self.watch.counts[code]
        stores = (i.offset for i in dis.get_instructions(code) if i.opname == "STORE_SUBSCR")
        return any(counts[offset] for offset in stores)

    # Values

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if (known := self._known(node)) is not None:
            return known
        classes = {cls for cls, _ in self._site(node).made}
        if isinstance(node.func, ast.Subscript) and len(classes) == 1:  # from a table
            node.func = written(classes.pop())
        if self.watch.on_cpu and not self._site(node).callees:
            node.keywords = [word for word in node.keywords if word.arg != "device"]
            match node:
                case ast.Call(ast.Attribute(value, "to"), [], []):
                    return self.visit(value)  # type: ignore[no-any-return]
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return self._known(node) or self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        of = node.value
        if node.attr == "training" and isinstance(of, ast.Name) and of.id != "self":
            return ast.Constant(self.watch.mode)  # a function asks for its caller's mode
        known = self._known(node) if isinstance(node.ctx, ast.Load) else None
        return known or self.generic_visit(node)

    def _known(self, node: ast.expr) -> ast.expr | None:
        """What a call of the library came to, where that is always the same constant or layer."""
        site = self._site(node)
        if isinstance(node, ast.Call) and qualified(node.func, self.file.full_names) in _FALSE:
            return ast.Constant(False)
        if not site.callees:
            return None
        if len(site.returned) == 1:
            (value,) = site.returned
            plain = not isinstance(value, int | float) or isinstance(value, bool)
            if value is not OTHER and plain:
                return written(value)
        names = {code.co_name for code in site.callees}
        if "__init__" in names or not site.made or not site.gives_module:
            return None
        cls, given = site.made[-1] if isinstance(node, ast.Subscript) else site.made[0]
        texts = {f"{c.__qualname__}{g.args}{g.kwargs}" for c, g in site.made}
        values = [*given.args, *given.kwargs.values()]
        if len(texts) > 1 or not all(_is_literal(value) for value in values):
            return None
        words = [ast.keyword(name, written(value)) for name, value in given.kwargs.items()]
        return ast.Call(written(cls), [written(value) for value in given.args], words)

    def _site(self, node: ast.expr) -> Site:
        if not hasattr(node, "lineno"):
            return Site()
        return self.watch.sites.get((self.file.path, span_of(node)), Site())

    # What ran

    def _ran(self, nodes: Sequence[ast.AST]) -> bool:
        spans = [_whole(node) for node in nodes if not is_marker(node)]
        return any(_within(ran, span) for span in spans for ran in self.file.ran)

    def _count(self, node: ast.AST | None) -> int:
        """How often an expression or statement of this function began."""
        if node is None:
            return 0
        counts = self.file.counts[self.code]
        inside = [(at, n) for at, span, n in counts if _within(span, _whole(node))]
        return min(inside)[1] if inside else 0


def _is_literal(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_literal, value))
    return value is None or isinstance(value, bool | int | float | str)


def reads_mode(node: ast.expr) -> bool:
    """Whether an expression asks if the module is being trained."""
    return any(
        (isinstance(n, ast.Attribute) and n.attr == "training")
        or (isinstance(n, ast.Name) and n.id == "training")
        for n in ast.walk(node)
    )


def _first(body: Sequence[ast.stmt]) -> ast.stmt | None:
    return next((node for node in body if not is_marker(node)), None)


def _whole(node: ast.AST) -> Span:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def _within(inner: Span, outer: Span) -> bool:
    if None in inner or None in outer:
        return False
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]
