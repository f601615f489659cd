"""The files of a JAX program: watched as its run imports them, and read as one for a draft."""

import ast
import linecache
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType
from typing import Any

from jaxvstorch._port.imports import OwnFile, is_of_program, own_files, own_modules
from jaxvstorch._port.notebook import is_notebook, read_cells
from jaxvstorch._port.report_data import Location
from jaxvstorch._port.torch_draft.noting import Noting


class File:
    """A file of a program.

    Attributes:
        own: its path, and the name of its module.
        before: how many lines the files before it have, as lines tell functions apart.
        renamed: the names in the draft of what has another one there.
        is_drafted: whether the draft has something of it.
        globals: of its module, once it runs.
    """

    def __init__(self, own: OwnFile, before: int) -> None:
        self.own, self.before = own, before
        self.sources = [(own.path, "".join(linecache.getlines(own.path)))]
        if is_notebook(own.path):
            self.sources = [(cell.file, f"{cell.source}\n\n") for cell in read_cells(own.path)]
            lines = self.text.splitlines(keepends=True)
            linecache.cache[own.path] = (len(self.text), None, lines, own.path)
        self.tree = ast.parse(self.text)
        self.renamed: dict[str, str] = {}
        self.is_drafted = False
        self.globals: dict[str, Any] = {}

    @property
    def text(self) -> str:
        """All of it; the cells of a notebook one after the other."""
        return "".join(source for _, source in self.sources)

    @cached_property
    def defined(self) -> set[str]:
        """The names that it defines at its top level, without those that it imports."""
        return {name for node in self.tree.body for name in names_made(node)}

    @cached_property
    def bound(self) -> set[str]:
        """Each name that it binds anywhere, without imports."""
        nodes = [*ast.walk(self.tree)]
        return {
            *(n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)),
            *(n.arg for n in nodes if isinstance(n, ast.arg)),
            *(n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)),
        }

    @property
    def stem(self) -> str:
        """The name by which other files can import it."""
        return Path(self.own.path).stem

    def in_draft(self, qualname: str) -> str:
        """The name in the draft of what Python calls by this one."""
        first, dot, rest = qualname.partition(".")
        return self.renamed.get(first, first) + dot + rest

    def in_cell(self, location: Location) -> Location:
        """A location of a notebook as one of a cell; one of a program as it is."""
        before = 0
        for path, text in self.sources:
            lines = text.count("\n")
            if location.line <= before + lines:
                end = location.end_line and location.end_line - before
                return replace(location, file=path, line=location.line - before, end_line=end)
            before += lines
        return location


class Program(MetaPathFinder):
    """The files of a program, of which the first is the one that runs.

    Attributes:
        files: by the names of their modules.
        imported: the modules in the order in which the run had executed them.
    """

    def __init__(self, path: str, module: str | None = None) -> None:
        self.files: dict[str, File] = {}
        self.imported: list[str] = []
        self._of_source: dict[str, File] = {}
        for own in own_files(path, module):
            self._add(own)
        for file in self.files.values():
            self._rename_where_bound(file)

    @property
    def main(self) -> File:
        """The file that runs."""
        return next(iter(self.files.values()))

    def in_cell(self, location: Location) -> Location:
        """A location, in a notebook that of its cell."""
        is_in_main = location.file == self.main.own.path
        return self.main.in_cell(location) if is_in_main else location

    def globals(self) -> dict[str, Any]:
        """The program's globals, by their names in the draft."""
        every = dict[str, Any]()
        for file in reversed(self.files.values()):
            every |= {file.renamed.get(n, n): value for n, value in file.globals.items()}
        return every

    def of_source(self, path: str) -> File | None:
        """The file that code is compiled from."""
        return self._of_source.get(path)

    def of_line(self, line: int) -> File:
        """The file that has a line, by its number among the lines of all."""
        before = (file for file in self.files.values() if file.before < line)
        return max(before, key=lambda file: file.before, default=self.main)

    def in_draft(self, value: Any) -> str:
        """The name in the draft of a class of the program."""
        file = self.files.get(value.__module__, self.main)
        return file.in_draft(value.__name__)

    def codes(self, file: File) -> Iterator[CodeType]:
        """A file's code, with its calls watched: of a notebook, that of each cell."""
        before = 0
        for source, text in file.sources:
            tree = ast.increment_lineno(ast.parse(text, source), before)
            noting = Noting(file.own.path, file.before, file.renamed)
            tree = ast.fix_missing_locations(noting.visit(tree))
            tree = ast.increment_lineno(tree, -before)
            yield compile(tree, source, "exec", dont_inherit=True)
            before += text.count("\n")

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Have the calls watched of a file of the program that is imported."""
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or not is_of_program(spec) or spec.origin == self.main.own.path:
            return None
        known = self.files.get(fullname)
        if known is None or known.own.path != spec.origin:
            known = self._add(OwnFile.of(spec))
        return spec_from_file_location(
            fullname, spec.origin, loader=_Loader(self, known),
            submodule_search_locations=spec.submodule_search_locations,
        )  # fmt: skip

    def _add(self, own: OwnFile) -> File:
        last = next(reversed(self.files.values()), None)
        before = last.before + last.text.count("\n") + 1 if last else 0
        file = File(own, before)
        taken = {other.renamed.get(n, n) for other in self.files.values() for n in other.defined}
        for name in file.defined & taken:
            file.renamed[name] = self._free(file, name, taken)
        self.files[own.module] = file
        self._of_source |= {source: file for source, _ in file.sources}
        return file

    def _free(self, file: File, name: str, taken: set[str]) -> str:
        stem = (file.own.module.replace("__init__", "").rpartition(".")[2] or "own").strip("_")
        new = f"{stem}_{name}"
        while new in taken:
            new += "_"
        return new

    def _rename_where_bound(self, file: File) -> None:
        """Give another name to what a file reads by ``losses.loss`` and has a ``loss`` of too."""
        modules = {*own_modules(file.tree, file.own, self.files)}
        for other in modules - {self.main.own.module, file.own.module}:
            of = self.files[other]
            read = {n.attr for n in ast.walk(file.tree) if isinstance(n, ast.Attribute)}
            read |= {a.name for n in ast.walk(file.tree) if isinstance(n, ast.ImportFrom)
                     for a in n.names if a.asname}  # fmt: skip
            for name in read & of.defined & file.bound - of.renamed.keys():
                taken = {f.renamed.get(n, n) for f in self.files.values() for n in f.bound}
                of.renamed[name] = self._free(of, name, taken)


class _Loader(SourceFileLoader):
    """Loads a file with its calls watched; Python's cache of compiled files stays as it is."""

    def __init__(self, program: Program, file: File) -> None:
        super().__init__(file.own.module, file.own.path)
        self.program, self.file = program, file

    def get_code(self, fullname: str) -> CodeType:
        return next(self.program.codes(self.file))

    def exec_module(self, module: Any) -> None:
        super().exec_module(module)
        self.program.imported.append(self.file.own.module)


def is_of_the_run(value: Any) -> bool:
    """Whether a class or function is of the program: of its main file, or of one it imports."""
    name = getattr(value, "__module__", None)
    loader = getattr(sys.modules.get(name or ""), "__loader__", None)
    return name == "__main__" or isinstance(loader, _Loader)


def names_made(node: ast.stmt) -> set[str]:
    """The names that a statement at the top level binds, without plain imports."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return set()
    names = set[str]()
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.FunctionDef | ast.ClassDef):
            names.add(part.name)
        elif isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            names.add(part.id)
        elif not isinstance(part, ast.Lambda | ast.comprehension):
            pending += ast.iter_child_nodes(part)
    return names
