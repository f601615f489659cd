"""An example function with all that it uses: code that runs by itself where it is pasted."""

import ast
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from typing import NamedTuple

from jaxvstorch._pairs import source
from jaxvstorch._pairs.plain import without_shapes

_OURS = "from jaxvstorch.examples."
# PyTorch keeps one operator of a name: a pasted one must not replace the package's.
_OPERATORS = "jaxvstorch_"


def standalone(topic: str, framework: str, name: str, *, shapes: bool = False) -> str:
    """The source of a half, below the imports, constants and helpers that it uses."""
    imports, parts = _collected(topic, framework, [name], shapes)
    text = _import_lines(imports)
    last = ""  # an import statement is followed by one blank line, or by two before a function
    for part in parts:
        blank = 2 if part.is_block or last == "block" else 0 if last else 1
        text += "\n" * (blank + 1) + part.text
        last = "block" if part.is_block else "line"
    return text


class _Part(NamedTuple):
    """A statement of a module.

    Attributes:
        text: its lines, with its decorators and the comment right above it.
        names: what it defines.
        extends: the object that it registers something with, as ``f.defvjp(forward, backward)``
            does with ``f``; empty if there is none.
        reads: the names that it uses.
        is_block: whether it is a function or a class.
    """

    text: str
    names: set[str]
    extends: set[str]
    reads: set[str]
    is_block: bool


def _collected(
    topic: str, module: str, names: Iterable[str], shapes: bool
) -> tuple[dict[str, str], list[_Part]]:
    """The import lines, by name, and the statements that some names of a module need."""
    imported, parts = _module(topic, module, shapes)
    wanted, needed = set(names), set[int]()
    while new := {
        i
        for i, part in enumerate(parts)
        if i not in needed and (part.names | part.extends) & wanted
    }:
        needed |= new
        wanted = wanted.union(*(parts[i].reads for i in new))
    imports: dict[str, str] = {}
    siblings: list[_Part] = []
    for name in [name for name in imported if name in wanted]:
        line = imported[name]
        if line.startswith(_OURS):
            topic, _, module = line.removeprefix(_OURS).partition(" ")[0].partition(".")
            more, theirs = _collected(topic, module, [name], shapes)
            imports |= more
            siblings += [part for part in theirs if part not in siblings]
        else:
            imports[name] = line
    return imports, siblings + [parts[i] for i in sorted(needed)]


@cache
def _module(topic: str, name: str, shapes: bool) -> tuple[dict[str, str], list[_Part]]:
    """The import lines of a module, by name, and its other statements."""
    text = source.path(topic, name).read_text(encoding="utf-8")
    text = text if shapes else without_shapes(text)
    body = ast.parse(text).body
    return dict(source.imports(body)), list(_parts(text.splitlines(), body))


def _parts(lines: list[str], body: list[ast.stmt]) -> Iterator[_Part]:
    ours = {name for node in body for name in source.bound(node)}
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_string(node):
            continue
        first = source.first_line(node)
        while lines[first - 2].startswith("#"):
            first -= 1
        text = "\n".join(lines[first - 1 : node.end_lineno]).replace(_OPERATORS, "pasted_")
        calls = [node.value] if isinstance(node, ast.Expr) else getattr(node, "decorator_list", [])
        yield _Part(
            text,
            names=set(source.bound(node)),
            extends=ours & set(map(_root, calls)),
            reads=source.names_read(text),
            is_block=isinstance(node, ast.FunctionDef | ast.ClassDef),
        )


def _is_string(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _root(node: ast.expr) -> str:
    """The first name of a call or an attribute, such as ``f`` of ``f.defvjp(…)``."""
    while isinstance(node, ast.Call | ast.Attribute):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _import_lines(imports: dict[str, str]) -> str:
    """Import statements as formatters order them: Python's own modules, then all others."""

    def order(line: str) -> tuple[bool, bool, str]:
        module = line.split()[1]
        theirs = module.partition(".")[0] not in sys.stdlib_module_names
        return theirs, line.startswith("from"), module

    sections: dict[bool, list[str]] = {}
    for (theirs, is_from, module), lines in groupby(sorted(imports.values(), key=order), order):
        merged = list(lines)
        if is_from:
            merged = [f"from {module} import " + ", ".join(x.split(" import ")[1] for x in merged)]
        sections.setdefault(theirs, []).extend(merged)
    return "\n\n".join("\n".join(section) for section in sections.values())
