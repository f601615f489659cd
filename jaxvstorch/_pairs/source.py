"""The source of an example function, read from its file: no framework is imported."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from symtable import SymbolTable, symtable

import jaxvstorch

_EXAMPLES = Path(jaxvstorch.__file__).parent / "examples"


def path(topic: str, framework: str) -> Path:
    """The file of one half of a topic."""
    return _EXAMPLES / topic / f"{framework}.py"


def summary(topic: str) -> str:
    """What a topic is about: the first line of its docstring."""
    text = (_EXAMPLES / topic / "__init__.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


def names(topic: str, framework: str) -> list[str]:
    """The public functions of one half, in the order of the file."""
    tree = ast.parse(path(topic, framework).read_text(encoding="utf-8"))
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]


def definition(topic: str, framework: str, name: str) -> str:
    """The source of a function or a constant, decorators included, without a trailing newline.

    A call that stands by itself goes by what it calls: ``square.defvjp``.

    Raises:
        LookupError: that half defines no such name.
    """
    text = path(topic, framework).read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if name in bound(node):
            return "\n".join(text.splitlines()[first_line(node) - 1 : node.end_lineno])
    raise LookupError(f"{path(topic, framework)} defines no {name!r}")


def first_line(node: ast.stmt) -> int:
    """Where a statement begins, its decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def bound(node: ast.stmt) -> list[str]:
    """The names that a statement of a module gives to functions, classes or constants."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return [ast.unparse(node.value.func)]
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
    names = [each for t in targets for each in (t.elts if isinstance(t, ast.Tuple) else [t])]
    return [name.id for name in names if isinstance(name, ast.Name)]


def imports(body: Iterable[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Each name that a module imports, and a line that imports it alone."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            line = ast.unparse(node).rpartition("import ")[0]
            for alias in node.names:
                yield alias.asname or alias.name, f"{line}import {ast.unparse(alias)}"


def names_read(text: str) -> set[str]:
    """The names that code uses and does not bind itself, or changes by ``global``."""
    return _globals(symtable(text, "", "exec"))


def _globals(table: SymbolTable) -> set[str]:
    used = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_global() and (symbol.is_referenced() or symbol.is_declared_global())
    }
    return used.union(*map(_globals, table.get_children()))
