"""The functions and classes that a draft needs beside the program's own, and their names in it.

Until a draft is put together they are written as ``paste.Conv``, ``paste.cross_entropy`` and the
like; then each gets its own name, or another one where the program has something of that name.
"""

import ast
import builtins
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from jaxvstorch._port.draft import own_functions, own_layers, own_recurrent, own_training
from jaxvstorch._port.draft.layers import needed_sources, own_classes
from jaxvstorch._port.map import paste
from jaxvstorch._port.map.pasting import sources

_CALLED = re.compile(r"\bpaste\.(\w+)")
_LOADING = Path(__file__).with_name("loading.py")
_HELPERS = "__helpers__"  # where a draft that is loaded has them, by their own names
_LAYERS = vars(paste) | vars(own_layers) | vars(own_recurrent)


@dataclass
class Helpers:
    """What a draft needs beside the program's own.

    Attributes:
        bases: the sources of what the program's classes are derived from.
        pasted: the sources of the map's functions, by name.
        own: the sources of the draft's own classes and functions.
        names: the names that differ in this draft.
    """

    bases: list[str]
    pasted: dict[str, str]
    own: list[str]
    names: dict[str, str]

    def in_text(self, text: str) -> str:
        """A text of the program with the names of this draft."""
        return with_names(text, self.names)


def needed(
    text: str, loads: bool, bound: set[str], known: Mapping[str, str] | None = None
) -> Helpers:
    """What the text of a program in JAX needs.

    Args:
        text: of the whole program.
        loads: whether PyTorch's weights are loaded.
        bound: names that the program imports.
        known: the draft's own classes and functions, ``from_torch`` among them, in a style but NNX.
    """
    loading = _loading() if loads and known is None else ""
    called = sorted(set(_CALLED.findall(text)))
    if known is not None and loads:
        averages = any("BatchNorm" in name or "batch_norm" in name for name in called)
        called += ["from_torch", *["state_from_torch"] * (averages and "state_from_torch" in known)]
    known = own_classes() if known is None else known
    if "Buffer" not in needed_sources("\n".join(called), known):
        loading = loading.replace(" | Buffer", "").replace(", Buffer)", ")")
    own = needed_sources("\n".join([*called, loading]), known)
    first = needed_sources("\n".join(_bases(text)), known)
    further = sorted({*called, *_CALLED.findall("\n".join(own.values()))} - known.keys())
    pasted = sources(further)
    helpers = {*own, *pasted, *_defined(loading)}
    taken = bound | _taken(text)
    hidden = {name for name in pasted if hasattr(builtins, name)}
    new = {name: _free(name, taken | helpers) for name in helpers & taken | hidden}
    renamed = _Renamed(new)
    rest = [source for name, source in own.items() if name not in first]
    return Helpers(
        [renamed.of(source) for source in first.values()],
        {name: renamed.of(source) for name, source in pasted.items()},
        [renamed.of(source) for source in [*rest, *filter(None, [loading])]],
        new,
    )


def with_names(text: str, names: Mapping[str, str], prefix: str = "") -> str:
    """A text with helpers by the names that they have in a draft, after a prefix."""
    return _CALLED.sub(lambda match: prefix + names.get(match[1], match[1]), text)


def add_helpers(draft: ModuleType, names: Mapping[str, str]) -> None:
    """Keep a draft's helpers by their own names in it; what it does not have is the package's.

    Args:
        draft: a draft that is loaded.
        names: those of its helpers that differ.
    """
    package = _LAYERS | vars(own_training) | vars(own_functions)
    own = {name: vars(draft)[names.get(name, name)] for name in (*own_classes(), "from_torch")
           if names.get(name, name) in vars(draft)}  # fmt: skip
    pasted = {name: vars(draft)[new] for name, new in names.items() if new in vars(draft)}
    called = {name: vars(draft)[name] for name in vars(paste) if name in vars(draft)}
    vars(draft)[_HELPERS] = SimpleNamespace(**package | called | own | pasted)


def helpers_of(names: Mapping[str, Any]) -> Any:
    """The helpers among the names of a draft, by their own names."""
    return names.get(_HELPERS) or SimpleNamespace(**_LAYERS)


def _loading() -> str:
    """The source of ``from_torch`` and its table."""
    text = _LOADING.read_text(encoding="utf-8")
    return text[text.index("# PyTorch's name for") :].rstrip()


def _bases(text: str) -> list[str]:
    """The helpers that the classes of a text are derived from."""
    classes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    return _CALLED.findall("\n".join(ast.unparse(b) for node in classes for b in node.bases))


def _taken(text: str) -> set[str]:
    """The names that a program's text leaves to no helper.

    They are those of its top level, and the variables of each function that calls the helper.
    """
    tree = ast.parse(text)
    names = set[str]()
    for node in tree.body:
        definition = isinstance(node, ast.FunctionDef | ast.ClassDef)
        names |= {node.name} if definition else bound_in([node])  # type: ignore[attr-defined]
    functions = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Lambda))
    for function in functions:
        names |= bound_in([function]) & set(_CALLED.findall(ast.unparse(function)))
    return names


def bound_in(nodes: Sequence[ast.AST]) -> set[str]:
    """The names that statements store, define and take as arguments."""
    names = set[str]()
    for part in (part for node in nodes for part in ast.walk(node)):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            names.add(part.id)
        elif isinstance(part, ast.arg):
            names.add(part.arg)
        elif isinstance(part, ast.FunctionDef | ast.ClassDef):
            names.add(part.name)
    return names


def _defined(text: str) -> set[str]:
    """The names that the top level of a text defines."""
    return _taken(text) if text else set()


def _free(name: str, taken: set[str]) -> str:
    while name in taken or hasattr(builtins, name):
        name += "_"
    return name


class _Renamed(ast.NodeTransformer):
    """Writes new names for helpers; a function's own variables of these names stay."""

    def __init__(self, new: dict[str, str]) -> None:
        self.new = new

    def of(self, source: str) -> str:
        """The source with the new names; unchanged where it has none of them."""
        if not any(re.search(rf"\b{name}\b", source) for name in self.new):
            return source
        return ast.unparse(self.visit(ast.parse(source)))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.new.get(node.id, node.id), node.ctx)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = self.new.get(node.name, node.name)
        methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
        for method in methods:
            self._within(method)
        node.body = [part if part in methods else self.visit(part) for part in node.body]
        node.bases = [self.visit(base) for base in node.bases]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        node.name = self.new.get(node.name, node.name)
        self._within(node)
        return node

    def _within(self, node: ast.FunctionDef) -> None:
        inner = {
            n: new for n, new in self.new.items() if n not in bound_in([*node.body, node.args])
        }
        _Renamed(inner).generic_visit(node)
