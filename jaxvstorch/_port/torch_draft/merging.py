"""Reads the files of a JAX program as one, by the names that its draft has for what they define."""

# ruff: noqa: N815 - ast.NodeVisitor gives the names of the methods.

import ast
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from jaxvstorch._port.draft.commenting import blank, is_marker, parsed_with_comments
from jaxvstorch._port.filling import Span, span_of
from jaxvstorch._port.imports import base_of, imported_names, root_of
from jaxvstorch._port.notebook import is_notebook
from jaxvstorch._port.torch_draft.files import File, Program, names_made
from jaxvstorch._port.torch_draft.leftovers import bound_in

Tree = TypeVar("Tree", bound=ast.AST)
Target = tuple[str, str | None]  # a module, and the name in it; no name is the module itself


class Merging:
    """A program of several files as one tree, and where names stand in it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.replaced: dict[tuple[str, Span], str] = {}
        order = [*dict.fromkeys(program.imported), program.main.own.module]
        self.files = [program.files[name] for name in order]
        self.imports = {file.own.module: dict(self._imports(file)) for file in self.files}

    def tree(self, with_comments: bool) -> ast.Module:
        """The files in the order in which the run executed them; of imported ones, what is read."""
        trees = [self._tree(file, with_comments) for file in self.files]
        *others, main = trees
        wanted = _wanted(main, others)
        has_docstring = ast.get_docstring(self.program.main.tree) is not None
        kept, gap = list[ast.stmt](), [blank(), blank()]
        for file, tree in zip(self.files, others, strict=False):
            of_file = list(_kept(tree.body, wanted))
            file.is_drafted = any(not isinstance(n, ast.Import | ast.ImportFrom) for n in of_file)
            kept += [*gap, *of_file] if file.is_drafted else of_file
        kept += gap if kept else []
        body = [*main.body[:has_docstring], *kept, *main.body[has_docstring:]]
        return ast.Module(body, [])

    def _tree(self, file: File, with_comments: bool) -> ast.Module:
        path = file.own.path
        tree = parsed_with_comments(file.text, path) if with_comments else ast.parse(file.text)
        if is_notebook(path):  # its lines that are IPython's are each a pass
            tree.body = [node for node in tree.body if not isinstance(node, ast.Pass)]
        merged: ast.Module = _Merged(self, file).visit(tree)
        return _moved(merged, file.before)

    def in_place(self, node: ast.expr, file: File) -> ast.expr:
        """An expression that the run recorded, with the names and lines that the tree has."""
        new: ast.expr = _Placed(self.replaced, file).visit(node)
        return _moved(new, file.before)

    # What imports are of.

    def _imports(self, file: File) -> Iterator[tuple[str, Target]]:
        """What a file imports from the program, by the names that it has there."""
        for node in ast.walk(file.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    whole = alias.name if alias.asname else alias.name.partition(".")[0]
                    if self.file(whole) is not None:
                        yield alias.asname or whole, (whole, None)
            elif isinstance(node, ast.ImportFrom):
                base = base_of(node, file.own)
                for alias in node.names:
                    if alias.name == "*" and (of := self.file(base)) is not None:
                        public = {n for n in of.defined - file.defined if n[0] != "_"}
                        yield from ((name, (base, name)) for name in public)
                    elif self.file(f"{base}.{alias.name}") is not None:
                        yield alias.asname or alias.name, (f"{base}.{alias.name}", None)
                    elif self.file(base) is not None:
                        yield alias.asname or alias.name, (base, alias.name)

    def file(self, module: str) -> File | None:
        """The file of a module that the run imported, or that ran."""
        main = self.program.main
        if module == main.stem:
            return main
        file = self.program.files.get(module)
        return file if file in self.files else None

    def target(self, node: ast.expr, file: File) -> Target | None:
        """What of the program an expression spells, such as ``model.Net``."""
        imports = self.imports[file.own.module]
        if isinstance(node, ast.Name):
            return imports.get(node.id)
        if isinstance(node, ast.Attribute):
            of = self.target(node.value, file)
            if of is not None and of[1] is None:
                inside = f"{of[0]}.{node.attr}"
                return (inside, None) if self.file(inside) is not None else (of[0], node.attr)
        return None

    def name(self, target: Target, seen: tuple[Target, ...] = ()) -> str | None:
        """What the draft calls something; None of a module, and of what no file has."""
        module, name = target
        file = self.file(module)
        if name is None or file is None or target in seen:
            return None
        if name in file.defined:
            return file.in_draft(name)
        further = self.imports[file.own.module].get(name)
        if further is not None:
            return self.name(further, (*seen, target))
        return name if name in imported_names(file.tree) else None


class _Merged(ast.NodeTransformer):
    """Writes ``Net`` for ``model.Net``, and leaves the imports out that this is for."""

    def __init__(self, merging: Merging, file: File) -> None:
        self.merging, self.file = merging, file
        self.local: set[str] = set()

    def visit_Module(self, node: ast.Module) -> ast.AST:
        for part in node.body:
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                part.name = self.file.in_draft(part.name)
        return self.generic_visit(node)

    def _scope(self, node: Any) -> ast.AST:
        outer, globals_ = self.local, {n for p in ast.walk(node) if isinstance(p, ast.Global)
                                       for n in p.names}  # fmt: skip
        for part in getattr(node, "decorator_list", []):
            self.visit(part)
        self.local = outer | (bound_in(node) - {getattr(node, "name", "")}) - globals_
        new = self.generic_visit(node)
        self.local = outer
        return new

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _scope

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        outer, own = self.local, set().union(*map(names_made, node.body))
        for name in ("bases", "keywords", "decorator_list"):
            setattr(node, name, [self.visit(part) for part in getattr(node, name)])
        new = list[Any]()
        for part in node.body:
            is_method = isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
            self.local = outer if is_method else outer | own
            visited = self.visit(part)
            new += visited if isinstance(visited, list) else [visited] if visited else []
        self.local, node.body = outer, new or [ast.Pass()]
        return node

    def visit_Global(self, node: ast.Global) -> ast.AST:
        node.names = [self.file.in_draft(name) for name in node.names]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        root: ast.AST = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id not in self.local:
            target = self.merging.target(node, self.file)
            name = target and self.merging.name(target)
            if name is not None:
                return self._replaced(node, name)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.local:
            return node
        target = self.merging.target(node, self.file)
        name = self.merging.name(target) if target else self.file.in_draft(node.id)
        if name == "display" and is_notebook(self.file.own.path):
            name = "print"
        return node if name in (None, node.id) else self._replaced(node, name)

    def _replaced(self, node: ast.Attribute | ast.Name, name: str) -> ast.AST:
        self.merging.replaced[self.file.own.path, span_of(node)] = name
        return ast.copy_location(ast.Name(name, node.ctx), node)

    def visit_Import(self, node: Any) -> Any:
        imports = self.merging.imports[self.file.own.module]
        node.names = [
            alias for alias in node.names
            if (self.merging.file(base_of(node, self.file.own)) is None if alias.name == "*"
                else (alias.asname or alias.name.partition(".")[0]) not in imports)
        ]  # fmt: skip
        return node if node.names else None

    visit_ImportFrom = visit_Import

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(getattr(node, "body", None), list) and not isinstance(node, ast.Module):
            node.body = node.body or [ast.Pass()]  # type: ignore[attr-defined]
        return node


class _Placed(ast.NodeTransformer):
    def __init__(self, replaced: dict[tuple[str, Span], str], file: File) -> None:
        self.replaced, self.file = replaced, file

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Attribute | ast.Name) and hasattr(node, "lineno"):
            name = self.replaced.get((self.file.own.path, span_of(node)))
            if name is not None:
                return ast.copy_location(ast.Name(name, node.ctx), node)
        return super().visit(node)


def _moved(tree: Tree, by: int) -> Tree:
    """A tree with its lines after those of other files."""
    for node in ast.walk(tree) if by else ():
        for name in ("lineno", "end_lineno"):
            if getattr(node, name, None) is not None:
                setattr(node, name, getattr(node, name) + by)
    return tree


def _wanted(main: ast.AST, others: Iterable[ast.Module]) -> set[str]:
    """The names that a program's main file reads, and those that what it reads needs."""
    bodies = [node for tree in others for node in tree.body if not _is_guard(node)]
    wanted, before = _read(main), -1
    for node in bodies:
        if _has_effect(node):
            wanted |= _read(node)
    while len(wanted) > before:
        before = len(wanted)
        for node in bodies:
            if _changed(node) & wanted:
                wanted |= _read(node)
    return wanted


def _kept(body: list[ast.stmt], wanted: set[str]) -> Iterator[ast.stmt]:
    """The statements of an imported file that a draft needs, with the comments above them."""
    pending = list[ast.stmt]()
    kept = False
    for node in body:
        if is_marker(node):
            behind = "\0behind" in node.value.value  # type: ignore[attr-defined]
            if not behind:
                pending.append(node)
            elif kept:
                yield node
            continue
        kept = bool(_changed(node) & wanted) or _has_effect(node)
        kept = kept and not _is_guard(node)
        if kept or isinstance(node, ast.Import | ast.ImportFrom):
            yield from pending if kept else ()
            yield node
        pending = []


def _changed(node: ast.stmt) -> set[str]:
    """The names that a statement binds, or writes an item or attribute of."""
    written = (n for n in ast.walk(node) if isinstance(n, ast.Subscript | ast.Attribute))
    return names_made(node) | {root_of(n) for n in written if isinstance(n.ctx, ast.Store)}


def _has_effect(node: ast.stmt) -> bool:
    """Whether a statement does more than bind names, such as a call that sets an option."""
    return isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)


def _is_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def _read(tree: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
