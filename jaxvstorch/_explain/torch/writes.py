"""The operations of a graph that write into tensors they were given."""

from collections.abc import Iterator

from torch import fx

_VIEWS = ("getitem", "view", "transpose", "unsqueeze", "squeeze", "reshape", "detach")
_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "pow", "mod", "and", "or", "xor")
_WRITES = {"setitem", *(f"i{name}" for name in _OPERATORS)}


def writes(graph: fx.GraphModule, names: dict[fx.Node, str]) -> Iterator[tuple[str, fx.Node]]:
    """The operations that write into some inputs of a graph, or into views of them."""
    names = dict(names)
    for node in graph.graph.nodes:
        for out in _outs(node):
            if out in names:
                yield names[out], node
        first = node.args[0] if node.args else None
        if not isinstance(first, fx.Node) or first not in names:
            continue
        target = str(getattr(node.target, "__name__", node.target))
        if target in _WRITES or (target.endswith("_") and not target.startswith("_")):
            yield names[first], node
            names[node] = names[first]
        elif target in _VIEWS:
            names[node] = names[first]


def _outs(node: fx.Node) -> list[fx.Node]:
    """What an operation writes its results into."""
    out = node.kwargs.get("out")
    several = out if isinstance(out, tuple | list) else (out,)
    return [one for one in several if isinstance(one, fx.Node)]
