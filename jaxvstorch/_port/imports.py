"""What a source file imports and spells, and importing a file by its path."""

import ast
import importlib.util
import linecache
import sys
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType


def imported_names(tree: ast.Module) -> dict[str, str]:
    """The full name of each name that a file imports, anywhere in the file."""
    statements = (n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom))
    return {name: full for node in statements for name, full in bound(node)}


def bound(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """Each name that an import binds, and its full name."""
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            yield alias.asname or alias.name, f"{module}.{alias.name}"
        return
    for alias in node.names:
        first = alias.name.partition(".")[0]
        yield (alias.asname, alias.name) if alias.asname else (first, first)


def qualified(node: ast.expr, names: Mapping[str, str]) -> str | None:
    """The full name that an expression spells, by the full names of its file's imports."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    if isinstance(node, ast.Name) and node.id in names:
        return ".".join([names[node.id], *parts])
    return None


def imported(file: str, node: ast.expr) -> str | None:
    """The full name that an expression in a file spells, by the file's imports."""
    known = _imports(file)
    if not Path(file).is_file():  # a notebook's cell: another cell may have imported it
        known = _modules_of_main() | known
    return qualified(node, known)


def _modules_of_main() -> dict[str, str]:
    in_main = vars(sys.modules["__main__"]).items()
    return {name: value.__name__ for name, value in in_main if isinstance(value, ModuleType)}


@cache
def _imports(file: str) -> dict[str, str]:
    try:
        return imported_names(ast.parse("".join(linecache.getlines(file))))
    except (SyntaxError, ValueError):
        return {}


def is_of_jax(file: str) -> bool:
    """Whether a program imports JAX, or a library of it, and not PyTorch."""
    path = Path(file)
    if path.suffix != ".py" or not path.is_file():
        return False
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):  # running it says so
        return False
    roots = {name.partition(".")[0] for name in imported_names(tree).values()}
    return bool(roots & _OF_JAX) and "torch" not in roots


_OF_JAX = {"jax", "flax", "optax", "equinox"}


def import_file(path: Path, name: str) -> ModuleType:
    """Import a file anew, as a module of a name."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # inspect looks for it there
    spec.loader.exec_module(module)
    return module


def path_of(node: ast.expr, variables: Collection[str] = ()) -> list[str]:
    """The attributes of ``self.a.b``, or of a variable after its name; empty for anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    if isinstance(node, ast.Name) and node.id in variables:
        return [node.id, *names] if names else []
    return names if isinstance(node, ast.Name) and node.id == "self" else []


def root_of(node: ast.expr) -> str:
    """The name of the variable that attributes and items are of."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
