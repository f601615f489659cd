"""Rewrites a program's expressions in JAX, by what a replay recorded of each call."""

import ast
import builtins
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import reduce

import torch

from jaxvstorch._port.draft.commenting import SKIPPED, UNREACHED, UNSEEN, UNVERIFIED, left
from jaxvstorch._port.draft.dense import dense_marks, dense_row
from jaxvstorch._port.draft.layers import CONTAINERS, own_classes
from jaxvstorch._port.draft.once import ATTENTION, filled_once, index_of, is_same_number, one_of_two
from jaxvstorch._port.draft.seen import Seen
from jaxvstorch._port.filling import Span, filled_tree, span_of
from jaxvstorch._port.imports import qualified
from jaxvstorch._port.judging import STABLE, TIED_INDICES
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.naming import QUIET, watched
from jaxvstorch._port.report_data import PortCall, PortStatus
from jaxvstorch._port.translation import cast_suffix

# Of the machine, and of the program's own data: they stay, or are the same by the map.
_ENVIRONMENT = ("torch.cuda.", "torch.accelerator.", "torch.backends.", "torch.mps.", "torch.xpu.",
                "torch.finfo", "torch.iinfo")  # fmt: skip
DATA = "torch.utils.data."
RUN_BY_LOADERS = ("collate_fn", "worker_init_fn")  # functions that a DataLoader is given
OF_LOADERS = (*RUN_BY_LOADERS, "generator")
KEPT = (DATA, "torch.utils.tensorboard.")  # what PyTorch has for programs of any library
KEY = "random_key_here"  # stands for a random key until it is known who draws it
# Arrays of a dtype from lists or NumPy's; of numbers alone they would be sizes.
_LEGACY = {
    "FloatTensor": "jnp.float32", "DoubleTensor": "jnp.float64", "HalfTensor": "jnp.float16",
    "LongTensor": "int", "IntTensor": "jnp.int32", "BoolTensor": "bool",
}  # fmt: skip
# Methods of Python's own types.
_PYTHON = frozenset({*dir(str), *dir(list), *dir(dict), *dir(set)})
# No array of JAX is without numbers.
_ZEROS = {"torch.empty": "torch.zeros", "torch.empty_like": "torch.zeros_like"}
_LEFT = (
    PortStatus.DIFFERS,
    PortStatus.FAILED,
    PortStatus.ANOTHER_WAY,
    PortStatus.REFUSED,
    PortStatus.UNKNOWN,
)
_SHAPES = {"dim": "ndim", "ndimension": "ndim", "numel": "size", "nelement": "size"}
# Where an array is: in JAX, where JAX computes.
_PLATFORMS = {"is_cuda": "(jax.default_backend() == 'gpu')", "is_mps": "False", "is_xpu": "False"}


