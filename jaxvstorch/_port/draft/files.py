"""One file of a program in a draft: the definitions that were reached, in JAX, and imports."""

import ast
import re
import symtable
from collections.abc import Iterable, Iterator
from pathlib import Path

from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.rewriting import TODO, Rewriting
from jaxvstorch._port.filling import Span
from jaxvstorch._port.imports import imported_names
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.report_data import PortCall

# Names whose calls give the same result each time.
_PURE = frozenset({"bool", "dict", "float", "int", "len", "list", "max", "min", "range", "set",
                   "str", "tuple", "math", "numpy", "torch"})  # fmt: skip
_OBJECTS = ("torch.nn.", "torch.optim.", "torch.utils.", "torch.distributions.")
Definition = ast.FunctionDef | ast.ClassDef


class File:
    """The definitions of one file of the program that its run reached."""

    def __init__(self, recording: Recording, path: str) -> None:
        self.path, self.folder = path, Path(recording.folder)
        self.tree = ast.parse(Path(path).read_bytes(), path)
        self.full_names = imported_names(self.tree)
        self.reached = {c.co_qualname for c in recording.codes if c.co_filename == path}
        self.base_layers = {cls.__name__ for cls, _ in recording.base_layers()}
        self.modules = {cls.__name__ for cls in recording.classes}
        calls: dict[Span, list[PortCall]] = {}
        types: dict[Span, tuple[str, ...]] = {}
        for at, several in recording.calls.items():
            if at.file == path and at.column is not None:
                span = (at.line, at.column, at.end_line, at.end_column)
                calls[span] = list(several)
                types[span] = recording.argument_types.get(at, ())
        layers = {cls.__name__ for cls in recording.layers}
        self.rewriting = Rewriting(
            calls, types, self.full_names, layers, recording.lines.get(path, set())
        )
        self.defined = {n.name: n for n in self.tree.body if isinstance(n, Definition)}
        self.constants: dict[str, list[ast.stmt]] = {}
        for name, node in _constants(self.tree.body):
            self.constants.setdefault(name, []).append(node)
        self.conditional = set(self.constants) - {name for name, _ in _plain(self.tree.body)}
        self.wanted: dict[str, None] = {}
        self.want(n for n in self.defined if any(q.partition(".")[0] == n for q in self.reached))
        self.left: set[str] = set()  # constants that the draft leaves to the reader

    def want(self, names: Iterable[str]) -> None:
        """Take into the draft the definitions of these names, and those that they use."""
        pending = [name for name in names if name in self.defined or name in self.constants]
        while pending:
            name = pending.pop(0)
            if name in self.wanted:
                continue
            self.wanted[name] = None
            node = self.defined.get(name)
            for part in self._parts(node) if node is not None else self.constants[name]:
                used = _used(part) & {*self.defined, *self.constants}
                pending += sorted(used - set(self.wanted))

    def imported(self) -> Iterator[tuple[str, str]]:
        """Each name imported from another file of the program, after that file's bare name."""
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and self._is_from_program(node):
                for alias in node.names:
                    yield (node.module or alias.name).rpartition(".")[2], alias.name

    def _parts(self, node: Definition) -> list[ast.AST]:
        """The parts of a definition that go into the draft."""
        if not isinstance(node, ast.ClassDef) or not self._is_module(node):
            return [node]
        return [*node.bases, *self._methods(node)]

    def _methods(self, node: ast.ClassDef) -> list[ast.stmt]:
        return [
            part
            for part in node.body
            if not isinstance(part, ast.FunctionDef)
            or (part.name != "__init__" and f"{node.name}.{part.name}" in self.reached)
        ]

    def imports(self, drafted: set[str]) -> Iterator[str]:
        """The program's imports, without PyTorch's and those of names that the draft defines.

        Names from a file of the program that its run did not reach are left to the reader.
        """
        known = self.constants | {name: [node] for name, node in self.defined.items()}
        text = "\n".join(ast.unparse(node) for name in self.wanted for node in known[name])
        for node in self.tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                kept = self.rewriting.visit(node)
                if kept is None:
                    continue
                kept.names = [
                    alias
                    for alias in kept.names
                    if (bound := (alias.asname or alias.name).partition(".")[0]) not in drafted
                    and re.search(rf"\b{bound}\b", text)
                ]
                if kept.names and self._is_from_program(kept):
                    for alias in kept.names:
                        yield f"{alias.asname or alias.name} = None  # {TODO}{ast.unparse(kept)}"
                elif kept.names:
                    yield ast.unparse(kept)

    def _is_from_program(self, node: ast.Import | ast.ImportFrom) -> bool:
        """Whether an import takes names from a file of the program."""
        if isinstance(node, ast.ImportFrom) and node.level:
            return True
        module = (getattr(node, "module", None) or node.names[0].name).partition(".")[0]
        beside = [Path(self.path).parent / module, self.folder / module]
        return any(path.is_dir() or path.with_suffix(".py").is_file() for path in beside)

    def sources(self) -> Iterator[str]:
        """Each constant and definition in JAX, in the order of the file."""
        for name, nodes in self.constants.items():
            if name in self.wanted:
                yield self._constant(name, nodes)
        for name, definition in self.defined.items():
            if name in self.wanted:
                if isinstance(definition, ast.ClassDef) and self._is_module(definition):
                    definition.bases = self._bases(definition)
                    definition.keywords = []
                    definition.body = self._methods(definition) or [ast.Pass()]
                    for part in definition.body:
                        if isinstance(part, ast.FunctionDef) and part.name == "forward":
                            part.name = "__call__"
                yield self._unparsed([definition])

    def _constant(self, name: str, nodes: list[ast.stmt]) -> str:
        """A constant; one that the program's run made, such as a network, is left to the reader."""
        if name not in self.conditional and not any(map(self._is_made_by_run, nodes)):
            return self._unparsed(nodes)
        self.left.add(name)
        written = " ".join(ast.unparse(nodes[-1]).split())
        return f"# {TODO}{written}\n{name} = None"

    def _is_made_by_run(self, node: ast.stmt) -> bool:
        """Whether a constant needs the run: an object, or a value from arguments or files."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in self.left:
                return True
            if isinstance(part, ast.Call):
                full = self.rewriting.qualified(part.func) or ast.unparse(part.func)
                root = full.partition(".")[0]
                draws = full in rows() and meaning(rows()[full]).draws
                if root not in _PURE or full.startswith(_OBJECTS) or draws:
                    return True
        return False

    def _is_module(self, node: ast.ClassDef) -> bool:
        bases = [self.rewriting.qualified(base) or "" for base in node.bases]
        return node.name in self.modules or any(base.startswith("torch.nn.") for base in bases)

    def _bases(self, node: ast.ClassDef) -> list[ast.expr]:
        drafted: list[ast.expr] = [
            b for b in node.bases if isinstance(b, ast.Name) and b.id in self.modules
        ]
        for base in node.bases:
            name = (self.rewriting.qualified(base) or "").removeprefix("torch.nn.")
            if name in self.base_layers:
                return [ast.Name(f"Torch{name}", ast.Load())]
        return drafted or [ast.Name("Module", ast.Load())]

    def _unparsed(self, body: list[ast.stmt]) -> str:
        new = ast.Module(self.rewriting.visit_body(body), [])
        return ast.unparse(ast.fix_missing_locations(new))


def _used(part: ast.AST) -> set[str]:
    """The names of the file that a definition or statement reads, without its arguments."""
    return set(_globals_read(symtable.symtable(ast.unparse(part), "", "exec")))


def _globals_read(table: symtable.SymbolTable) -> Iterator[str]:
    is_top_level = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() if is_top_level else symbol.is_global():
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _globals_read(inner)


def _constants(body: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    """Assignments of names at the top level of a file, those in conditions and loops first."""
    for node in body:
        if isinstance(node, ast.If | ast.Try | ast.With | ast.For):
            inner = [part for part in ast.walk(node) if isinstance(part, ast.Assign)]
            yield from _plain(list[ast.stmt](inner))
    yield from _plain(body)


def _plain(body: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node


def in_import_order(files: list[File]) -> list[File]:
    """The files, each after those that it imports, with the names that others import of them."""
    by_name = {Path(file.path).stem: file for file in files}
    before, wanted = -1, 0
    while wanted > before:
        for file in files:
            for module, name in file.imported():
                if module in by_name:
                    by_name[module].want([name])
        before, wanted = wanted, sum(len(file.wanted) for file in files)
    order: dict[str, File] = {}

    def add(file: File, importers: tuple[str, ...]) -> None:
        for module, _ in file.imported():
            if module in by_name and by_name[module].path not in (*order, *importers, file.path):
                add(by_name[module], (*importers, file.path))
        order.setdefault(file.path, file)

    for file in files:
        add(file, ())
    return list(order.values())
