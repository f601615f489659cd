"""What the names of a program hold, and which of them go away in PyTorch."""

import ast
from collections.abc import Iterator
from typing import Any

from jaxvstorch._port.filling import span_of
from jaxvstorch._port.from_jax.translation import qualified
from jaxvstorch._port.report_data import Location
from jaxvstorch._port.torch_draft import kinds
from jaxvstorch._port.torch_draft.files import File
from jaxvstorch._port.torch_draft.merging import Merging
from jaxvstorch._port.torch_draft.recording import Recording


class Names(ast.NodeTransformer):
    """Knows what names hold.

    Attributes:
        recording: of the run.
        scope: the line of the function that is rewritten; 0 is the module.
        functions: the program's, by name.
        notes: why something stays as it is, by the line.
    """

    def __init__(self, recording: Recording, tree: ast.Module, merging: Merging) -> None:
        self.recording, self.merging = recording, merging
        self.file = recording.program.main  # of the statement that is rewritten
        self.scope = 0
        self.tree = tree
        # The functions of the program, by the line that they begin on.
        self.enclosing: dict[int, ast.AST] = {
            n.lineno: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)
        }
        # Layers that are made where they are called: the attributes for them, and their flags.
        self.replaced: dict[Location, ast.expr] = {}
        self.flags: dict[str, list[ast.keyword]] = {}
        self.replacing = True
        self.owner = self.attribute = ""  # the class and the attribute that are rewritten
        self.functions: dict[str, Any] = {
            n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)
        }
        self.classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
        self.own = dict(_qualified(tree))
        self.parameters = {
            name: [a.arg for a in node.args.args if a.arg != "self"]
            for name, node in self.own.items()
        }
        self.named: ast.expr | None = None  # what the statement that is rewritten assigns
        self.initializers: dict[str, ast.expr] = {}  # by the names that the program gave them
        self.todo: list[str] = []
        self._inside = 0

    def schedule(self, node: ast.expr) -> str | None:
        """See ``Optimizers``."""
        return None

    # What names are.

    def kinds_of(self, node: ast.AST) -> set[str]:
        """What an expression held in the run."""
        if isinstance(node, ast.Name):
            known = self.recording.kinds
            return known.get((self.scope, node.id)) or known.get((0, node.id)) or set()
        if isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
            inner = self.kinds_of(node.value)
            if inner & {kinds.TREE, kinds.ARRAY}:
                return set()
            return inner & {kinds.KEY, kinds.NOTHING, kinds.VARIABLES, kinds.CHANGED}
        return set()

    def is_tensor(self, node: ast.expr) -> bool:
        """Whether a name held an array of JAX's, or is a leaf of a tree."""
        if not isinstance(node, ast.Name):
            return False
        return self.kinds_of(node) == {kinds.ARRAY} or any(
            node.id in ast.unparse(part.target)
            for part in ast.walk(self.tree)
            if isinstance(part, ast.comprehension) and isinstance(part.iter, ast.Call)
            and (self.name(part.iter.func) or "").endswith(("tree.leaves", "tree_leaves"))
        )  # fmt: skip

    def is_of_model(self, node: ast.AST) -> bool:
        """Whether an expression is a module, or the variables of one."""
        if isinstance(node, ast.Attribute) and node.attr == "params":
            return self.kinds_of_state(node.value)
        return bool(self.kinds_of(node) & {kinds.MODULE, kinds.VARIABLES})

    def is_state(self, node: ast.expr) -> bool:
        """Whether an expression is flax's class ``TrainState``, or one that is derived from it."""
        own = self.classes.get(ast.unparse(node))
        bases = [] if own is None else own.bases
        return (self.name(node) or "").endswith("TrainState") or any(map(self.is_state, bases))

    def _library(self, name: str) -> str:
        bases = getattr(self.recording.modules.get(name), "__mro__", ())
        return "linen" if any(b.__module__.startswith("flax.linen") for b in bases) else ""

    def kinds_of_state(self, node: ast.AST) -> bool:
        """Whether an expression is a ``TrainState``."""
        return kinds.TRAIN_STATE in self.kinds_of(node)

    def name(self, node: ast.expr) -> str | None:
        """The map's name for what an expression spells."""
        return qualified(self.file_of(node).own.path, node)

    def at(self, node: Any) -> Location:
        line, column, end_line, end_column = span_of(node)
        file = self.file_of(node)
        end_line = end_line and end_line - file.before
        return Location(file.own.path, line - file.before, end_line, column, end_column)

    def file_of(self, node: ast.AST) -> File:
        """The file of the program that an expression is in."""
        lines = (n.lineno for n in ast.walk(node) if hasattr(n, "lineno"))
        line = next(lines, None)
        return self.file if line is None else self.recording.program.of_line(line)


def _qualified(tree: ast.AST, before: str = "") -> Iterator[tuple[str, Any]]:
    """The functions of a program by the names that Python gives them."""
    for node in ast.iter_child_nodes(tree):
        inside = before
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            inside = f"{before}{node.name}."
        if isinstance(node, ast.FunctionDef):
            yield f"{before}{node.name}", node
            inside += "<locals>."
        yield from _qualified(node, inside)
