"""What a source file imports and spells, and importing a file by its path."""

import ast
import importlib.util
import linecache
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from jaxvstorch._frameworks.installed import is_installed, is_instrument
from jaxvstorch._port.notebook import is_notebook, read_cells


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


@dataclass(frozen=True)
class OwnFile:
    """A file of the reader's: its path, the name of its module and of the package around it."""

    path: str
    module: str
    package: str

    @classmethod
    def of(cls, spec: ModuleSpec) -> "OwnFile":
        """The file of a module that Python found."""
        return cls(str(spec.origin), spec.name, spec.parent or "")


def is_of_program(spec: ModuleSpec) -> bool:
    """Whether a module is a file of the reader's, neither installed nor of this package."""
    origin = spec.origin or ""
    return origin.endswith(".py") and not (is_installed(origin) or is_instrument(origin))


def own_files(path: str, module: str | None = None) -> Iterator[OwnFile]:
    """A program's file, and those of the reader's that it imports, and that those import.

    Args:
        path: of the program.
        module: its name, where it is run as a module.
    """
    package = package_of(path, module or "")
    folder = str(Path.cwd()) if module else str(Path(path).resolve().parent)
    pending, known = [OwnFile(path, "__main__", package)], {module or Path(path).stem}
    while pending:
        own = pending.pop(0)
        yield own
        with suppress(SyntaxError, ValueError, OSError, RecursionError):
            for name in own_imports(parsed(own.path), own):
                if name not in known:
                    known.add(name)
                    pending += map(OwnFile.of, _found(name, [folder, *sys.path]))


def package_of(path: str, module: str) -> str:
    """The package around a module that is run, which is the module where it is a package's."""
    return module if Path(path).name == "__main__.py" else module.rpartition(".")[0]


def parsed(path: str) -> ast.Module:
    """The tree of a file, or of all cells of a notebook."""
    if is_notebook(path):
        return ast.parse("".join(cell.source for cell in read_cells(path)))
    return ast.parse(Path(path).read_bytes())


def own_imports(tree: ast.AST, own: OwnFile) -> Iterator[str]:
    """The full names of what can be a module among what a file imports, packages first."""
    for node in ast.walk(tree):
        names = list[str]()
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (base := base_of(node, own)):
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[: i + 1]) for i in range(len(parts)))


def base_of(node: ast.ImportFrom, own: OwnFile) -> str:
    """The full name of the module that an import takes names from."""
    if not node.level:
        return node.module or ""
    around = own.package.split(".")
    around = around[: len(around) - node.level + 1]
    return ".".join([*around, *filter(None, [node.module])])


def own_modules(tree: ast.AST, own: OwnFile, known: Collection[str]) -> Iterator[str]:
    """The modules of the program, of those known, that a file imports."""
    yield from (name for name in own_imports(tree, own) if name in known)


def _found(name: str, folders: list[str]) -> Iterator[ModuleSpec]:
    """The file of a module of the program; nothing is run."""
    locations: Sequence[str] | None = folders
    spec, done = None, ""
    for part in name.split("."):
        if locations is None:
            return
        done = f"{done}.{part}".strip(".")
        if done in sys.builtin_module_names or done in sys.stdlib_module_names:
            return
        spec = PathFinder.find_spec(done, locations)
        if spec is None or (spec.origin and not is_of_program(spec)):
            return
        locations = spec.submodule_search_locations
    if spec is not None and is_of_program(spec):
        yield spec


def is_of_jax(file: str, module: str | None = None) -> bool:
    """Whether a program imports JAX, or a library of it, and not PyTorch.

    Of a program that imports neither, its other files say it.
    """
    if not Path(file).is_file():
        return False
    try:
        roots = _roots(file)
        if not roots & {*_OF_JAX, "torch"}:
            roots = set().union(*(_roots(own.path) for own in own_files(file, module)))
    except (SyntaxError, ValueError, OSError):  # running it says so
        return False
    return bool(roots & _OF_JAX) and "torch" not in roots


def _roots(file: str) -> set[str]:
    return {name.partition(".")[0] for name in imported_names(parsed(file)).values()}


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
