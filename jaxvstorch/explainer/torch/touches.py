"""What a compiled function does with the world outside: what Dynamo read, and what changed."""

import linecache
import re
from collections.abc import Iterator
from dataclasses import replace
from types import CodeType
from typing import Any

import torch
from torch import fx

from jaxvstorch.explainer.operations import Place
from jaxvstorch.explainer.own import OwnCode
from jaxvstorch.explainer.torch.program import stack
from jaxvstorch.explainer.torch.trace import Reading, Traced
from jaxvstorch.explainer.touches import Touch, instructions, read_statically
from jaxvstorch.explainer.watched import Watched
from jaxvstorch.waiting import arrays_of

_NOWHERE: Place = ("", 0)
_CHANGING = {
    "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_ATTR", "append", "extend", "insert", "pop", "remove",
    "clear", "sort", "reverse", "update", "setdefault", "popitem", "add", "discard",
}  # fmt: skip


class Changes:
    """Compares what the caller and the module hold with what it was before the call."""

    def __init__(self, arguments: dict[str, Any], entry: CodeType | None) -> None:
        self._watched = Watched()
        self._arguments = arguments
        self._entry = entry
        self._tensors = {
            id(tensor): (name, tensor, tensor._version)
            for name, value in arguments.items()
            for tensor in _tensors(value)
            if not tensor.is_inference()
        }
        for name, value in arguments.items():
            self._watched.add(name, value)

    def reading(self, reading: Reading) -> None:
        """Dynamo begins to read a function: its globals have not been changed by it yet."""
        for name in reading.code.co_names:
            self._watched.add(name, reading.names.get(name))

    def touches(self, traced: Traced, own: OwnCode) -> Iterator[Touch]:
        """What is not as it was before the call."""
        self._watched.look(_NOWHERE, last=True)
        readings = [r for r in traced.all_readings() if own.has(r.code.co_filename)]
        for touch in self._watched.touches:
            place = self._place(touch, readings)
            if place is not None:
                yield replace(touch, place=place)
        yield from self._in_place(traced, own)

    def _place(self, touch: Touch, readings: list[Reading]) -> Place | None:
        if touch.kind == "random":
            return next((t.place for t in _static(readings) if t.kind == "random"), None)
        first = [reading for reading in readings if reading.code == self._entry]
        # A name of the explained function, and only then of others, which may mean another thing.
        others = [] if touch.name == "self" else readings
        return _line_that_changes(touch.name, first) or _line_that_changes(touch.name, others)

    def _in_place(self, traced: Traced, own: OwnCode) -> Iterator[Touch]:
        """Tensors of the caller that the graphs wrote into, at the lines that wrote."""
        changed = {
            key: name for key, (name, t, version) in self._tensors.items() if t._version != version
        }
        for graph, given in zip(traced.graphs, traced.inputs, strict=True):
            nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
            names = {
                n: changed[id(t)] for n, t in zip(nodes, given, strict=True) if id(t) in changed
            }
            for name, node in _writes(graph, names):
                for place in stack(node, own.has)[-1:]:
                    yield Touch("changed in place", name, place)


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.nn.Module):
        return [*value.parameters(), *value.buffers()]
    return arrays_of("torch", value)


def _line_that_changes(name: str, readings: list[Reading]) -> Place | None:
    """The first line that loads what changed and also has an instruction that changes things."""
    for reading in readings:
        code = reading.code
        by_line: dict[int, set[str]] = {}
        for instruction in instructions(code).values():
            words = {instruction.name, str(instruction.argument)}
            by_line.setdefault(instruction.line, set()).update(words)
        for line in sorted(reading.lines() & by_line.keys()):
            if name in by_line[line] and by_line[line] & _CHANGING:
                return (code.co_filename, line)
    return None


_VIEWS = ("getitem", "view", "transpose", "unsqueeze", "squeeze", "reshape", "detach")
_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "pow", "mod", "and", "or", "xor")
_WRITES = {"setitem", *(f"i{name}" for name in _OPERATORS)}


def _writes(graph: fx.GraphModule, names: dict[fx.Node, str]) -> Iterator[tuple[str, fx.Node]]:
    """The operations that write into some inputs of a graph, or into views of them."""
    names = dict(names)
    for node in graph.graph.nodes:
        first = node.args[0] if node.args else None
        if not isinstance(first, fx.Node) or first not in names:
            continue
        target = str(getattr(node.target, "__name__", node.target))
        if target in _WRITES or (target.endswith("_") and not target.startswith("_")):
            yield names[first], node
            names[node] = names[first]
        elif target in _VIEWS:
            names[node] = names[first]


def of_readings(traced: Traced, python: set[Place], own: OwnCode) -> Iterator[Touch]:
    """Globals read or written on lines that Dynamo read, and that Python does not run."""
    for touch in _static([r for r in traced.all_readings() if own.has(r.code.co_filename)]):
        is_guarded = any(f"['{touch.name}']" in name for name in traced.guards)
        # The globals of an installed package are not the reader's to change; and what is left of
        # a function after a break also loads what the lines before it had loaded.
        is_read = is_guarded and not own.is_installed and _is_named(touch)
        if is_read if touch.kind == "read" else touch.place not in python:
            yield touch


def together(read: list[Touch], changed: list[Touch]) -> list[Touch]:
    """Both, but each draw of random numbers once."""
    drawn = {touch.place for touch in read if touch.kind == "random"}
    changed = [t for t in changed if t.kind != "random" or t.place not in drawn]
    return [*read, *changed]


def _is_named(touch: Touch) -> bool:
    file, line = touch.place
    return re.search(rf"\b{re.escape(touch.name)}\b", linecache.getline(file, line)) is not None


def _static(readings: list[Reading]) -> Iterator[Touch]:
    for reading in readings:
        yield from read_statically(reading.code, reading.lines(), reading.names, reading.variables)
