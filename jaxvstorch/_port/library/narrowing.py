"""Takes out the parameters that had one constant in every call, or that nothing reads."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from types import CodeType
from typing import Any

from jaxvstorch._port.library.attributes import Attributes
from jaxvstorch._port.library.constants import written
from jaxvstorch._port.library.gathering import Gathering, Member
from jaxvstorch._port.library.propagating import is_constant, propagate, without_unread
from jaxvstorch._port.library.pruning import reads_mode
from jaxvstorch._port.library.records import Records
from jaxvstorch._port.library.watching import OTHER

Call = tuple[Member, ast.Call, list[Member]]


class Narrowing:
    """Narrows the signatures of a gathering's members to what they need.

    Attributes:
        calls: the calls between members: the caller, the call, and what it called.
        live: the parameters of each member that are read, those of ``**`` by their names too.
    """

    def __init__(self, gathering: Gathering) -> None:
        self.members, self.watch = gathering.members, gathering.watch
        self.gathering = gathering
        self.folded: dict[CodeType, dict[str, ast.expr]] = {}
        self._fold_parameters()
        attributes, self.records = Attributes(gathering), Records(gathering)
        for _ in range(4):
            self.records.update()
            attributes.fold()
            attributes.leave_out_unread()
            for member in self.members.values():
                member.node.body = propagate(member.node.body, {}) or [ast.Pass()]
                member.node.body = without_unread(member.node.body) or [ast.Pass()]
        self.live = self._live()
        self._rewrite()
        self.records.update()
        for _ in range(3):
            for member in self.members.values():
                member.node.body = without_unread(member.node.body) or [ast.Pass()]

    def parameters(self, member: Member) -> list[str]:
        """What a caller passes to a member now."""
        return names_of(member)[member.is_bound :]

    def calls(self) -> Iterator[Call]:
        """The calls between members."""
        for member in self.members.values():
            for node, site in self.gathering.sites(member):
                called = [self.members[code] for code in site.callees if code in self.members]
                if isinstance(node, ast.Call) and called:
                    yield member, node, called

    def _fold_parameters(self) -> None:
        passed: dict[CodeType, dict[str, list[ast.expr]]] = defaultdict(lambda: defaultdict(list))
        for _, node, called in self.calls():
            for member in called:
                for name, value in bound(node, member).items():
                    passed[member.code][name].append(value)
        for code, member in self.members.items():
            taken, constants = self.watch.taken.get(code, {}), dict[str, ast.expr]()
            for name in [*names_of(member), *self.watch.by_name.get(code, ())]:
                values = list(taken.get(name, {OTHER: None}))
                if (
                    len(values) != 1
                    or values[0] is OTHER
                    or name in self.watch.pinned.get(code, ())
                    or any(map(reads_mode, passed[code][name]))
                ):
                    continue
                value = written(values[0])
                if is_constant(value) or not (passed[code][name] or self._is_root(code)):
                    constants[name] = value
            self.folded[code] = constants
            self._spell_out(member)
            member.node.body = propagate(_expanded(member, self._more(member)), constants)

    def _spell_out(self, member: Member) -> None:
        """Pass what is in ``**kwargs`` by its names to what is no member, such as PyTorch."""
        known = {id(node) for caller, node, _ in self.calls() if caller is member}
        for node in ast.walk(member.node):
            if isinstance(node, ast.Call) and id(node) not in known and _unpacked(node, member):
                taken = self.watch.taken[member.code]
                words = [name for name in self._more(member) if list(taken[name]) != [None]]
                node.keywords = [w for w in node.keywords if w.arg is not None]
                node.keywords += [ast.keyword(n, ast.Name(n, ast.Load())) for n in words]

    def _is_root(self, code: CodeType) -> bool:
        return any(code is root for root, _ in self.watch.roots)

    def _more(self, member: Member) -> list[str]:
        """The names that a member was called with beyond its parameters."""
        return list(self.watch.by_name.get(member.code, ()))

    def _live(self) -> dict[CodeType, dict[str, None]]:
        """The parameters that are read, or passed to one that is read."""
        live = {code: dict(self.watch.pinned.get(code, {})) for code in self.members}
        calls = list(self.calls())
        changed = True
        while changed:
            changed = False
            passes = defaultdict[CodeType, set[int]](set)
            for caller, node, called in calls:
                read = set().union(*(live[member.code] for member in called))
                for member in called:
                    for name, value in bound(node, member).items():
                        if isinstance(value, ast.Name) and name not in read:
                            passes[caller.code].add(id(value))
                    if more := _unpacked(node, caller):
                        for name in self._more(caller):
                            wanted = name in live[member.code] and name not in bound(node, member)
                            if wanted and name not in live[caller.code]:
                                live[caller.code][name] = None
                                changed = True
                        passes[caller.code].add(id(more))
            for code, member in self.members.items():
                read = {
                    n.id for part in member.node.body for n in ast.walk(part)
                    if isinstance(n, ast.Name) and id(n) not in passes[code]
                    and isinstance(n.ctx, ast.Load)
                }  # fmt: skip
                for name in [*names_of(member), *self._more(member)]:
                    if name in read and name not in live[code]:
                        live[code][name] = None
                        changed = True
            for _, _, called in calls:  # one call of several: they take the same
                for name in dict.fromkeys(n for m in called for n in live[m.code]):
                    for member in called:
                        if name in names_of(member) and name not in live[member.code]:
                            live[member.code][name] = None
                            changed = True
        return live

    def _rewrite(self) -> None:
        kept = {code: self._kept(member) for code, member in self.members.items()}
        for caller, node, called in list(self.calls()):
            wanted = {name for member in called for name in kept[member.code]}
            first = called[0]
            names = names_of(first)[first.is_bound :]
            args = [
                value for index, value in enumerate(node.args)
                if index >= len(names) or isinstance(value, ast.Starred) or names[index] in wanted
            ]  # fmt: skip
            given = set(names[: len(node.args)])
            words = [w for w in node.keywords if w.arg is not None and w.arg in wanted]
            given |= {w.arg for w in words if w.arg}
            if _unpacked(node, caller):
                for name in self._more(caller):
                    if name in wanted and name in kept[caller.code] and name not in given:
                        words.append(ast.keyword(name, ast.Name(name, ast.Load())))
            words += [w for w in node.keywords if w.arg is None and not _unpacked(node, caller)]
            node.args, node.keywords = args, words
        for member in self.members.values():
            self._narrow_dictionaries(member, kept)
        for code, member in self.members.items():
            self._narrow(member, kept[code])

    def _narrow_dictionaries(self, caller: Member, kept: dict[CodeType, list[str]]) -> None:
        """Leave out of a dictionary that is only unpacked what no call with it takes any more."""
        wanted: dict[str, set[str]] = {}
        unpacked = list[int]()
        for other, node, called in self.calls():
            for word in node.keywords if other is caller else ():
                if word.arg is None and isinstance(word.value, ast.Name):
                    names = {name for member in called for name in kept[member.code]}
                    wanted[word.value.id] = wanted.get(word.value.id, set()) | names
                    unpacked.append(id(word.value))
        for part in ast.walk(caller.node):
            read = isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
            if read and id(part) not in unpacked:
                wanted.pop(part.id, None)  # type: ignore[attr-defined]
        for part in ast.walk(caller.node):
            match part:
                case ast.Assign([ast.Name(name)], ast.Call(ast.Name("dict"), []) as made):
                    names = wanted.get(name, {str(w.arg) for w in made.keywords})
                    made.keywords = [w for w in made.keywords if w.arg is None or w.arg in names]

    def _kept(self, member: Member) -> list[str]:
        names = [*names_of(member), *self._more(member)]
        first = names_of(member)[:1] if member.is_bound else []
        folded = self.folded[member.code]
        return [n for n in names if n in first or (n in self.live[member.code] and n not in folded)]

    def _narrow(self, member: Member, kept: list[str]) -> None:
        """Give a member the parameters that are kept."""
        args = member.node.args
        every = [*args.posonlyargs, *args.args]
        first = len(every) - len(args.defaults)
        defaults = {every[first + i].arg: value for i, value in enumerate(args.defaults)}
        only = dict(zip((a.arg for a in args.kwonlyargs), args.kw_defaults, strict=True))
        taken = self.watch.taken.get(member.code, {})
        args.posonlyargs, args.args = [], [a for a in every if a.arg in kept]
        args.defaults = []
        for argument in args.args:
            default = defaults.get(argument.arg)
            values = taken.get(argument.arg, {})
            is_none = default is not None and ast.unparse(default) == "None"
            never = is_none and None not in values
            if default is not None and (args.defaults or not never):
                args.defaults.append(default)
            elif args.defaults:
                args.defaults.append(ast.Constant(None))
        args.kwonlyargs = [a for a in args.kwonlyargs if a.arg in kept]
        args.kw_defaults = [only[a.arg] for a in args.kwonlyargs]
        known = {a.arg for a in [*args.args, *args.kwonlyargs]}
        more = [ast.arg(name) for name in kept if name not in known]
        if args.vararg is None and not args.defaults and not args.kwonlyargs:
            args.args += more
        else:
            args.kwonlyargs += more
            args.kw_defaults += [None] * len(more)
        args.kwarg = None


def names_of(member: Member) -> list[str]:
    """A member's named parameters, in order."""
    args = member.node.args
    return [a.arg for a in [*args.posonlyargs, *args.args, *args.kwonlyargs]]