class Expressions(ast.NodeTransformer):
    """Rewrites one file's expressions in JAX, and keeps what is left to do in ``marks``.

    Args:
        seen: what the run showed of the file.
        full_names: of the names that the file imports.
        bases: the full names of the bases of the program's classes, by class.
    """

    def __init__(
        self,
        seen: Seen,
        full_names: Mapping[str, str],
        bases: Mapping[str, Sequence[str]],
    ) -> None:
        self.seen = seen
        self.full_names = dict(full_names)
        self.bases = bases
        self.marks: list[str] = []
        self.unpacked: dict[int, int] = {}  # into how many names, by the identity of the call
        self.unreached = False  # whether the function around did not run: one mark says so
        self.in_backward = False  # whether PyTorch's engine ran it, which no replay sees

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if self.calls_at(node) and not self._is_pythons(node):
            return self._replayed(node)
        function = node.func
        if self.calls_at(node) and ast.unparse(function) in ("max", "min") and node.args[1:]:
            return self._larger_or_smaller(node)
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
        match node:  # what a version of PyTorch has, as hasattr(F, "scaled_dot_product_attention")
            case ast.Call(ast.Name("hasattr"), [held, ast.Constant(str(attribute))]):
                if self.is_torch(held):
                    path = (self.qualified(held) or "").split(".")[1:]
                    return ast.Constant(hasattr(reduce(getattr, path, torch), attribute))
        skipped = self.unwatched or self._did_not_run(node)
        if skipped and isinstance(function, ast.Attribute) and name is None:
            return self._by_name(f"Tensor.{function.attr}", node)
        return self.generic_visit(node)

    def _is_pythons(self, node: ast.Call) -> bool:
        """Whether a call is of Python's own function, such as ``sum``, which adds arrays alike."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        others = [call for call in self.calls_at(node) if call.name != f"Tensor.{name}"]
        return hasattr(builtins, name) and bool(others)

    def _larger_or_smaller(self, node: ast.Call) -> ast.AST:
        """Python's ``max(a, b)`` of arrays, without an ``if`` on their values."""
        name = f"jnp.{ast.unparse(node.func)}imum"
        args: list[ast.expr] = [self.visit(a) for a in node.args]
        return reduce(lambda a, b: ast.Call(parsed(name), [a, b], []), args)

    def _by_name(self, name: str, node: ast.Call) -> ast.AST:
        """A method's call where no replay looked: in JAX if only an array has such a method."""
        row, dense = rows().get(name), dense_row(name)
        others = name.removeprefix("Tensor.") in _PYTHON
        new = self._with_arguments(node)
        if row is None or others:
            return new
        if dense is None and meaning(row).expression is None:
            self.marks.append(left(name, SKIPPED))
            return new
        if not self.unwatched:
            self.marks.append(f"{name} {UNREACHED}")
        with suppress(KeyError, ValueError, SyntaxError, RecursionError):
            return filled_tree(name, new, (), ast.Name(KEY, ast.Load()), dense)
        return new

    def _is_array_s(self, node: ast.expr) -> bool:
        """Whether ``x.data`` is that of an array, as far as the run tells."""
        read = self.span(node) in self.seen.argument_types
        return read or self.unwatched or self._did_not_run(node)

    def _did_not_run(self, node: ast.expr) -> bool:
        """Whether none of an expression's lines in the program called anything."""
        if not self.seen.lines or not hasattr(node, "end_lineno"):
            return False
        return self.seen.lines.isdisjoint(range(node.lineno, (node.end_lineno or 0) + 1))

    def _why_left(self, node: ast.expr) -> str:
        """Why a name of PyTorch stays."""
        skipped = self.unwatched or self._did_not_run(node)
        return f"{SKIPPED}, and has no counterpart here" if skipped else "has no counterpart here"

    @property
    def unwatched(self) -> bool:
        """Whether no replay saw the calls of the function around."""
        return self.unreached or self.in_backward

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        return self._replayed(node) if self.calls_at(node) else self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        return self._replayed(node) if self.calls_at(node) else self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        return self._replayed(node) if self.calls_at(node) else self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if self.calls_at(node):
            return self._replayed(node)
        new = self.generic_visit(node)
        match new:
            case ast.Subscript(call, ast.Constant(int(index))) if index in (0, 1):
                return one_of_two(call, index) or new
        return new

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        name = self.qualified(node)
        if name is not None and name.startswith(KEPT):
            return node
        if name == "torch.Tensor":
            return parsed("jax.Array")
        if name is not None and name.startswith("torch."):
            row = rows().get(name)
            row = row and meaning(row)
            if row is not None and row.made is None and row.expression:
                return parsed("int" if row.expression == "jnp.int64" else row.expression)
            self.marks.append(f"{name} {self._why_left(node)}")
            return node
        if node.attr == "data" and isinstance(node.ctx, ast.Load) and self._is_array_s(node):
            new: ast.AST = self.visit(node.value)
            return new
        if (index := index_of(node.attr, self.calls_at(node.value))) is not None:
            call = self.visit(node.value)
            return one_of_two(call, index) or ast.Subscript(call, ast.Constant(index), node.ctx)
        if node.attr in _PLATFORMS:
            return parsed(_PLATFORMS[node.attr])
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        full = self.qualified(node) or ""
        known = full == "torch.Tensor" or full.startswith(KEPT)
        if full.partition(".")[0] == "torch" and not known:
            self.marks.append(f"{full} {self._why_left(node)}")
        return parsed("jax.Array") if full == "torch.Tensor" else node

    def qualified(self, node: ast.expr) -> str | None:
        """The full name that an expression spells, by the file's imports."""
        return qualified(node, self.full_names)

    def span(self, node: ast.expr | ast.stmt) -> Span:
        """A node's span in the program; none in the program for a node that is new."""
        return span_of(node) if hasattr(node, "lineno") else (0, 0, 0, 0)

    def calls_at(self, node: ast.expr, name: str | None = None) -> Sequence[PortCall]:
        """The replayed calls at an expression, or those of one name."""
        calls = self.seen.calls.get(self.span(node), ())
        return [call for call in calls if name is None or call.name == name]

    def _replayed(self, node: ast.expr) -> ast.AST:
        """A replayed call in JAX, with its arguments in JAX."""
        calls = self.calls_at(node)
        for call in {(c.name, c.status): c for c in reversed(calls)}.values():
            drafted = call.name in _ZEROS or call.name in CONTAINERS
            drafted = drafted or call.name.removeprefix("torch.nn.") in own_classes()
            drafted = drafted or call.name == ATTENTION or dense_row(call.name) is not None
            if call.status == PortStatus.DIFFERS and call.note.startswith((STABLE, TIED_INDICES)):
                self.marks.append(f"{call.name} gives equal values in JAX's order{UNVERIFIED}")
            elif call.status in _LEFT and not drafted:
                note = f": {call.note}" if call.note else ""
                self.marks.append(f"{call.name}: {call.status}{note}")
        name = _ZEROS.get(calls[0].name, calls[0].name)
        if name.startswith("torch.optim."):
            self.marks.append(meaning(rows()["Optimizer.step"]).option("instead") or "")
            return node
        if name.startswith("torch.nn.") and name.split(".")[2] not in ("functional", "init"):
            return self.generic_visit(node)  # the draft has a class for the module
        cast = cast_suffix(calls[0]) if isinstance(node, ast.Call) else None
        types = self.seen.argument_types.get(self.span(node), ())
        holds = self.span(node) in self.seen.shorter
        new = self._with_arguments(node)
        moved = isinstance(new, ast.Call) and isinstance(new.func, ast.Attribute)
        if moved and name in ("Tensor.cpu", "Tensor.cuda"):  # JAX computes where it computes
            return new.func.value  # type: ignore[attr-defined,no-any-return]
        if name in ("Tensor.to", "Tensor.type_as") and isinstance(new, ast.Call):
            assert isinstance(new.func, ast.Attribute)
            array = new.func.value
            named = [word.value for word in new.keywords if word.arg == "dtype"]
            if not cast and (named or types[1:2] == ("dtype",)):  # of another dtype it is a cast
                dtype = ast.unparse((named or new.args)[0])
                cast = f".astype({dtype})"
            return parsed(f"({ast.unparse(array)}){cast}") if cast else array
        dense = dense_row(name)
        if dense is None and (name not in rows() or meaning(rows()[name]).expression is None):
            if name not in rows():
                self.marks.append(f"{name} is not in the map")
            return new
        try:
            key, parts = ast.Name(KEY, ast.Load()), self.unpacked.get(id(node))
            if dense is None:
                filled: ast.AST = filled_once(name, new, types, key, holds, parts)
            else:
                filled = filled_tree(name, new, types, key, dense)
            self.marks += dense_marks(name)
        except (KeyError, ValueError, SyntaxError, RecursionError):
            self.marks.append(f"{name}: its arguments cannot be matched to its parameters")
            return new
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
        why = UNREACHED if self.seen.lines and not set(spanned) & self.seen.lines else UNSEEN
        if name in watched():
            why = UNREACHED
        if name == f"{DATA}TensorDataset":
            arrays: list[ast.expr] = [
                ast.Call(parsed("torch.from_dlpack"), [self.visit(a)], []) for a in node.args
            ]
            return ast.Call(node.func, arrays, node.keywords)
        if name.startswith(KEPT):
            run = [word for word in node.keywords if word.arg in OF_LOADERS]
            node.keywords = [word for word in node.keywords if word not in run]
            self.generic_visit(node)
            node.keywords += run
            return node
        new = self._with_arguments(node)
        legacy = _LEGACY.get(name.removeprefix("torch.").removeprefix("cuda."))
        sizes = [a for a in node.args if isinstance(a, ast.Constant)]
        if legacy and len(node.args) == 1 and not sizes and isinstance(new, ast.Call):
            self.marks.append(f"{name} {why}")
            return ast.Call(parsed("jnp.asarray"), [*new.args, parsed(legacy)], [])
        if name in rows() and (meaning(rows()[name]).expression) is not None:
            with suppress(KeyError, ValueError, SyntaxError, RecursionError):
                filled = filled_tree(name, new, (), ast.Name(KEY, ast.Load()))
                asks = name.startswith(_ENVIRONMENT) or name.removeprefix("torch.") in QUIET
                known = asks or self.unwatched
                initial = name.startswith("torch.nn.init.")
                if not known and not (initial and is_same_number(name, node, filled)):
                    self.marks.append(f"{name} {why}")
                return filled
        if not name.startswith(_ENVIRONMENT):
            self.marks.append(left(name, SKIPPED if why is UNREACHED else "was not replayed"))
        return new

    def is_torch(self, node: ast.expr) -> bool:
        """Whether an expression is a name of PyTorch, or a call of one."""
        function = node.func if isinstance(node, ast.Call) else node
        return (self.qualified(function) or "").partition(".")[0] == "torch"


def parsed(text: str) -> ast.expr:
    """The tree of an expression."""
    return ast.parse(text, mode="eval").body
