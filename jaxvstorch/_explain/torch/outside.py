"""What a compiled function accesses outside itself: what Dynamo read, and what changed."""

import inspect
import linecache
import re
from collections.abc import Iterator
from dataclasses import replace
from types import CodeType
from typing import Any

import torch
from torch import fx
from torch.nn.parameter import is_lazy

from jaxvstorch._explain.observations import Location
from jaxvstorch._explain.python import harmless
from jaxvstorch._explain.python.accesses import Access, AccessKind, generators, without_repeats
from jaxvstorch._explain.python.bytecode import REST, Bytecode, read_statically
from jaxvstorch._explain.python.instructions import instructions
from jaxvstorch._explain.python.shown_files import ShownFiles
from jaxvstorch._explain.python.unwrap import defaults
from jaxvstorch._explain.python.watcher import Watcher
from jaxvstorch._explain.torch.call_record import CallRecord, Reading
from jaxvstorch._explain.torch.program import stack

_NOWHERE: Location = ("", 0)
_CHANGING = {
    "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_ATTR", "append", "extend", "insert", "pop", "remove",
    "clear", "sort", "reverse", "update", "setdefault", "popitem", "add", "discard", "appendleft",
    "popleft", "extendleft", "rotate",
}  # fmt: skip
_CALLING = {"CALL", "CALL_KW", "CALL_FUNCTION_EX"}
_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "pow", "mod", "and", "or", "xor")
_WRITES = {"setitem", *(f"i{name}" for name in _OPERATORS)}
_MOST_INSIDE = 1000
MANY_GUARDS = 1000  # on one variable


class Changes:
    """Compares what the caller and the module hold with what they held before the call."""

    def __init__(self, arguments: dict[str, Any], entry: CodeType | None) -> None:
        self._watcher = Watcher()
        self._entry = entry
        self._follower = Bytecode(on_load=self._add)
        self._tensors: dict[int, tuple[str, torch.Tensor]] = {}
        self._added: dict[int, Any] = {}  # by id; keeping the objects keeps their ids
        for name, value in arguments.items():
            self._add(name, value)

    def _add(self, name: str, value: Any) -> None:
        if id(value) in self._added:
            return
        self._added[id(value)] = value
        self._watcher.add(name, value)
        for its_name, tensor in _tensors(name, value):
            if not is_lazy(tensor) and not tensor.is_inference():
                self._tensors.setdefault(id(tensor), (its_name, tensor))

    def reading(self, reading: Reading) -> None:
        """Watch what is outside a function that Dynamo begins to read, and has not changed yet."""
        self._follower.entered(reading.code)
        read_statically(self._follower, reading.code, reading.names, reading.variables)
        for name, value in defaults(reading.code, reading.names):
            self._add(name, value)

    def accesses(self, record: CallRecord, shown_files: ShownFiles) -> Iterator[Access]:
        """Accesses for everything that the call changed."""
        self._watcher.compare(_NOWHERE, last=True)
        readings = [r for r in record.all_readings() if shown_files.has(r.code.co_filename)]
        for access in self._watcher.accesses:
            location = self._location(access, readings)
            if location is not None:
                yield replace(access, location=location)
        yield from self._in_place(record, shown_files)

    def _location(self, access: Access, readings: list[Reading]) -> Location | None:
        if access.kind is AccessKind.RANDOM and access.name in generators():
            return next(
                (t.location for t in _accesses_in(readings) if t.kind is AccessKind.RANDOM), None
            )
        first = [reading for reading in readings if self._is_entry(reading.code)]
        # First the explained function: in others the name may mean something else.
        others = [] if access.owner == "self" else readings
        owner, names = access.owner.split("."), access.name.split(".")
        return (
            _line_that_changes(names, first)
            # Where the object has another name, as ``self`` in its own methods.
            or _line_that_changes(names[len(owner) :], readings, _CHANGING)
            or _line_that_changes(owner, first)
            or _line_that_changes(owner, others)
        )

    def _is_entry(self, code: CodeType) -> bool:
        """Whether it is the explained function, or the rest of it after a graph break."""
        rest = f"{REST}{self._entry.co_name}_at_" if self._entry else None
        return code == self._entry or (rest is not None and code.co_name.startswith(rest))

    def _in_place(self, record: CallRecord, shown_files: ShownFiles) -> Iterator[Access]:
        """Tensors of the caller that the graphs wrote into, at the lines that wrote."""
        for graph, given in zip(record.graphs, record.inputs, strict=True):
            nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
            averages = {n for node in graph.graph.nodes for n in _averages(node)}
            names = {
                n: self._tensors[id(t)][0]
                for n, t in zip(nodes, given, strict=True)
                if id(t) in self._tensors and n in record.changed | averages
            }
            for kind, name, node in _writes(graph, names):
                for location in stack(node, shown_files.has)[-1:]:
                    yield Access(kind, name, location)


def _tensors(name: str, value: Any) -> list[tuple[str, torch.Tensor]]:
    """The tensors in a value, each with its name."""
    if harmless.is_a(value, torch.nn.Module):
        named = (*value.named_parameters(), *value.named_buffers())
        return [(f"{name}.{path}", tensor) for path, tensor in named]
    inside = harmless.everything_in(value, _MOST_INSIDE)
    return [(name, part) for part in inside if harmless.is_a(part, torch.Tensor)]


def _line_that_changes(
    names: list[str], readings: list[Reading], *words: set[str]
) -> Location | None:
    """The first line that loads what changed and also has an instruction that changes things.

    If there is none, the first line that loads it and calls something, such as one of its methods.

    Args:
        names: of the variable, and of its attributes.
        readings: of the functions to look at.
        words: the instructions to look for, in place of those two kinds.
    """
    for words_of_change in words or (_CHANGING, _CALLING):
        for reading in readings if names else ():
            by_line = _words(reading.code)
            for line in sorted(reading.lines() & by_line.keys()):
                if by_line[line].issuperset(names) and by_line[line] & words_of_change:
                    return (reading.code.co_filename, line)
    return None


