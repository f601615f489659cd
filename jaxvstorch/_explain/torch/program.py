"""Reads an FX graph as code, and as a list of operations, each with the lines it comes from."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from torch import fx

from jaxvstorch._explain.observations import Location, Operation

_FRAME = re.compile(r'File "(.*?)", line (\d+), in ')
# FX adds this to a line to free operands: "c = a + b;  a = b = None".
_FREED = re.compile(r";  (?:\w+ = )+None$", re.MULTILINE)
_PARTS = {
    ("cond", 1): "cond true branch",
    ("cond", 2): "cond false branch",
    ("while_loop", 0): "while condition",
    ("while_loop", 1): "while body",
}


def code(graph: fx.GraphModule) -> str:
    """A graph's code without what frees its operands, and below it that of its inner graphs."""
    inner = [
        f"# {name}\n{code(child)}"
        for name, child in graph.named_children()
        if isinstance(child, fx.GraphModule)
    ]
    return "\n\n".join([_FREED.sub("", graph.code.strip()), *inner])


def operations(
    graph: fx.GraphModule,
    where: str,
    is_shown: Callable[[str], bool],
    outer: tuple[Location, ...] = (),
) -> Iterator[Operation]:
    """Every operation; those of an inner graph follow the operation that holds it."""
    for node in graph.graph.nodes:
        if node.op not in ("call_function", "call_method", "call_module"):
            continue
        locations = stack(node, is_shown)
        if locations[: len(outer)] != outer:
            locations = (*outer, *locations)
        yield Operation(_name(node), where, locations)
        for part, inner in _parts(graph, node):
            inside = f"{where} > {part}" if ": " in where else f"{where}: {part}"
            yield from operations(inner, inside, is_shown, locations)


def stack(node: fx.Node, is_shown: Callable[[str], bool]) -> tuple[Location, ...]:
    """The shown lines that a node comes from, the outermost first."""
    frames = _FRAME.findall(node.stack_trace or "")
    return tuple((file, int(line)) for file, line in frames if is_shown(file))


def _name(node: fx.Node) -> str:
    return str(getattr(node.target, "__name__", node.target))


def _parts(graph: fx.GraphModule, node: fx.Node) -> Iterator[tuple[str, fx.GraphModule]]:
    for index, argument in enumerate(node.args):
        if isinstance(argument, fx.Node) and argument.op == "get_attr":
            inner: Any = graph
            for name in str(argument.target).split("."):
                inner = getattr(inner, name, None)
            if isinstance(inner, fx.GraphModule):
                yield _PARTS.get((_name(node), index), f"{_name(node)} body"), inner
