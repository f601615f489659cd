"""What the tests of methods share: classes, and how often a compiler was at work."""


class Scaler:
    """An attribute that may change."""

    def __init__(self, scale):
        self.scale = scale

    def apply(self, x):  # noqa: D102  what is compiled
        return self.scale * x


class ByScale(Scaler):
    """Hashed and compared by an attribute that may change."""

    def __hash__(self):
        return hash(self.scale)

    def __eq__(self, other):
        return type(self) is type(other) and self.scale == other.scale


def programs(torch, function, *calls):
    """How many graphs each call of an already compiled function makes; a call may be a change."""
    from torch._dynamo.utils import counters

    found = []
    for arguments in calls:
        before = counters["stats"]["unique_graphs"]
        function(*arguments)
        found.append(counters["stats"]["unique_graphs"] - before)
    return found


def changed(torch, obj, name, values, call, x):
    """How many graphs ``call(x)`` makes after each of these values was given to an attribute."""
    found = []
    for value in values:
        setattr(obj, name, value)
        found += programs(torch, call, (x,))
    return found


def operations(graph):
    """How many operations a graph holds."""
    return sum(node.op == "call_function" for node in graph.graph.nodes)
