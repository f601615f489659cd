"""Writes what was gathered of a library as one file of PyTorch."""

import ast
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import torch

from jaxvstorch._port.draft.commenting import with_comments
from jaxvstorch._port.library.constants import stands_for
from jaxvstorch._port.library.gathering import Gathering, Member
from jaxvstorch._port.library.records import Records
from jaxvstorch._port.library.settings import Settings

_LONG = 10  # lines of a docstring that is left out


class Writing:
    """Writes the members, and the imports, constants and records that they read."""

    def __init__(self, gathering: Gathering, settings: Settings, records: Records) -> None:
        self.gathering, self.settings, self.records = gathering, settings, records
        self.imports: dict[str, None] = {}
        self.constants: dict[str, str] = {}

    def text(self) -> str:
        """The file."""
        for member in self.gathering.members.values():
            self._globals_of(member)
        parts = [*self._members()]
        records = self.records.classes()
        if records:
            self.imports["from typing import NamedTuple"] = None
        settings = self.settings.classes()
        text = "\n\n\n".join([*records, *settings, *parts])
        names = ["dataclass"] * bool(settings) + ["field"] * ("= field(" in "".join(settings))
        if names:
            self.imports[f"from dataclasses import {', '.join(names)}"] = None
        for name, line in (("torch.", "import torch"), ("nn.", "from torch import nn")):
            if name in text:
                self.imports[line] = None
        constants = "\n".join(f"{name} = {value}" for name, value in self.constants.items())
        head = "\n".join(sorted(self.imports, key=lambda line: (line.startswith("from"), line)))
        return "\n\n".join(filter(None, [head, constants, f"\n{text}\n"]))

    def _members(self) -> Iterator[str]:
        """The functions and classes, each file's in its order, what others need first."""
        order = list(self.gathering.files)
        nodes: list[tuple[int, int, ast.stmt]] = []
        for member in self.gathering.members.values():
            if member.owner is None:
                at = -order.index(member.file.path)
                nodes.append((at, member.code.co_firstlineno, member.node))
        for cls in self.gathering.classes:
            node, at, line = self._class(cls)
            nodes.append((at, line, node))
        nodes.sort(key=lambda item: item[:2])
        for _, _, node in nodes:
            text = with_comments(ast.unparse(ast.fix_missing_locations(node)))
            text = re.sub(r"(:\n)\n+(?= )", r"\1", text)  # no blank line where a body begins
            yield re.sub(r"\n{3,}", "\n\n", text)

    def _class(self, cls: type) -> tuple[ast.stmt, int, int]:
        members = [
            m for m in self.gathering.members.values() if m.owner is cls and self._is_used(m)
        ]
        members.sort(key=lambda m: (m.module.__name__ != cls.__module__, m.code.co_firstlineno))
        base = next((b for b in cls.__mro__[1:] if b in self.gathering.classes), None)
        known = base or next(b for b in cls.__mro__[1:] if b.__module__.startswith("torch.nn."))
        name = known.__name__ if base is not None else f"nn.{known.__name__}"
        node = ast.parse(f"class {cls.__name__}({name}):\n    pass").body[0]
        assert isinstance(node, ast.ClassDef)
        at, line = 0, 0
        if members:
            source = members[0].file.classes.get(cls.__name__)
            at = -list(self.gathering.files).index(members[0].file.path)
            line = members[0].code.co_firstlineno
            docstring = source and ast.get_docstring(source)
            body = [*self._class_constants(source), *(m.node for m in members)]
            if docstring and docstring.count("\n") < _LONG:
                assert source is not None
                node.body = [_docstring(source), *body]
            else:
                node.body = list(body)
        return node, at, line

    def _is_used(self, member: Member) -> bool:
        """Whether a method is called from outside, by PyTorch, or by another one."""
        name = member.node.name
        others = (m for m in self.gathering.members.values() if m is not member)
        return name in ("__init__", "forward") or any(
            isinstance(n, ast.Attribute) and n.attr == name
            for m in others
            for n in ast.walk(m.node)
        )

    def _class_constants(self, source: ast.ClassDef | None) -> Iterator[ast.stmt]:
        """The constants of a class that members read of the class itself."""
        members = self.gathering.members.values()
        read = {n.attr for m in members for n in ast.walk(m.node) if isinstance(n, ast.Attribute)}
        for node in source.body if source else ():
            match node:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() as value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant() as value)
                ) if name in read:
                    yield ast.Assign([ast.Name(name, ast.Store())], value, lineno=0)

    def _globals_of(self, member: Member) -> None:
        stored = {n.id for n in ast.walk(member.node)
                  if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}  # fmt: skip
        stored |= {a.arg for a in ast.walk(member.node) if isinstance(a, ast.arg)}
        for node in ast.walk(member.node):
            if isinstance(node, ast.Name) and (value := stands_for(node)) is not None:
                self._global(node.id, value)
            elif isinstance(node, ast.Name) and node.id in vars(member.module).keys() - stored:
                value = vars(member.module)[node.id]
                written = self.gathering.members.get(getattr(value, "__code__", None))  # type: ignore[arg-type]
                if written is not None:  # it can have another name there
                    node.id = written.node.name
                else:
                    self._global(node.id, value)

    def _global(self, name: str, value: Any) -> None:
        """What a global name of the library needs: an import, a constant, or nothing."""
        module = getattr(value, "__module__", None)
        written = {m.code for m in self.gathering.members.values()}
        if getattr(value, "__code__", None) in written or value in self._written_classes():
            return
        if isinstance(value, ModuleType):
            parent, _, last = value.__name__.rpartition(".")
            plain = f"import {value.__name__}" + (f" as {name}" if name != value.__name__ else "")
            line = f"from {parent} import {last}" if parent and last == name else plain
            self.imports[line] = None
        elif (
            isinstance(value, int | float | str | bool | tuple | list | dict)
            or value is None
            or isinstance(value, torch.dtype)
        ):
            self.constants[name] = repr(value)
        elif isinstance(value, type) and value.__module__.startswith("torch.nn."):
            self.imports[f"from torch.nn import {value.__name__}"] = None
        elif module is not None and hasattr(value, "__name__"):
            as_name = "" if value.__name__ == name else f" as {name}"
            self.imports[f"from {module} import {value.__name__}{as_name}"] = None

    def _written_classes(self) -> list[Any]:
        return [*self.gathering.classes, *self.records.fields, *self.settings.written]


def _docstring(node: ast.ClassDef) -> ast.stmt:
    return next(
        s for s in node.body
        if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)
        and "\0" not in str(s.value.value)
    )  # fmt: skip