def _words(code: CodeType) -> dict[int, set[str]]:
    """The names of instructions and of their arguments, by line."""
    words_by_line: dict[int, set[str]] = {}
    for instruction in instructions(code).values():
        words = {instruction.name, str(instruction.argument)}
        words_by_line.setdefault(instruction.line, set()).update(words)
    return words_by_line


def accesses_in_readings(
    record: CallRecord, python: set[Location], shown_files: ShownFiles
) -> Iterator[Access]:
    """Globals read or written on lines that Dynamo read, and that Python does not run."""
    readings = [r for r in record.all_readings() if shown_files.has(r.code.co_filename)]
    for access in _accesses_in(readings):
        # The reader does not change globals of an installed package; and the rest of a function
        # after a break also loads what the lines before it had loaded.
        if access.kind is not AccessKind.READ:
            if access.location not in python:
                yield access
        elif not shown_files.is_installed and _is_named(access):
            number = _guards_on(access, record)
            if number > MANY_GUARDS:
                access = replace(access, kind=AccessKind.LARGE, size=f"{number:,} guards")
            if number:
                yield access


def _guards_on(access: Access, record: CallRecord) -> int:
    """The number of guards on a variable, and on what it holds."""
    first, dot, rest = access.name.partition(".")
    return sum(f"['{first}']{dot}{rest}" in guard for guard in record.guards)


def misread(record: CallRecord, shown_files: ShownFiles) -> list[Access]:
    """Numbers whose dtype differs from the one a graph declares, at the lines that draw them."""
    locations = (stack(node, shown_files.has)[-1:] for node in record.misread)
    return [
        Access(AccessKind.MISREAD, "random", location) for found in locations for location in found
    ]


def combined(read: list[Access], changed: list[Access], misread: list[Access]) -> list[Access]:
    """All accesses, with each draw of random numbers only once."""
    wrong = {access.location for access in misread}
    read = [t for t in read if t.kind is not AccessKind.RANDOM or t.location not in wrong]
    drawn = wrong | {access.location for access in read if access.kind is AccessKind.RANDOM}
    changed = [t for t in changed if t.kind is not AccessKind.RANDOM or t.location not in drawn]
    return [*without_repeats(read), *misread, *changed]


def _is_named(access: Access) -> bool:
    file, line = access.location
    first = re.escape(access.name.partition(".")[0])
    return re.search(rf"\b{first}\b", linecache.getline(file, line)) is not None


def _accesses_in(readings: list[Reading]) -> Iterator[Access]:
    """What the lines that Dynamo read access outside the call."""
    follower = Bytecode()
    for reading in readings:
        follower.entered(reading.code)
    for reading in readings:
        read_statically(follower, reading.code, reading.names, reading.variables, reading.lines())
    yield from follower.accesses.values()


def _writes(
    graph: fx.GraphModule, changed: dict[fx.Node, str]
) -> Iterator[tuple[AccessKind, str, fx.Node]]:
    """The operations that write into some inputs of a graph, or into views of them.

    Args:
        graph: what Dynamo traced.
        changed: the inputs, each with a name, that were changed when the graph ran uncompiled.

    An operation that changes an input without saying so in its name, as that of instance norm does
    its averages, is the first one that takes it.
    """
    names = {_storage(node): name for node, name in changed.items()}
    found, others = set(), []
    for node in graph.graph.nodes:
        for written in _written(node):
            if name := names.get(_storage(written)):
                found.add(name)
                yield AccessKind.CHANGED_IN_PLACE, name, node
            else:
                others.append((node, written))
    for node, written in others:  # of what an operation returned, which Dynamo takes for new
        source = written
        while source.op != "placeholder" and source.args and isinstance(source.args[0], fx.Node):
            source = source.args[0]
        if source in changed and changed[source] not in found:
            found.add(changed[source])
            yield AccessKind.CHANGED_IN_EAGER, changed[source], node
    for node, name in changed.items():
        user = next((u for u in node.users if u.op != "output"), None)
        if name not in found and user is not None:
            found.add(name)
            yield AccessKind.CHANGED_IN_PLACE, name, user


def _storage(node: fx.Node) -> Any:
    """What tells the memory of a node's value from that of others; the node if it is no tensor."""
    value: Any = node.meta.get("example_value")
    try:
        return value.untyped_storage()._cdata
    except Exception:  # no tensor, or one without memory, such as a sparse one
        return node


def _written(node: fx.Node) -> Iterator[fx.Node]:
    """What an operation writes into."""
    target = str(getattr(node.target, "__name__", node.target))
    is_in_place = target in _WRITES or (target.endswith("_") and not target.startswith("_"))
    if is_in_place and node.args and isinstance(node.args[0], fx.Node):
        yield node.args[0]
    yield from _output_nodes(node)
    yield from _averages(node)


def _averages(node: fx.Node) -> list[fx.Node]:
    """The running averages that an operation updates, which leaves their versions as they are."""
    if node.target is not torch.nn.functional.batch_norm:
        return []
    given = inspect.signature(node.target).bind(*node.args, **node.kwargs).arguments
    averages = (given.get("running_mean"), given.get("running_var"))
    return [n for n in averages if isinstance(n, fx.Node) and given.get("training")]


def _output_nodes(node: fx.Node) -> list[fx.Node]:
    """The nodes that an operation writes its results into."""
    out = node.kwargs.get("out")
    several = out if isinstance(out, tuple | list) else (out,)
    return [node for node in several if isinstance(node, fx.Node)]
