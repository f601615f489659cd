"""Collects the functions and classes of a library that a run of a model needs."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import CodeType, ModuleType
from typing import Any

import torch

from jaxvstorch._port.filling import span_of
from jaxvstorch._port.library.constants import stands_for, written
from jaxvstorch._port.library.propagating import propagate
from jaxvstorch._port.library.pruning import SourceFile
from jaxvstorch._port.library.watching import OTHER, Site, Watch, constant


@dataclass
class Member:
    """A function of the library, reduced to what ran, and the class that it is a method of."""

    node: ast.FunctionDef
    code: CodeType
    file: SourceFile
    module: ModuleType
    owner: type | None

    @property
    def is_bound(self) -> bool:
        """Whether a caller does not pass its first parameter."""
        static = any(ast.unparse(d) == "staticmethod" for d in self.node.decorator_list)
        return self.owner is not None and not static


class Gathering:
    """The members that a run needs, from the roots that the reader's code called.

    Attributes:
        members: by code, in the order in which they were reached.
        classes: of modules.
    """

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.files: dict[str, SourceFile] = {}
        self.members: dict[CodeType, Member] = {}
        self.classes: dict[type, None] = {}
        pending = [code for code, _ in watch.roots]
        while pending:
            code = pending.pop(0)
            if code in self.members:
                continue
            member = self._member(code)
            if member is None:
                continue
            self.members[code] = member
            if member.owner is not None:
                self.classes[member.owner] = None
            self._leave_out_bases(member)
            for _, site in self.sites(member):
                pending += site.callees
                made = [cls for cls, _ in site.made if not is_of_torch(cls)]
                self.classes |= dict.fromkeys(made)
            for node in ast.walk(member.node):
                value = stands_for(node)
                if isinstance(value, type) and issubclass(value, torch.nn.Module):
                    if not is_of_torch(value):
                        self.classes[value] = None
                        pending += self._methods(value)
                elif value is not None and hasattr(value, "__code__"):
                    pending.append(value.__code__)

    def sites(self, member: Member) -> Iterator[tuple[ast.expr, Site]]:
        """The expressions of a member that call others."""
        for part in ast.walk(member.node):
            if isinstance(part, ast.expr) and hasattr(part, "lineno"):
                site = self.watch.sites.get((member.file.path, span_of(part)))
                if site is not None and site.callees:
                    yield part, site

    def _methods(self, cls: type) -> Iterator[CodeType]:
        for base in cls.__mro__:
            for name in ("__init__", "forward"):
                code = getattr(vars(base).get(name), "__code__", None)
                if code in self.watch.taken:
                    yield code

    def _member(self, code: CodeType) -> Member | None:
        path = code.co_filename
        if path not in self.files:
            self.files[path] = SourceFile(path, self.watch)
        node, module = self.files[path].function(code), module_of(path)
        if node is None or module is None:
            return None
        if "<locals>" in code.co_qualname:
            return self._made_function(code, node, module)
        owner: Any = None
        put = next((c for c in self._known_classes() if methods_put(c).get(code)), None)
        if put is not None:  # as one that the library wrote for the class
            owner, node.name = put, methods_put(put)[code]
        elif "." in code.co_qualname:
            owner = getattr(module, code.co_qualname.partition(".")[0], None)
            if not (isinstance(owner, type) and issubclass(owner, torch.nn.Module)):
                return None
        return Member(node, code, self.files[path], module, owner)

    def _known_classes(self) -> list[type]:
        return [c for cls in self.watch.instances for c in cls.__mro__ if not is_of_torch(c)]

    def _made_function(
        self, code: CodeType, node: ast.FunctionDef, module: ModuleType
    ) -> Member | None:
        """A global function that another one made, with the constants that it was made with."""
        read = {n.id for m in self.members.values() for n in ast.walk(m.node)
                if isinstance(n, ast.Name)}  # fmt: skip
        for name, value in vars(module).items():
            if name in read and getattr(value, "__code__", None) is code:
                cells = [cell.cell_contents for cell in value.__closure__ or ()]
                known = dict(zip(code.co_freevars, cells, strict=True))
                if all(constant(v) is not OTHER for v in cells):
                    node.name = name
                    node.body = propagate(node.body, {n: written(v) for n, v in known.items()})
                    return Member(node, code, self.files[code.co_filename], module, None)
        return None

    def _leave_out_bases(self, member: Member) -> None:
        """Call no constructor of a base that makes no part of the module."""
        for node in ast.walk(member.node):
            if not (isinstance(node, ast.Call) and ast.unparse(node.func).startswith("super(")):
                continue
            site = member.file.watch.sites.get((member.file.path, _span(node)))
            if site is None or self.watch.keeps.intersection(site.callees):
                continue
            if member.node.name == "__init__":
                node.args, node.keywords = [], []
                node.lineno = -1  # no site any more


def methods_put(cls: type) -> dict[CodeType, str]:
    """The functions of other files that a class has as methods, and their names there."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    methods = {getattr(value, "__code__", None): name for name, value in vars(cls).items()}
    return {c: n for c, n in methods.items() if c is not None and "." not in c.co_qualname
            and c.co_filename != file}  # fmt: skip


def _span(node: ast.Call) -> Any:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


@cache
def module_of(path: str) -> ModuleType | None:
    """The module that was imported from a file."""
    modules = list(sys.modules.values())
    return next((m for m in modules if getattr(m, "__file__", None) == path), None)


def is_of_torch(cls: type) -> bool:
    """Whether a class is PyTorch's own, or Python's."""
    return cls.__module__.partition(".")[0] in ("torch", "builtins", *sys.stdlib_module_names)
