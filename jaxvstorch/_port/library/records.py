"""The classes of a model's outputs, as named tuples of what is in them."""

import ast
import dataclasses
from collections.abc import Iterator

import torch

from jaxvstorch._port.library.gathering import Gathering, is_of_torch


class Records:
    """The output classes that a gathering's members make.

    Attributes:
        fields: of each class, those that are not always None.
    """

    def __init__(self, gathering: Gathering) -> None:
        self.members = gathering.members
        self.fields: dict[type, dict[str, None]] = {}

    def update(self) -> None:
        """Leave out the fields that are None, and read them as None."""
        made = list(self._made())
        names = {cls: _fields(cls) for cls, _ in made}
        every = {name for several in names.values() for name in several}
        kept, before = set[str](), -1
        while len(kept) > before:  # a field that is read from another record may be None too
            before = len(kept)
            for _, node in made:
                kept |= {
                    w.arg for w in node.keywords if w.arg and _reads(w.value) not in every - kept
                }
        for _, node in made:
            node.keywords = [w for w in node.keywords if w.arg in kept]
        self.fields = {
            cls: {n: None for n in several if any(
                w.arg == n for other, node in made if other is cls for w in node.keywords)}
            for cls, several in names.items()
        }  # fmt: skip
        for member in self.members.values():
            _ReadsNone(every - kept).visit(member.node)

    def _made(self) -> Iterator[tuple[type, ast.Call]]:
        """The calls that make records, with what is not None by name."""
        for member in self.members.values():
            for node in ast.walk(member.node):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    cls = vars(member.module).get(node.func.id)
                    if cls is not None and is_record(cls):
                        pairs = zip(_fields(cls), node.args, strict=False)
                        words = [ast.keyword(n, v) for n, v in pairs]
                        words += node.keywords
                        node.args = []
                        node.keywords = [w for w in words if ast.unparse(w.value) != "None"]
                        yield cls, node

    def classes(self) -> list[str]:
        """The source of each class."""
        return [
            f"class {cls.__name__}(NamedTuple):\n"
            + ("\n".join(f"    {name}: torch.Tensor" for name in fields) or "    pass")
            for cls, fields in self.fields.items()
        ]


def is_record(value: object) -> bool:
    """Whether a value is a class of outputs: data, and no module."""
    return (
        isinstance(value, type)
        and (dataclasses.is_dataclass(value) or hasattr(value, "_fields"))
        and not issubclass(value, torch.nn.Module)
        and not is_of_torch(value)
    )


def _fields(cls: type) -> list[str]:
    if dataclasses.is_dataclass(cls):
        return [field.name for field in dataclasses.fields(cls)]
    return list(cls._fields)  # type: ignore[attr-defined]


def _reads(node: ast.expr) -> str | None:
    """The attribute of a variable that an expression reads."""
    match node:
        case ast.Attribute(value=ast.Name(), attr=attr):
            return attr
    return None


class _ReadsNone(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        of = node.value
        own = isinstance(of, ast.Name) and of.id == "self"
        if node.attr in self.names and isinstance(of, ast.Name) and not own:
            return ast.Constant(None)
        return node
