"""What the program of a function holds, as each framework tells."""

from typing import Any


def primitives(jaxpr) -> list[str]:
    """What a jaxpr does, in order, without what it does inside its equations."""
    return [str(equation.primitive) for equation in jaxpr.eqns]


def graphs(torch, function, *arguments, **options) -> list[Any]:
    """The graphs that Dynamo makes of one call."""
    found = []

    def keep(graph, inputs):
        found.append(graph)
        return graph.forward

    torch.compile(function, backend=keep, **options)(*arguments)
    return found


def operations(graph) -> list[str]:
    """What a graph calls, in order."""
    nodes = [node for node in graph.graph.nodes if node.op.startswith("call_")]
    return [getattr(node.target, "__name__", str(node.target)) for node in nodes]
