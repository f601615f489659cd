"""What the names of a program hold, and which of them go away in PyTorch."""

import ast
from typing import Any

from jaxvstorch._port.filling import span_of
from jaxvstorch._port.from_jax.layers import RANDOM
from jaxvstorch._port.from_jax.translation import qualified
from jaxvstorch._port.report_data import Location
from jaxvstorch._port.torch_draft import kinds
from jaxvstorch._port.torch_draft.recording import Recording

_KEYS = ("key", "PRNGKey", "split", "fold_in", "wrap_key_data", "key_data")
RANDOM_KEYWORDS = (*RANDOM, "rng_key", "dropout_key")


class Names(ast.NodeTransformer):
    """Knows what names hold.

    Attributes:
        recording: of the run.
        scope: the line of the function that is rewritten; 0 is the module.
        functions: the program's, by name.
        notes: why something stays as it is, by the line.
    """

    def __init__(self, recording: Recording, tree: ast.Module) -> None:
        self.recording = recording
        self.file = str(recording.file)
        self.scope = 0
        # Layers that are made where they are called: the attributes for them, and their flags.
        self.replaced: dict[Location, ast.expr] = {}
        self.flags: dict[str, list[ast.keyword]] = {}
        self.replacing = True
        self.owner = self.attribute = ""  # the class and the attribute that are rewritten
        self.functions: dict[str, Any] = {
            n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)
        }
        self.classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
        self.parameters = {
            name: [a.arg for a in node.args.args] for name, node in self.functions.items()
        }
        self.gone = {name: self.dropped(node) for name, node in self.functions.items()}
        self.todo: list[str] = []
        self._inside = 0

    # What names are.

    def kinds_of(self, node: ast.AST) -> set[str]:
        """What an expression held in the run."""
        if isinstance(node, ast.Name):
            known = self.recording.kinds
            return known.get((self.scope, node.id)) or known.get((0, node.id)) or set()
        if isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
            inner = self.kinds_of(node.value)
            return inner & {kinds.KEY, kinds.VARIABLES, kinds.CHANGED}
        return set()

    def is_key(self, node: ast.AST) -> bool:
        """Whether an expression is a key of random numbers."""
        if isinstance(node, ast.Call):
            name = self.name(node.func) or ""
            if name.startswith("jax.random.") and name.rpartition(".")[2] in _KEYS:
                return True
            return name == "nnx.Rngs" or self.is_key(node.func)
        if isinstance(node, ast.Dict):
            return bool(node.values) and all(map(self.is_key, node.values))
        if isinstance(node, ast.Tuple | ast.List):
            return bool(node.elts) and all(map(self.is_key, node.elts))
        return self.kinds_of(node) == {kinds.KEY}

    def kinds_of_state(self, node: ast.AST) -> bool:
        """Whether an expression is a ``TrainState``."""
        return kinds.TRAIN_STATE in self.kinds_of(node)

    def name(self, node: ast.expr) -> str | None:
        """The map's name for what an expression spells."""
        return qualified(self.file, node)

    def at(self, node: Any) -> Location:
        line, column, end_line, end_column = span_of(node)
        return Location(self.file, line, end_line, column, end_column)

    def dropped(self, function: Any) -> set[str]:
        """The parameters of a function of the program that go away."""
        known, line = self.recording.kinds, function.lineno
        parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        gone = set[str]()
        for a in parameters:
            of = known.get((line, a.arg), set())
            if of in ({kinds.KEY}, {kinds.TRANSFORMATION}) or a.arg in RANDOM_KEYWORDS:
                gone.add(a.arg)
        if any(kinds.VARIABLES in known.get((line, a.arg), ()) for a in parameters):
            gone |= {a.arg for a in parameters if a.arg != "self"
                     and known.get((line, a.arg)) == {kinds.MODULE}}  # fmt: skip
        return gone
