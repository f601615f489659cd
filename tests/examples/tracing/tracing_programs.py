"""What the programs of a function hold, and what it is called with."""

import numpy as np


def numbers(n: int, dtype=np.float32):
    return np.arange(1, n + 1).astype(dtype)


X = numbers(3)


def operations(module) -> list[str]:
    """What a graph calls, in order."""
    nodes = [node for node in module.graph.nodes if node.op.startswith("call_")]
    return [getattr(node.target, "__name__", str(node.target)) for node in nodes]


def primitives(jaxpr) -> list[str]:
    return [str(equation.primitive) for equation in jaxpr.eqns]
