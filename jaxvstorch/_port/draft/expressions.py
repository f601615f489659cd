"""Rewrites a program's expressions in JAX, by what a replay recorded of each call."""

import ast
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from jaxvstorch._port.filling import Span, filled_tree, span_of
from jaxvstorch._port.imports import qualified
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.naming import watched
from jaxvstorch._port.report_data import PortCall, PortStatus
from jaxvstorch._port.translation import cast_suffix

UNREACHED = "was not reached, and is not verified"
UNSEEN = "is not a call that port replays, and is not verified"
_LEFT = (
    PortStatus.DIFFERS,
    PortStatus.FAILED,
    PortStatus.ANOTHER_WAY,
    PortStatus.RANDOM,
    PortStatus.REFUSED,
    PortStatus.UNKNOWN,
)
_SHAPES = {"dim": "ndim", "ndimension": "ndim", "numel": "size", "nelement": "size"}
# Where an array is: in JAX, where JAX computes.
_PLATFORMS = {"is_cuda": "(jax.default_backend() == 'gpu')", "is_mps": "False", "is_xpu": "False"}


class Expressions(ast.NodeTransformer):
    """Rewrites one file's expressions in JAX, and keeps what is left to do in ``marks``.

    Args:
        calls: the calls that a replay did again, by span.
        argument_types: by span, the types of the arguments of the call there.
        full_names: of the names that the file imports.
        layers: PyTorch's own modules for which the draft has classes.
        lines: the lines of the file that called something.
    """

    def __init__(
        self,
        calls: Mapping[Span, Sequence[PortCall]],
        argument_types: Mapping[Span, Sequence[str]],
        full_names: Mapping[str, str],
        layers: Collection[str],
        lines: Collection[int],
    ) -> None:
        self.calls = calls
        self.argument_types = argument_types
        self.full_names = dict(full_names)
        self.layers = layers
        self.lines = lines
        self.marks: list[str] = []

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if self.calls_at(node):
            return self._replayed(node)
        function = node.func
        name = self.qualified(function)
        if isinstance(function, ast.Attribute) and name is None:
            if function.attr in _SHAPES and not node.args:
                return ast.Attribute(self.visit(function.value), _SHAPES[function.attr], ast.Load())
            if function.attr == "size":
                shape = ast.Attribute(self.visit(function.value), "shape", ast.Load())
                axes = [self.visit(a) for a in node.args]
                return ast.Subscript(shape, axes[0], ast.Load()) if axes else shape
            if function.attr == "forward":
                parent = ast.unparse(function.value) == "super()"
                called = ast.Attribute(function.value, "__call__", ast.Load())
                node.func = called if parent else function.value
        if name is not None and name.startswith("torch."):
            return self._unreached(name, node)
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        return self._replayed(node) if self.calls_at(node) else self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        return self._replayed(node) if self.calls_at(node) else self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        return self._replayed(node) if self.calls_at(node) else self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return self._replayed(node) if self.calls_at(node) else self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        name = self.qualified(node)
        if name == "torch.Tensor":
            return parsed("jax.Array")
        if name is not None and name.startswith("torch."):
            row = rows().get(name)
            row = row and meaning(row)
            if row is not None and row.made is None and row.expression:
                return parsed("int" if row.expression == "jnp.int64" else row.expression)
            if node.attr in self.layers and name.startswith("torch.nn."):
                return ast.Name(node.attr, ast.Load())
            self.marks.append(f"{name} has no counterpart here")
            return node
        if node.attr == "data" and isinstance(node.ctx, ast.Load):
            new: ast.AST = self.visit(node.value)
            return new
        if node.attr in _PLATFORMS:
            return parsed(_PLATFORMS[node.attr])
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        full = self.qualified(node) or ""
        layer = full.removeprefix("torch.nn.")
        if full.startswith("torch.nn.") and (layer in self.layers or layer == "Module"):
            return ast.Name(layer, node.ctx)
        if full.partition(".")[0] == "torch" and full != "torch.Tensor":
            self.marks.append(f"{full} has no counterpart here")
        return parsed("jax.Array") if full == "torch.Tensor" else node

    def qualified(self, node: ast.expr) -> str | None:
        """The full name that an expression spells, by the file's imports."""
        return qualified(node, self.full_names)

    def calls_at(self, node: ast.expr, name: str | None = None) -> Sequence[PortCall]:
        """The replayed calls at an expression, or those of one name."""
        calls = self.calls.get(span_of(node), ()) if hasattr(node, "end_lineno") else ()
        return [call for call in calls if name is None or call.name == name]

    def _replayed(self, node: ast.expr) -> ast.AST:
        """A replayed call in JAX, with its arguments in JAX."""
        calls = self.calls_at(node)
        for call in {(c.name, c.status): c for c in reversed(calls)}.values():
            if call.status in _LEFT:
                note = f": {call.note}" if call.note else ""
                self.marks.append(f"{call.name}: {call.status}{note}")
        name = calls[0].name
        if name.startswith("torch.optim."):
            self.marks.append(meaning(rows()["Optimizer.step"]).option("instead") or "")
            return node
        if name.startswith("torch.nn.") and "functional" not in name:
            return self.generic_visit(node)  # the draft has a class for the module
        cast = cast_suffix(calls[0]) if isinstance(node, ast.Call) else None
        types = self.argument_types.get(span_of(node), ())
        new = self._with_arguments(node)
        if name in ("Tensor.to", "Tensor.type_as") and isinstance(new, ast.Call):
            assert isinstance(new.func, ast.Attribute)
            array = new.func.value
            return parsed(f"({ast.unparse(array)}){cast}") if cast else array
        if name not in rows() or meaning(rows()[name]).expression is None:
            if name not in rows():
                self.marks.append(f"{name} is not in the map")
            return new
        try:
            filled = filled_tree(name, new, types)
        except (KeyError, ValueError, SyntaxError, RecursionError):
            self.marks.append(f"{name}: its arguments cannot be matched to its parameters")
            return new
        if all(call.status not in _LEFT for call in calls):
            filled = _WithoutKey().visit(filled)  # it drew nothing
        return filled

    def _with_arguments(self, node: ast.expr) -> ast.expr:
        """The same call with its arguments in JAX, but not the name of the function."""
        if not isinstance(node, ast.Call):
            return self.generic_visit(node)  # type: ignore[return-value]
        if isinstance(node.func, ast.Attribute) and self.qualified(node.func) is None:
            node.func.value = self.visit(node.func.value)
        node.args = [self.visit(a) for a in node.args]
        for word in node.keywords:
            if word.arg != "device":
                word.value = self.visit(word.value)
        node.keywords = [word for word in node.keywords if word.arg != "device"]
        return node

    def _unreached(self, name: str, node: ast.Call) -> ast.AST:
        """A call that the run did not make, or that no replay sees, by the map alone."""
        spanned = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        why = UNREACHED if self.lines and not set(spanned) & set(self.lines) else UNSEEN
        if name in watched():
            why = UNREACHED
        new = self._with_arguments(node)
        if name in rows() and meaning(rows()[name]).called is not None:
            self.marks.append(f"{name} is created here: create the layer as from_torch creates it")
            return new
        if name in rows() and (meaning(rows()[name]).expression) is not None:
            with suppress(KeyError, ValueError, SyntaxError, RecursionError):
                filled = filled_tree(name, new)
                self.marks.append(f"{name} {why}")
                return filled
        self.marks.append(f"{name} {UNREACHED if why is UNREACHED else 'was not replayed'}")
        return new

    def is_torch(self, node: ast.expr) -> bool:
        """Whether an expression is a name of PyTorch, or a call of one."""
        function = node.func if isinstance(node, ast.Call) else node
        return (self.qualified(function) or "").partition(".")[0] == "torch"


class _WithoutKey(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Constant(None) if node.id == "key" else node


def parsed(text: str) -> ast.expr:
    """The tree of an expression."""
    return ast.parse(text, mode="eval").body