def bound(node: ast.Call, member: Member) -> dict[str, ast.expr]:
    """The expressions that a call passes, by parameter, but those that it unpacks."""
    args = member.node.args
    names = [a.arg for a in [*args.posonlyargs, *args.args]][member.is_bound :]
    values = dict[str, ast.expr]()
    for name, value in zip(names, node.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        values[name] = value
    return values | {w.arg: w.value for w in node.keywords if w.arg is not None}


def _unpacked(node: ast.Call, caller: Member) -> ast.expr | None:
    """The caller's own ``**kwargs``, if a call passes it on."""
    own = caller.node.args.kwarg
    for word in node.keywords:
        if own and word.arg is None and ast.unparse(word.value) == own.arg:
            return word.value
    return None


def _expanded(member: Member, more: list[str]) -> list[ast.stmt]:
    """A member's statements with names of their own for what it reads of its ``**kwargs``."""
    own = member.node.args.kwarg
    return [
        new for statement in member.node.body
        if (new := _Reads(own.arg, more).visit(statement)) is not None
    ] if own else member.node.body  # fmt: skip


class _Reads(ast.NodeTransformer):
    """Reads ``kwargs["name"]`` as the parameter ``name``."""

    def __init__(self, own: str, more: list[str]) -> None:
        self.own, self.more = own, more

    def visit_Expr(self, node: ast.Expr) -> Any:
        match node.value:
            case ast.Call(ast.Attribute(ast.Name(id=name), "pop" | "setdefault")):
                return None if name == self.own else node
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))):
                if name == self.own and key in self.more:
                    return ast.Name(key, ast.Load())
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get" | "pop"),
                args=[ast.Constant(value=str(key)), *default],
            ) if name == self.own:
                if key in self.more:
                    return ast.Name(key, ast.Load())
                return default[0] if default else ast.Constant(None)
        return self.generic_visit(node)
