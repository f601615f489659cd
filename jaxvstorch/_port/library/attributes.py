"""Settles the attributes of modules that are constants, that a base sets, or that nobody reads."""

import ast
from collections.abc import Iterator
from typing import Any

import torch

from jaxvstorch._port.draft.commenting import is_blank, is_marker
from jaxvstorch._port.imports import qualified
from jaxvstorch._port.library.constants import written
from jaxvstorch._port.library.gathering import Gathering, Member
from jaxvstorch._port.library.propagating import is_constant, is_pure
from jaxvstorch._port.library.watching import OTHER, constant
from jaxvstorch._port.map.running.call import flat

Module = torch.nn.Module


class Attributes:
    """The attributes of a gathering's modules.

    Args:
        gathering: whose members are changed.
    """

    def __init__(self, gathering: Gathering) -> None:
        self.gathering = gathering
        self.members = list(gathering.members.values())

    def take_from_bases(self) -> None:
        """Set what a constructor that is left out had set, or write its value where it is read."""
        for cls in self.gathering.classes:
            instance = self.gathering.watch.instances.get(cls)
            methods = list(self._methods(cls))
            stored = {n.attr for m in methods for n in _own(m, ast.Store)}
            known = stored | {m.node.name for m in methods}
            for member in methods:
                if instance is None or member.owner is not cls:
                    continue
                for node in list(_own(member, ast.Load)):
                    if node.attr in known or hasattr(Module, node.attr) or node.attr == "training":
                        continue
                    value = getattr(instance, node.attr, OTHER)
                    if constant(value) is not OTHER:
                        _replace(member.node, node, written(value))
                    elif not isinstance(value, Module | torch.Tensor):
                        self._keep_argument(cls, node.attr)
                        known.add(node.attr)

    def _keep_argument(self, cls: type, name: str) -> None:
        """``self.config = config`` in the constructor."""
        for member in self._methods(cls):
            args = [a.arg for a in member.node.args.args]
            if member.owner is cls and member.node.name == "__init__" and name in args:
                body = member.node.body
                first = next((i + 1 for i, s in enumerate(body) if _is_base(s)), 0)
                body.insert(first, ast.parse(f"self.{name} = {name}").body[0])
                _forget_places(body[first])

    def fold(self) -> None:
        """Write flags that modules set to one constant where they are read."""
        for cls in self.gathering.classes:
            methods = list(self._methods(cls))
            values: dict[str, dict[str, ast.expr]] = {}
            for member in methods:
                for node in ast.walk(member.node):
                    if isinstance(node, ast.Assign):
                        for target in node.targets:
                            if isinstance(target, ast.Attribute) and _is_own(target):
                                fixed = is_constant(node.value) or _is_function(node.value, member)
                                text = ast.unparse(node.value) if fixed else ""
                                values.setdefault(target.attr, {})[text] = node.value
            for member in methods:
                for node in list(_own(member, ast.Load)):
                    known = values.get(node.attr, {})
                    if len(known) == 1 and "" not in known and node.attr != "training":
                        _replace(member.node, node, next(iter(known.values())))

    def leave_out_unread(self) -> None:
        """Leave out what modules set and nothing reads."""
        read = {
            n.attr for m in self.members for n in ast.walk(m.node)
            if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load) and not _is_own(n)
        } | {
            n.value for m in self.members for n in ast.walk(m.node)
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        }  # fmt: skip
        for member in self.members:
            if member.owner is not None:
                related = [m for m in self.members if m.owner and _related(m.owner, member.owner)]
                plain = self._plain(member)
                own = {n.attr for m in related for n in _own(m, ast.Load)
                       if id(n) not in _in_statements_of(m, n.attr)}  # fmt: skip
                _Unread(read | own, plain).visit(member.node)
                member.node.body = member.node.body or [ast.Pass()]

    def _plain(self, member: Member) -> set[str]:
        """What a constructor sets and no module or array is in, such as a list of hooks."""
        instances = self.gathering.watch.instances.items()
        one = next((m for cls, m in instances if issubclass(cls, member.owner or cls)), None)
        if member.node.name != "__init__" or one is None:
            return set()
        held = {name: list(flat(value)) for name, value in vars(one).items()}
        return {
            name for name, leaves in held.items()
            if not any(isinstance(leaf, Module | torch.Tensor) for leaf in leaves)
        }  # fmt: skip

    def _methods(self, cls: type) -> Iterator[Member]:
        """The members that are methods of a class or of its bases."""
        yield from (m for m in self.members if m.owner is not None and m.owner in cls.__mro__)


class _Unread(ast.NodeTransformer):
    def __init__(self, read: set[str], plain: set[str]) -> None:
        self.read, self.plain = read, plain

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        body, above = list[ast.stmt](), list[ast.stmt]()
        for statement in node.body:
            if is_marker(statement):
                above.append(statement)
            elif (new := self.visit(statement)) is not None:
                body += [*above, new]
                above = []
            else:  # with the comment on it
                above = [part for part in above if is_blank(part)][:1]
        node.body = body
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        name = _attribute_of(node)
        unread = name is not None and name not in self.read
        return None if unread and (name in self.plain or is_pure(node.value)) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        return None if _attribute_of(node) in self.plain - self.read else node

    def visit_Expr(self, node: ast.Expr) -> Any:
        return None if _attribute_of(node) in self.plain - self.read else node

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node


def _attribute_of(node: ast.AST) -> str | None:
    """The attribute of ``self`` that a statement sets, or a method of which it calls."""
    match node:
        case ast.Assign([target]) | ast.AugAssign(target) if _is_own(target):
            return target.attr  # type: ignore[attr-defined, no-any-return]
        case ast.Expr(ast.Call(ast.Attribute(value=of))) if _is_own(of):
            return of.attr  # type: ignore[attr-defined, no-any-return]
    return None


def _in_statements_of(member: Member, name: str) -> set[int]:
    """The expressions in statements that set an attribute, or call its method."""
    statements = (n for n in ast.walk(member.node) if _attribute_of(n) == name)
    return {id(part) for statement in statements for part in ast.walk(statement)}


def _related(one: type, other: type) -> bool:
    return issubclass(one, other) or issubclass(other, one)


def _own(member: Member, context: type) -> Iterator[ast.Attribute]:
    for node in ast.walk(member.node):
        if isinstance(node, ast.Attribute) and _is_own(node) and isinstance(node.ctx, context):
            yield node


def _is_own(node: ast.AST) -> Any:
    """Whether an expression is an attribute of ``self``."""
    named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return named and node.value.id == "self"  # type: ignore[attr-defined]


def _is_function(node: ast.expr, member: Member) -> bool:
    """Whether an expression is a function of PyTorch, by its name."""
    name = qualified(node, member.file.full_names) or ""
    return name.startswith("torch.nn.functional.") or (
        name.count(".") == 1 and callable(getattr(torch, name.removeprefix("torch."), None))
    )


def _is_base(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and ast.unparse(node).startswith("super().__init__")


def _forget_places(node: ast.AST) -> None:
    """Keep new nodes from being taken for those of the source."""
    for part in ast.walk(node):
        if hasattr(part, "lineno"):
            part.lineno = -1


def _replace(tree: ast.AST, old: ast.AST, new: ast.expr) -> None:
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, new)
            elif isinstance(value, list):
                value[:] = [new if part is old else part for part in value]
