"""One file of a program in a draft: the definitions that were reached, in JAX, and imports."""

import ast
import copy
import symtable
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeGuard

from jaxvstorch._port.draft import merging, reading
from jaxvstorch._port.draft.accumulation import Accumulation
from jaxvstorch._port.draft.batches import InPyTorch, run_by_loaders
from jaxvstorch._port.draft.branching import WithStepsDecided
from jaxvstorch._port.draft.clipping import WithClippingApart
from jaxvstorch._port.draft.closures import WithoutClosures
from jaxvstorch._port.draft.commenting import COMMENT, TODO, is_marker, parsed_with_comments
from jaxvstorch._port.draft.distributions import given_to_loaders, is_drafted
from jaxvstorch._port.draft.helpers import bound_in
from jaxvstorch._port.draft.layers import is_function
from jaxvstorch._port.draft.modes import WithoutModes
from jaxvstorch._port.draft.modules import draws
from jaxvstorch._port.draft.optimizers import scheduled
from jaxvstorch._port.draft.randomness import begin_rngs, keep_rngs, resolve, take_rngs
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.saving import made_by
from jaxvstorch._port.draft.seen import Seen
from jaxvstorch._port.imports import imported_names, qualified
from jaxvstorch._port.map.rows import meaning, rows

# Names whose calls give the same result each time.
_PURE = frozenset({"bool", "dict", "float", "int", "len", "list", "max", "min", "range", "set",
                   "str", "tuple", "math", "numpy", "torch"})  # fmt: skip
_OBJECTS = ("torch.nn.", "torch.optim.", "torch.utils.", "torch.distributions.", "torch.device")
Definition = ast.FunctionDef | ast.ClassDef


class File:
    """The definitions of one file of the program that its run reached, and its own statements."""

    def __init__(self, recording: Recording, path: str) -> None:
        self.path = path  # Python looks for imports beside the file that runs as a program
        self.folder = Path(path).parent if path in recording.mains else recording.folder
        tree = parsed_with_comments(Path(path).read_text(encoding="utf-8"), path)
        self.tree = merging.with_imports_decided(tree)
        self.full_names = {**self._with_star(), **imported_names(self.tree)}
        self.defined = {n.name: n for n in self.tree.body if isinstance(n, Definition)}
        bases = {
            name: [qualified(b, self.full_names) or ast.unparse(b) for b in node.bases]
            for name, node in self.defined.items()
            if isinstance(node, ast.ClassDef)
        }
        self.seen = Seen(recording, path)
        self.tree = WithStepsDecided(self.seen.lines).visit(self.tree)
        self.tree = WithoutModes(self.tree).visit(WithClippingApart(self.tree).visit(self.tree))
        self.modules = merging.imported_modules(self.tree, path, self.folder)
        if self.seen.scalers:
            self.tree = reading.WithoutScaling(self.seen.scalers).visit(self.tree)
        if not self.seen.searches:
            self.tree = WithoutClosures().visit(self.tree)
        self.rewriting = Accumulation(self.seen, self.full_names, bases)
        self.rewriting.scheduled = scheduled(self.tree, self.rewriting.qualified)
        self.rewriting.made = made_by(self.tree, self.rewriting.qualified)
        self.rewriting.loaders_draw = given_to_loaders(self.tree, self.rewriting.qualified)
        self.rewriting.trainers = reading.trainers_in(self.tree)
        self.rewriting.taken = bound_in([self.tree])
        self.rewriting.changed = reading.set_again(self.tree) | reading.declared_global(self.tree)
        self.rewriting.tree = self.tree
        self.rewriting.shuffled = reading.shuffles(self.tree)
        self.is_main = path in recording.mains or Path(path).resolve() == recording.file
        self.constants: dict[str, list[ast.stmt]] = {}
        for name, node in _constants(self.tree.body):
            self.constants.setdefault(name, []).append(node)
        self.conditional = set(self.constants) - {name for name, _ in _plain(self.tree.body)}
        again = (
            reading.set_again(self.tree) - reading.declared_global(self.tree)
            if self.is_main
            else set()
        )
        self.made_by_run: set[str] = again & set(self.constants)  # constants that need the run
        for name, nodes in self.constants.items():
            if name in self.conditional or any(map(self._is_made_by_run, nodes)):
                self.made_by_run.add(name)
        parts: dict[str, list[ast.stmt]] = {name: [node] for name, node in self.defined.items()}
        known = {id(n) for nodes in self.constants.values() for n in nodes}
        others = [n for n in self.tree.body if not isinstance(n, Definition) and id(n) not in known]
        self.data, shared = run_by_loaders({**self.constants, **parts}, others, bases)
        self.shared = {n: copy.deepcopy((parts | self.constants)[n]) for n in shared}
        recording.run_by_loaders |= self.data
        self.wanted: dict[str, None] = {}
        self.want(
            n for n in self.defined if any(q.partition(".")[0] == n for q in self.seen.reached)
        )
        self.statements = list(self._statements()) if self.is_main else []
        for statement in self.statements:
            self.want(sorted(_used(statement) & {*self.defined, *self.constants}))

    def _with_star(self) -> dict[str, str]:
        """The full names of what the file imports with ``*`` from others of the program."""
        names: dict[str, str] = {}
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                folder = Path(self.path).parent if node.level else self.folder
                path = folder.joinpath(*(node.module or "").split(".")).with_suffix(".py")
                if path.is_file():
                    names |= imported_names(ast.parse(path.read_text(encoding="utf-8")))
        return names

    def _statements(self) -> Iterator[ast.stmt]:
        """What the file does when it runs, besides definitions and constants."""
        for node in self.tree.body:
            if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
                yield from node.body
            elif not isinstance(node, ast.Import | ast.ImportFrom | Definition):
                names = [name for name, _ in _plain([node])]
                docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
                if isinstance(node, ast.Expr) and self.rewriting.span(node.value) in self.seen.runs:
                    said = f"What follows ran by {ast.unparse(node)}."
                    node = ast.Expr(ast.Constant(COMMENT + said))
                if not (names and names[0] not in self.made_by_run) and (
                    not docstring or is_marker(node)
                ):
                    yield node

    def want(self, names: Iterable[str]) -> None:
        """Take into the draft the definitions of these names, and those that they use."""
        pending = [name for name in names if name in self.defined or name in self.constants]
        while pending:
            name = pending.pop(0)
            if name in self.wanted:
                continue
            self.wanted[name] = None
            node = self.defined.get(name)
            for part in [node] if node is not None else self.constants[name]:
                used = _used(part) & {*self.defined, *self.constants}
                pending += sorted(used - set(self.wanted))

    def imported(self) -> Iterator[tuple[str, str]]:
        """Each name imported from another file of the program, after that file's bare name."""
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and self._is_from_program(node):
                for alias in node.names:
                    yield (node.module or alias.name).rpartition(".")[2], alias.name
        for text, name in merging.attributes_of(self.tree, self.modules):
            yield self.modules[text], name

    def imports(self, drafted: set[str], read: set[str]) -> Iterator[str]:
        """The program's imports that the draft needs.

        Names from a file of the program that its run did not reach are left to the reader.

        Args:
            drafted: the names that the draft defines.
            read: the names that the draft reads.
        """
        outside = [n for n in self.tree.body if not isinstance(n, Definition)]
        for node in [part for n in outside for part in ast.walk(n)]:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            for alias in node.names:
                bound = (alias.asname or alias.name).partition(".")[0]
                single = ast.parse(ast.unparse(node)).body[0]
                assert isinstance(single, ast.Import | ast.ImportFrom)
                single.names = [alias]
                full = f"{getattr(node, 'module', '')}.{alias.name}"
                if bound in drafted or bound not in read or is_drafted(full):
                    continue
                if self._is_from_program(single):
                    yield f"{bound} = None  # {TODO}{ast.unparse(single)}"
                else:
                    yield ast.unparse(single)

    def _is_from_program(self, node: ast.Import | ast.ImportFrom) -> bool:
        """Whether an import takes names from a file of the program."""
        if isinstance(node, ast.ImportFrom) and node.level:
            return True
        # Python looks beside the program, and not beside the file that imports.
        module = (getattr(node, "module", None) or node.names[0].name).partition(".")[0]
        path = self.folder / module
        return path.is_dir() or path.with_suffix(".py").is_file()

    def rewrite(self) -> None:
        """Rewrite what the draft takes; who draws random numbers is left open."""
        self.constant_nodes = [
            part
            for name, nodes in self.constants.items()
            if name in self.wanted and not (self.is_main and name in self.made_by_run)
            for part in self._constant(name, nodes)
        ]
        self.nodes: list[ast.stmt] = []
        for name, definition in self.defined.items():
            if name in self.data and name in self.wanted:
                self.nodes.append(definition)  # the program's own data, as PyTorch loads it
            elif name in self.wanted:
                self.rewriting.steps = []
                rewritten = self.rewriting.visit_body([definition])
                self.nodes += [*self.rewriting.steps, *rewritten]
        self.rewriting.steps = []
        self.main = self.rewriting.visit_body(self.statements) if self.statements else []
        self.nodes += self.rewriting.steps
        self._copy_shared()

    def _copy_shared(self) -> None:
        """Keep what loaders run as it was where the draft has it in JAX, under another name."""
        drafted = {ast.unparse(node) for node in (*self.constant_nodes, *self.nodes)}
        copied = {
            name: nodes
            for name, nodes in self.shared.items()
            if not isinstance(nodes[0], ast.ClassDef) and not {*map(ast.unparse, nodes)} <= drafted
        }
        in_torch = InPyTorch(set(copied))
        for part in (self.constant_nodes, self.nodes):
            nodes, part[:] = list(part), []
            for node in nodes:
                name = getattr(node, "name", None) or next(iter(dict(_plain([node]))), "")
                part += map(in_torch.visit, copied.pop(name, ()))
                part.append(in_torch.visit(node) if name in self.data else node)

    def rename(self, drafted: set[str]) -> None:
        """Give what the file imports from the program its own name."""
        aliases = {
            alias.asname: alias.name
            for node in self.tree.body
            if isinstance(node, ast.ImportFrom) and self._is_from_program(node)
            for alias in node.names
            if alias.asname and alias.name in drafted
        }
        merged = merging.Merged(self.modules, aliases, drafted)
        for nodes in (self.constant_nodes, self.nodes, self.main):
            nodes[:] = [merged.visit(node) for node in nodes]

    def drawers(self) -> Iterator[Definition]:
        """The functions of the draft at the top of this file, and the classes but modules."""
        for node in self.nodes:
            if isinstance(node, Definition) and not self._is_module(node):
                yield node

    def _is_module(self, node: ast.stmt) -> TypeGuard[ast.ClassDef]:
        return isinstance(node, ast.ClassDef) and self.rewriting.is_module(node)

    def finish(self) -> None:
        """Hand flax's random numbers to those that draw, once it is known who does."""
        for node in self.nodes:
            if self._is_module(node):
                self.rewriting.finish_module(node)
            elif isinstance(node, ast.ClassDef) and any(draws(node)):
                keep_rngs(node)
            elif isinstance(node, ast.FunctionDef) and any(draws(node)):
                resolve(node, "rngs", "()")
                if node.name != "main":
                    take_rngs(node)
            if isinstance(node, ast.FunctionDef):
                begin_rngs(node.body, node.name == "main" and "rngs" in ast.unparse(node))
        if any(any(draws(node)) for node in self.main):
            for node in self.main:
                resolve(node, "rngs", "()")
            begin_rngs(self.main, True)
        else:
            begin_rngs(self.main, False)

    def _constant(self, name: str, nodes: list[ast.stmt]) -> list[ast.stmt]:
        """A constant; one that the program's run made, such as a network, is left to the reader."""
        if name in self.data:
            return nodes
        value = getattr(nodes[-1], "value", None)
        device = isinstance(value, ast.Call) and self.rewriting.is_device(value)
        if name not in self.made_by_run or device:
            return self.rewriting.visit_body(nodes)
        written = " ".join(ast.unparse(nodes[-1]).split())
        return [ast.Expr(ast.Constant(f"{TODO}{written}")), *ast.parse(f"{name} = None").body]

    def _is_made_by_run(self, node: ast.stmt) -> bool:
        """Whether a constant needs the run: an object, or a value from arguments or files."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in self.made_by_run:
                return True
            if isinstance(part, ast.Call):
                full = self.rewriting.qualified(part.func) or ast.unparse(part.func)
                root = full.partition(".")[0]
                if is_function(full):  # such as nn.CrossEntropyLoss()
                    continue
                draws_numbers = full in rows() and meaning(rows()[full]).draws
                if root not in _PURE or full.startswith(_OBJECTS) or draws_numbers:
                    return True
        return False


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
